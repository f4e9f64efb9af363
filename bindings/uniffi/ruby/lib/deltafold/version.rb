# frozen_string_literal: true

module Deltafold
  VERSION = "0.1.0"
end
