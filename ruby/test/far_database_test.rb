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

  def test_own_row_in_memory
    @type = self.class.next_type
    far = SQLite3::Database.new(":memory:")
    far.execute_batch(Twiceproof::Statements.new.text("sqlite", "schema"))

    assert_raises(Twiceproof::RefusedError) { guard(TestDatabase.named("sqlite"), job).run_tx(far, delivery) { flunk } }
  ensure
    far.close
  end

  # Where it cannot be asked, it is believed: an account without that right, and a table that names its database.
  def test_own_row_where_nobody_can_tell
    start_far("mysql")
    named = guard(@app.database, job, table: "tests.idempotency_records")

    assert_equal :completed, named.run_tx(@app.connection, delivery) { nil }.outcome
    @app.close
    @app = Application.named("bare postgres")
    ["CREATE ROLE little LOGIN", "GRANT ALL ON idempotency_records TO little",
     "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC"].each { |sql| @app.database.execute(sql) }
    little = PG.connect(**@app.database.address, user: "little")
    assert_raises(PG::InsufficientPrivilege) { little.exec("SELECT * FROM pg_control_system()") }
    assert_equal :completed, guard(@app.database, job).run_tx(little, delivery) { nil }.outcome
  ensure
    [@far, little].compact.each(&:close)
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
