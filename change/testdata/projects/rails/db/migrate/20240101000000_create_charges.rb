# frozen_string_literal: true

class CreateCharges < ActiveRecord::Migration[6.1]
  def change
    create_table(:charges, id: false) { |t| t.string :order_id, null: false }
  end
end
