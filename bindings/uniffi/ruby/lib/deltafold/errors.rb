# frozen_string_literal: true

module Deltafold
  # Every error of this library, for `rescue Deltafold::Error`. The class states whether a limit, the stream, the caller or the input
  # caused it.
  Error = DeltafoldError
  LimitExceeded = DeltafoldError::Limit
  StrictViolation = DeltafoldError::Violation
  Misuse = DeltafoldError::Misuse
  Malformed = DeltafoldError::Malformed

  # A readable message, which the generated classes lack.
  module Message
    def to_s
      "#{code}: #{detail}"
    end

    alias message to_s
  end
  private_constant :Message

  [LimitExceeded, StrictViolation, Misuse, Malformed].each do |error|
    error.include(DeltafoldError)
    error.prepend(Message)
  end
end
