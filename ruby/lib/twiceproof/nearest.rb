# frozen_string_literal: true

module Twiceproof
  # The known name that a misspelt one probably means.
  module Nearest
    module_function

    def of(name, known)
      most = [2, name.bytesize / 3].max
      distances = known.map { |k| edits(plain(name), plain(k)) }
      near = known.zip(distances).select { |k, distance| distance <= most && distance < k.bytesize }
      near.min_by(&:last)&.first
    end

    # Without what people vary: case, - and _.
    def plain(name)
      name.downcase.delete("-_")
    end

    def edits(from, to)
      row = (0..to.size).to_a
      from.each_char do |c|
        before = row
        row = [before.first + 1]
        to.each_char.with_index { |d, i| row << [before[i + 1] + 1, row[i] + 1, before[i] + (c == d ? 0 : 1)].min }
      end
      row.last
    end
  end
end
