# frozen_string_literal: true

module Deltafold
  # Records whose texts are the library's own words.
  SPOKEN = [Finding, CodeInfo, DialectInfo, RuleInfo].freeze
  private_constant :SPOKEN

  # Makes a value that never changes: itself and everything in it is frozen. Equal values are equal keys of a Hash.
  module Value
    def initialize(...)
      super
      instance_variables.each { |name| instance_variable_get(name).freeze }
      freeze
    end

    # The fields by name. One that is a word of the language is `_retry` in the generated code, and `retry` here.
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

    # Payloads can hold secrets, and what is inspected ends up in logs: of a text that a stream brought, only its length is shown.
    # `to_h` has everything.
    def inspect
      "#<#{self.class} #{to_h.map { |name, value| "#{name}=#{shown(name, value)}" }.join(" ")}>"
    end

    def shown(name, value)
      return value.inspect unless value.is_a?(String)

      SPOKEN.include?(self.class) || name == :kind ? value.inspect : "(#{value.bytesize} bytes)"
    end
    private :shown

    # For pattern matching: `case event in {kind: "response.completed"}`.
    def deconstruct_keys(_names)
      to_h
    end
  end

  [EventInfo, Finding, FindingCounts, Failure, Item, Part, Frame, Unfinished, Conversion, Report, RateLimits, CodeInfo,
   DialectInfo, RuleInfo].each { |record| record.prepend(Value) }

  # Gives each member of a sealed type its name in this language (`Event::Unknown`) and makes it a value.
  seal = lambda do |type|
    type.constants.map { |name| [name, type.const_get(name)] }.each do |name, member|
      # What the generated class says of itself is only its name.
      member.send(:remove_method, :to_s)
      member.prepend(Value)
      type.const_set(name.to_s.split("_").map(&:capitalize).join, member)
    end
  end
  seal.call(Event)
  seal.call(Outcome)

  class Event
    # What every event says, at hand: `event.delta` instead of `event.info.delta`.
    %i[index kind type sequence_number item_id output_index content_index summary_index offset delta text raw].each do |name|
      define_method(name) { info.public_send(name) }
    end

    # The payload as a new Hash; empty if it is no JSON object.
    def payload
      parsed = JSON.parse(raw)
      parsed.is_a?(Hash) ? parsed : {}
    rescue JSON::ParserError
      {}
    end
  end

  class Outcome
    # The lower-case word for it: "completed", "incomplete", "failed", "cancelled", "truncated".
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
