# frozen_string_literal: true

module Deltafold
  # Records whose texts come from the library, not from a stream.
  LIBRARY_TEXTS = [Finding, CodeInfo, DialectInfo, RuleInfo].freeze
  private_constant :LIBRARY_TEXTS

  # A deeply frozen value. Equal values are equal keys of a Hash.
  module Value
    def initialize(...)
      super
      instance_variables.each { |name| instance_variable_get(name).freeze }
      freeze
    end

    # The fields by name. A field named like a keyword is `_retry` in the generated code and `retry` here.
    def to_h
      instance_variables.to_h { |name| [name.to_s.delete_prefix("@").delete_prefix("_").to_sym, instance_variable_get(name)] }
    end

    def ==(other)
      other.instance_of?(self.class) && other.to_h == to_h
    end
    alias eql? ==

    def hash
      [self.class, to_h].hash
    end

    # Payloads can contain secrets, and inspected objects end up in logs: of a text from the stream, only its length is shown.
    # `to_h` has everything.
    def inspect
      "#<#{self.class} #{to_h.map { |name, value| "#{name}=#{shown(name, value)}" }.join(" ")}>"
    end

    def shown(name, value)
      return value.inspect unless value.is_a?(String)

      LIBRARY_TEXTS.include?(self.class) || name == :kind ? value.inspect : "(#{value.bytesize} bytes)"
    end
    private :shown

    # For pattern matching: `case item in {type: "function_call"}`.
    def deconstruct_keys(_names)
      to_h
    end
  end

  [Finding, FindingCounts, Failure, Item, Part, Usage, Frame, Unfinished, Conversion, Report, RateLimits, CodeInfo,
   DialectInfo, RuleInfo].each { |record| record.prepend(Value) }

  # Gives each member of a sealed type a Ruby name (`Outcome::Completed`) and makes it a value.
  seal = lambda do |type|
    type.constants.map { |name| [name, type.const_get(name)] }.each do |name, member|
      # The generated `to_s` returns only the name of the class.
      member.send(:remove_method, :to_s)
      member.prepend(Value)
      type.const_set(name.to_s.split("_").map(&:capitalize).join, member)
    end
  end
  seal.call(Outcome)

  class Outcome
    # The name in lower case: "completed", "incomplete", "failed", "cancelled", "truncated".
    def name
      self.class.name.split("::").last.downcase
    end

    alias to_s name
  end

  class Frame
    alias retry _retry
  end

  class Finding
    SEVERITIES = { Severity::NOTE => :note, Severity::WARNING => :warning, Severity::ERROR => :error }.freeze

    remove_method :severity

    # :note, :warning or :error
    def severity
      SEVERITIES.fetch(@severity)
    end

    def to_s
      "#{severity} #{rule} at byte #{offset}: #{message}"
    end
  end
end
