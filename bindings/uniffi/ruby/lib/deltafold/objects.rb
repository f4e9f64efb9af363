# frozen_string_literal: true

module Deltafold
  # `close` for every object with native memory. Later calls raise Misuse.
  module Closing
    def close
      release
      nil
    end

    # `open`, which closes the object at the end of its block, like File.open.
    module Opening
      def open(*arguments, **options)
        object = options.empty? ? new(*arguments) : new(*arguments, **options)
        return object unless block_given?

        begin
          yield object
        ensure
          object.close
        end
      end
    end
  end

  [Reader, Writer, Converter, SseDecoder, PartialJson, ToolLoop].each do |type|
    type.include(Closing)
    type.extend(Closing::Opening)
  end

  class Reader
    class << self
      # Takes options by their names: `Reader.new(strict: true, limits: { line_bytes: 65_536 })`.
      def new(**options)
        from_json(options.empty? ? "" : JSON.generate(options))
      end
    end
  end

  class Writer
    class << self
      # Takes options by their names: `Writer.new(id: "resp_1", model: "m-1", request: { … })`. Only `id` is required; without
      # `created_at`, times are those of the clock.
      def new(**options)
        from_json(JSON.generate(options))
      end
    end
  end

  class Response
    # The whole response as JSON text.
    module Json
      def to_json(*)
        super()
      end
    end
    private_constant :Json
    prepend Json

    # The whole response as a new Hash.
    def to_h
      JSON.parse(to_json)
    end
  end
end
