# frozen_string_literal: true

module Deltafold
  # Every error of this library, for `rescue Deltafold::Error`. Its classes say whose fault it is.
  Error = DeltafoldError
  LimitExceeded = DeltafoldError::Limit
  StrictViolation = DeltafoldError::Violation
  Misuse = DeltafoldError::Misuse
  Malformed = DeltafoldError::Malformed

  # What the generated classes lack: a message that reads like one.
  module Said
    def to_s
      "#{code}: #{detail}"
    end

    alias message to_s
  end
  private_constant :Said

  [LimitExceeded, StrictViolation, Misuse, Malformed].each do |error|
    error.include(DeltafoldError)
    error.prepend(Said)
  end
end
