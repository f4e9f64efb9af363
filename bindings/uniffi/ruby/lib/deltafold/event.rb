# frozen_string_literal: true

module Deltafold
  # The generated classes convert every field of every event. These decode a field when it is read.
  remove_const :Event
  remove_const :EventInfo

  # One event of a stream: a frozen value. Each kind of content has a subclass, such as `Event::OutputTextDelta`.
  #
  #   case event
  #   in Deltafold::Event::OutputTextDelta[delta:] then print delta
  #   in {kind: "response.completed"} then puts
  #   else nil
  #   end
  #
  # An event is a position in the packed list of its chunk; `bindings/uniffi/src/packed.rs` describes the layout.
  class Event
    # The wire names of all kinds, by number.
    KINDS = Deltafold.kinds.map(&:freeze).freeze
    # Numbers per event in a packed list.
    COLUMNS = 20
    # The format of the numbers of one event.
    ONE_EVENT = "q<#{COLUMNS}".freeze
    private_constant :KINDS, :COLUMNS, :ONE_EVENT

    # The fields that every event has.
    FIELDS = %i[index kind type sequence_number item_id output_index content_index summary_index offset delta text raw].freeze

    class << self
      # The fields that only this class has.
      def own_fields
        [].freeze
      end

      # The events of a packed list.
      def unpack(packed)
        count = packed.unpack1("q<")
        return [] if count.zero?

        table = COLUMNS * count
        numbers = packed.unpack(count == 1 ? ONE_EVENT : "q<#{table}", offset: 8)
        text = packed.byteslice(8 + (table * 8), packed.bytesize).force_encoding(Encoding::UTF_8).freeze
        return [CLASSES[numbers[1]].new(numbers, text, 0)] if count == 1

        Array.new(count) do |position|
          at = position * COLUMNS
          CLASSES[numbers[at + 1]].new(numbers, text, at)
        end
      end

      # The class of an event without fields of its own, or whose fields are stored as text.
      def define(name, *fields)
        type = Class.new(self) do
          define_singleton_method(:own_fields) { fields }
          fields.each { |field| define_method(field) { slice(18) } }
        end
        const_set(name, type)
        query = :"#{name.to_s.gsub(/([a-z])([A-Z])/, '\1_\2').downcase}?"
        define_method(query) { instance_of?(type) }
        type
      end
      private :define
    end

    def initialize(numbers, text, at)
      @numbers = numbers
      @text = text
      @at = at
      freeze
    end

    # The wire name of the kind, with aliases of `type` resolved; "extension" and "unknown" for all other types.
    def kind
      KINDS[@numbers[@at]]
    end

    # The wire name in the payload.
    def type
      slice(10) || kind
    end

    # Position of the event in the stream, from 0.
    def index
      @numbers[@at + 2]
    end

    # The sequence number that the server gave the event.
    def sequence_number
      optional(3)
    end

    # Position of the item in the output.
    def output_index
      optional(4)
    end

    # Position of the part in the item.
    def content_index
      optional(5)
    end

    # Position of the summary part in the item.
    def summary_index
      optional(6)
    end

    # Byte offset of the payload from the start of the stream.
    def offset
      @numbers[@at + 7]
    end

    # The payload text exactly as received.
    def raw
      slice(8)
    end

    # Id of the item.
    def item_id
      slice(12)
    end

    # The text that a delta event adds; empty for other events.
    def delta
      slice(14)
    end

    # The complete text, arguments or code of a done event.
    def text
      slice(16)
    end

    # The payload as a new Hash; empty if it is not a JSON object.
    def payload
      parsed = JSON.parse(raw)
      parsed.is_a?(Hash) ? parsed : {}
    rescue JSON::ParserError
      {}
    end

    # All fields by name, those of the class included.
    def to_h
      fields(FIELDS + self.class.own_fields)
    end

    # For pattern matching: `case event in {kind: String => kind}`.
    def deconstruct_keys(names)
      all = FIELDS + self.class.own_fields
      fields(names ? all & names : all)
    end

    def ==(other)
      other.instance_of?(self.class) && other.raw == raw && other.to_h == to_h
    end
    alias eql? ==

    def hash
      [self.class, index, raw].hash
    end

    # Payloads can contain secrets, and inspected objects end up in logs: of a text from the stream, only its length is shown.
    # `to_h` has everything.
    def inspect
      shown = to_h.map do |name, value|
        hidden = name != :kind && (value.is_a?(String) || value.is_a?(Failure))
        "#{name}=#{hidden && value.is_a?(String) ? "(#{value.bytesize} bytes)" : value.inspect}"
      end
      "#<#{self.class} #{shown.join(" ")}>"
    end

    private

    def fields(names)
      names.to_h { |name| [name, public_send(name)] }
    end

    def optional(column)
      number = @numbers[@at + column]
      number.negative? ? nil : number
    end

    def slice(column)
      length = @numbers[@at + column + 1]
      length.negative? ? nil : @text.byteslice(@numbers[@at + column], length).freeze
    end

    # The classes in the order of `EventClass` in bindings/uniffi/src/event.rs.
    CLASSES = [
      # The response entered a state: created, queued, in progress, completed, incomplete, failed. `terminal` is true for the last
      # three.
      define(:ResponseState, :terminal),
      # An item begins; `item_type` is its type, such as "message".
      define(:ItemAdded, :item_type),
      # An item is done.
      define(:ItemDone, :item_type),
      # A part of content or summary begins; `part_type` is its type, such as "output_text".
      define(:PartAdded, :part_type),
      # A part is done.
      define(:PartDone, :part_type),
      # Text for the user.
      define(:OutputTextDelta),
      # Text of a refusal.
      define(:RefusalDelta),
      # Raw reasoning.
      define(:ReasoningDelta),
      # Text of a reasoning summary.
      define(:ReasoningSummaryDelta),
      # Arguments of a function call.
      define(:ArgumentsDelta),
      # Any other delta: the input of a custom tool, code, a diff, a command, audio.
      define(:Delta),
      # A text, arguments, code, a diff or a command is done; `text` is the complete one.
      define(:Done),
      # An annotation of a text part, as JSON text.
      define(:Annotation, :annotation),
      # A hosted tool entered a state; `status` is its name, such as "searching".
      define(:ToolState, :status),
      # A preview of an image in base64.
      define(:PartialImage, :base64),
      # The stream reports an error, a Failure.
      define(:Error, :error),
      # A keepalive.
      define(:Keepalive),
      # Rate limits in the server's own form.
      define(:RateLimits),
      # Any other kind of the specification: the images API, WebSocket control.
      define(:Other),
      # An extension, `slug:name`, carried through unchanged.
      define(:Extension),
      # An unknown type, carried through unchanged.
      define(:Unknown)
    ].freeze
    private_constant :CLASSES

    class ResponseState
      # True if the event ends the response.
      def terminal
        !slice(18).nil?
      end
      alias terminal? terminal
    end

    class Error
      # The reported error.
      def error
        Failure.new(**JSON.parse(slice(18), symbolize_names: true))
      end
    end
  end

  # The C functions beside those of UniFFI.
  module Native
    extend FFI::Library

    ffi_lib LIBRARY
    attach_function :deltafold_ruby_feed, %i[ulong buffer_in ulong], :pointer
    attach_function :deltafold_ruby_free, [:pointer], :void
  end
  private_constant :Native

  class Reader
    SIZE_BYTES = FFI.type_size(:ulong)
    private_constant :SIZE_BYTES

    # Feeds a chunk, split anywhere, and returns the events that it completes.
    #
    # If reading ends within the chunk, the events before that are returned; the next call raises, and so does `ensure_reading`.
    def feed(chunk)
      raise TypeError, "expected a String of bytes, found #{chunk.class}" unless chunk.is_a?(String)

      block = Native.deltafold_ruby_feed(@packed_handle ||= packed_handle, chunk, chunk.bytesize)
      return [] if block.null?
      # The same call through UniFFI raises the error.
      return Event.unpack(feed_packed(chunk)) if block.address == 1

      packed = block.get_bytes(SIZE_BYTES, block.read_ulong)
      Native.deltafold_ruby_free(block)
      Event.unpack(packed)
    end

    # Feeds one JSON message without SSE framing: a WebSocket message, a line of a log.
    def feed_json(message)
      Event.unpack(feed_json_packed(message))
    end

    # Ends the input and returns the last events.
    def end
      Event.unpack(end_packed)
    end
  end
end
