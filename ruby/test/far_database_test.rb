# frozen_string_literal: true

require "tmpdir"
require_relative "guarded_test"

# An application's connection that leads elsewhere than the guard's.
class FarDatabaseTest < GuardedTest
  # A row there and its record here, or the other way round: nobody would find it.
  %w[postgres mysql].each do |name|
    define_method("test_own_row_in_another_database: #{name}") do
      start_far(name)
      error = assert_raises(Twiceproof::RefusedError) { @far_guard.run_tx(@far, delivery) { flunk } }

      assert_match(/leads to another database/, error.message)
      refute Twiceproof::Driver.of(@far).in_transaction?(@far)
      assert_equal :completed, guard(@app.database, job).run_tx(@app.connection, delivery) { nil }.outcome
    ensure
      @far&.close
    end
  end

  def test_own_row_in_another_file
    @type = self.class.next_type
    database = TestDatabase.named("sqlite")
    Dir.mktmpdir do |dir|
      far = SQLite3::Database.new("#{dir}/far")
      assert_raises(Twiceproof::RefusedError) { guard(database, job).run_tx(far, delivery) { flunk } }
      File.symlink(database.path, "#{dir}/near")
      near = SQLite3::Database.new("#{dir}/near")

      assert_equal :completed, guard(database, job).run_tx(near, delivery) { nil }.outcome
    ensure
      [far, near].compact.each(&:close)
    end
  end

  # The same server, and the table of another schema.
  def test_own_row_in_another_schema
    start_far("postgres", "SCHEMA")
    error = assert_raises(Twiceproof::RefusedError) { @far_guard.run_tx(@far, delivery) { flunk } }

    assert_match(/the table of another schema/, error.message)
  ensure
    @far&.close
  end

  def start_far(name, what = "DATABASE")
    @type = self.class.next_type
    @app = Application.named("bare #{name}")
    far = "far#{@type[/\d+\z/]}"
    @app.database.execute("CREATE #{what} #{far}")
    @far = what == "DATABASE" ? @app.database.connect(far) : @app.database.connect
    @far.query("SET search_path TO #{far}") if what == "SCHEMA"
    @far.query(Twiceproof::Statements.new.text(@app.database.dialect, "schema"))
    @far_guard = guard(@app.database, job)
  end
end
