# frozen_string_literal: true

module Deltafold
  # Bytes per read from an IO.
  CHUNK_BYTES = 65_536

  # The events of a source, in order. `response`, `findings` and `outcome` include the events that were read so far.
  #
  #   stream = Deltafold.events(http_response)
  #   stream.each { |event| print event.delta if event.output_text_delta? }
  #   stream.outcome.completed?
  class Stream
    include Enumerable

    attr_reader :reader

    def initialize(source, **options)
      @source = source
      @reader = Reader.new(**options)
      @started = false
    end

    # Yields each event. A source can be read once.
    def each(&block)
      return enum_for(:each) unless block

      raise IOError, "a source can be read once" if @started

      @started = true
      Deltafold.each_chunk(@source) { |chunk| @reader.feed(chunk).each(&block) }
      @reader.end.each(&block)
      @reader.finish
      self
    end

    def response
      @response ||= @reader.response
    end

    def findings
      @reader.findings
    end

    def outcome
      @reader.outcome
    end

    # The source may be the bytes themselves, so it is not shown.
    def inspect
      "#<#{self.class} outcome=#{outcome ? outcome.name : "nil"}>"
    end
  end

  # The events of a source: an HTTP response (anything with `read_body`), an IO, a String, or anything with `each` that yields
  # Strings of bytes. Options are those of Reader.
  def self.events(source, **options)
    Stream.new(source, **options)
  end

  # Yields the chunks of a source as they arrive.
  def self.each_chunk(source, &block)
    if source.respond_to?(:read_body) then source.read_body(&block)
    elsif source.respond_to?(:readpartial)
      loop do
        yield source.readpartial(CHUNK_BYTES)
      rescue EOFError
        break
      end
    elsif source.is_a?(String) then yield source
    elsif source.respond_to?(:each) then source.each(&block)
    else raise TypeError, "expected an HTTP response, an IO, a String or chunks, found #{source.class}"
    end
  end
end
