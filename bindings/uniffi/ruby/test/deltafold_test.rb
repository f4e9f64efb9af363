# frozen_string_literal: true

# The behavior that only the Ruby package has: values, errors, iteration, sources, encodings, threads, memory. Run from the top of
# the repository.

require "minitest/autorun"
require "net/http"
require "socket"
require "deltafold"

class DeltafoldTest < Minitest::Test
  TOUR = File.binread("examples/streams/tour.sse")
  THREADS = 8

  def delta(text)
    "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":0,\"item_id\":\"msg_1\",\"output_index\":0," \
      "\"content_index\":0,\"delta\":\"#{text}\"}\n\n"
  end

  def chunks(size)
    TOUR.bytes.each_slice(size).map { |bytes| bytes.pack("C*") }
  end

  def test_a_stream_is_enumerable_over_every_kind_of_source
    whole = Deltafold.events(TOUR).to_a
    assert_equal 40, whole.size
    assert_equal whole, Deltafold.events(chunks(7)).to_a
    assert_equal whole, Deltafold.events(File.open("examples/streams/tour.sse", "rb")).to_a
    stream = Deltafold.events(chunks(7))
    assert_equal 7, stream.count { |event| event.is_a?(Deltafold::Event::OutputTextDelta) }
    assert stream.outcome.completed?
    assert_equal "completed", stream.outcome.to_s
    assert_raises(IOError) { stream.first }
    assert_raises(TypeError) { Deltafold.events(7).to_a }
    assert_equal whole.first(3), Deltafold.events(chunks(7)).each.lazy.first(3)
  end

  def test_chunks_of_net_http_are_read
    server = TCPServer.new("127.0.0.1", 0)
    answering = Thread.new do
      socket = server.accept
      nil until socket.gets == "\r\n"
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
      chunks(333).each { |chunk| socket.write("#{chunk.bytesize.to_s(16)}\r\n#{chunk}\r\n") }
      socket.write("0\r\n\r\n")
      socket.close
    end
    seen = []
    reader = Deltafold::Reader.new
    Net::HTTP.start("127.0.0.1", server.addr[1]) do |http|
      http.request(Net::HTTP::Get.new("/")) do |response|
        response.read_body { |chunk| seen.concat(reader.feed(chunk)) }
      end
    end
    answering.join
    assert_equal Deltafold.events(TOUR).to_a, seen
    assert_equal Deltafold::Outcome::Completed, reader.finish.class
  ensure
    server.close
  end

  def test_values_are_deeply_frozen_and_equal_by_their_fields
    event = Deltafold.events(TOUR).first
    assert event.frozen? && event.delta.frozen? && event.raw.frozen?
    assert_equal event, Deltafold.events(TOUR).first
    assert_equal 1, [event, Deltafold.events(TOUR).first].uniq.size
    stream = Deltafold.events(TOUR)
    stream.to_a
    item = stream.response.items.last
    assert item.frozen? && item.json.frozen? && item.parts.frozen?
    assert_raises(FrozenError) { item.name << "x" }
    assert_equal "resp_tour", stream.response.to_h["id"]
    assert_equal "resp_tour", JSON.parse(JSON.generate([stream.response])).first["id"]
  end

  def test_events_are_matched_by_class_and_by_field
    text = Deltafold.events(TOUR).map do |event|
      case event
      in Deltafold::Event::OutputTextDelta[delta: String => delta, output_index: Integer] then delta
      in { kind: "response.output_item.done", item_type: "message" } then "."
      in { kind: String } then ""
      end
    end.join
    assert_match(/\AThe canal path .*\.\z/, text)
    assert_nil((Deltafold.events(TOUR).first in { kind: "nothing" }) || nil)
    assert_equal({ kind: "response.created" }, Deltafold.events(TOUR).first.deconstruct_keys([:kind]))
  end

  def test_every_class_of_event_has_its_own_fields
    payloads = {
      ResponseState: ['{"type":"response.completed","response":{"id":"r","status":"completed"}}', { terminal: true }],
      ItemAdded: ['{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"m"}}', { item_type: "message" }],
      ItemDone: ['{"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"m"}}', { item_type: "message" }],
      PartAdded: ['{"type":"response.content_part.added","part":{"type":"output_text"}}', { part_type: "output_text" }],
      PartDone: ['{"type":"response.content_part.done","part":{"type":"output_text"}}', { part_type: "output_text" }],
      OutputTextDelta: ['{"type":"response.output_text.delta","delta":"a\\nb"}', { delta: "a\nb" }],
      RefusalDelta: ['{"type":"response.refusal.delta","delta":"no"}', { delta: "no" }],
      ReasoningDelta: ['{"type":"response.reasoning.delta","delta":"so"}', { delta: "so" }],
      ReasoningSummaryDelta: ['{"type":"response.reasoning_summary_text.delta","summary_index":2,"delta":"s"}', { summary_index: 2 }],
      ArgumentsDelta: ['{"type":"response.function_call_arguments.delta","delta":"{"}', { delta: "{" }],
      Delta: ['{"type":"response.custom_tool_call_input.delta","delta":"x"}', { delta: "x" }],
      Done: ['{"type":"response.output_text.done","text":"whole"}', { text: "whole", delta: "" }],
      Annotation: ['{"type":"response.output_text.annotation.added","annotation":{"type":"url_citation"}}', { annotation: '{"type":"url_citation"}' }],
      ToolState: ['{"type":"response.web_search_call.searching","item_id":"ws_1"}', { status: "searching", item_id: "ws_1" }],
      PartialImage: ['{"type":"response.image_generation_call.partial_image","partial_image_b64":"aGk="}', { base64: "aGk=" }],
      Error: ['{"type":"error","error":{"type":"server_error","code":"c","message":"m"}}',
              { error: Deltafold::Failure.new(type: "server_error", code: "c", message: "m", param: nil) }],
      Keepalive: ['{"type":"keepalive"}', {}],
      RateLimits: ['{"type":"response.rate_limits.updated"}', { kind: "codex.rate_limits", type: "response.rate_limits.updated" }],
      Other: ['{"type":"image_generation.completed"}', {}],
      Extension: ['{"type":"acme:trace"}', { type: "acme:trace", kind: "extension" }],
      Unknown: ['{"type":"response.brand_new"}', { type: "response.brand_new", kind: "unknown" }]
    }
    assert_equal Deltafold::Event.subclasses.size, payloads.size if Deltafold::Event.respond_to?(:subclasses)
    payloads.each do |name, (payload, fields)|
      event = Deltafold::Reader.new.feed_json(payload).first
      assert_instance_of Deltafold::Event.const_get(name), event
      fields.each { |field, value| value.nil? ? assert_nil(event.public_send(field)) : assert_equal(value, event.public_send(field), name) }
      assert_equal fields, event.deconstruct_keys(fields.keys)
      assert_equal payload, event.raw
    end
    started = Deltafold::Reader.new.feed_json('{"type":"response.created","response":{"id":"r"}}').first
    refute started.terminal?
  end

  def test_usage_is_a_value
    stream = Deltafold.events(TOUR)
    stream.to_a
    usage = stream.response.usage
    assert_equal [412, 139, 551], [usage.input_tokens, usage.output_tokens, usage.total_tokens]
    assert_equal usage, stream.reader.usage
    assert usage.frozen?
    assert_nil Deltafold::Reader.new.usage
  end

  def test_an_event_costs_at_most_the_time_of_split_and_json_parse
    bytes = (0...20_000).map { |number| delta("word#{number} ") }.join
    chunks = bytes.scan(/.{1,16384}/m)
    read = lambda do
      reader = Deltafold::Reader.new
      chunks.sum { |chunk| reader.feed(chunk).sum { |event| event.output_text_delta? ? event.delta.size : 0 } }
    end
    parse = lambda do
      bytes.split("\n\n").sum do |frame|
        event = JSON.parse(frame.delete_prefix("data: "))
        event["type"] == "response.output_text.delta" ? event["delta"].size : 0
      end
    end
    assert_equal parse.call, read.call
    best = lambda do |work|
      Array.new(5) do
        GC.start
        from = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
        work.call
        Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - from
      end.min
    end
    ratio = best.call(read) / best.call(parse)
    puts "an event costs #{ratio.round(2)} times split and JSON.parse"
    # The goal holds for a release library (0.4 measured); the tests build one without optimization, which is ten times slower.
    limit = ENV["DELTAFOLD_PROFILE"] == "release" ? 1.0 : 10.0
    assert_operator ratio, :<=, limit
  end

  def test_unknown_and_extension_events_carry_their_payload
    reader = Deltafold::Reader.new
    unknown = reader.feed_json('{"type":"response.brand_new","x":1e400}').first
    assert_instance_of Deltafold::Event::Unknown, unknown
    assert unknown.unknown?
    assert_equal ["response.brand_new", '{"type":"response.brand_new","x":1e400}'], [unknown.type, unknown.raw]
    extension = reader.feed_json('{"type":"acme:trace","sequence_number":3}').first
    assert_instance_of Deltafold::Event::Extension, extension
    assert_equal ["acme:trace", 3], [extension.type, extension.sequence_number]
  end

  def test_errors_have_class_code_number_and_message
    error = assert_raises(Deltafold::Misuse) { Deltafold::Reader.new(strickt: true) }
    assert_kind_of Deltafold::Error, error
    assert_equal ["misuse.unknown_name", 23], [error.code, error.number]
    assert_match(/no option is called strickt/, error.message)
    limited = Deltafold::Reader.new(limits: { line_bytes: 8 })
    assert_equal "limit.line", assert_raises(Deltafold::LimitExceeded) { limited.feed(TOUR) }.code
    assert_raises(Deltafold::StrictViolation) { Deltafold::Reader.new(strict: true).feed(delta("a")) }
    assert_raises(TypeError) { Deltafold::Reader.new.feed(7) }
  end

  def test_a_closed_object_refuses_every_call
    reader = Deltafold::Reader.new
    view = reader.response
    reader.feed(TOUR)
    2.times { reader.close }
    [-> { reader.feed("") }, -> { reader.findings }, -> { reader.finish }, -> { view.output_text }].each do |call|
      assert_match(/closed/, assert_raises(Deltafold::Misuse, &call).message)
    end
    kept = nil
    assert_equal 40, (Deltafold::Reader.open(strict: true) { |open| (kept = open).feed(TOUR).size })
    assert_raises(Deltafold::Misuse) { kept.feed("") }
  end

  def test_encodings_bytes_in_and_utf8_out
    event = Deltafold::Reader.new.feed(delta("é🚲").b).first
    assert_equal [Encoding::UTF_8, "é🚲"], [event.delta.encoding, event.delta]
    assert_equal "é🚲", Deltafold::Reader.new.feed(delta("é🚲")).first.delta
    broken = Deltafold::Reader.new
    assert_equal "a\u{FFFD}b", broken.feed(delta("a\xFFb").b).first.delta
    refute_empty broken.findings
    assert_equal "a\0b", Deltafold::Reader.new.feed(delta('a\u0000b')).first.delta
    assert_equal :error, Deltafold.validate_named("request", '{"model":7}', "").first.severity
    assert_raises(EncodingError) { Deltafold::Reader.new.feed_json("\xFF") }
    latin = '{"type":"acme:é"}'.encode(Encoding::ISO_8859_1)
    assert_equal "acme:é", Deltafold::Reader.new.feed_json(latin).first.type
  end

  def test_sixteen_megabytes_cross_in_one_call
    limits = %i[line_bytes frame_bytes buffered_bytes response_bytes].to_h { |name| [name, 1 << 26] }
    reader = Deltafold::Reader.new(limits: limits)
    assert_equal 1 << 24, reader.feed(delta("x" * (1 << 24))).first.delta.size
    assert_equal 1 << 24, reader.response.output_text.size
  end

  def test_threads_use_separate_readers_or_share_one
    texts = Array.new(THREADS) do |number|
      Thread.new do
        reader = Deltafold::Reader.new
        chunks(50 + number).each { |chunk| reader.feed(chunk) }
        reader.finish
        reader.response.to_json
      end
    end
    assert_equal 1, texts.map(&:value).uniq.size
    shared = Deltafold::Reader.new
    counts = Array.new(THREADS) { Thread.new { Array.new(50) { |n| shared.feed_json("{\"type\":\"acme:t\",\"n\":#{n}}").size }.sum } }
    assert_equal THREADS * 50, counts.sum(&:value)
    assert_equal THREADS * 50, shared.event_count
    closing = Deltafold::Reader.new
    ends = Array.new(THREADS) do |number|
      Thread.new do
        number.zero? ? closing.close : 20.times { closing.feed(delta("x")) }
        nil
      rescue Deltafold::Error => e
        e.class
      end
    end
    assert_empty ends.map(&:value).uniq - [nil, Deltafold::Misuse]
  end

  def test_unused_readers_are_collected
    create = lambda do |count|
      count.times do |number|
        reader = Deltafold::Reader.new
        reader.feed(delta("x"))
        reader.response.output_text
        GC.start if (number % 500).zero?
      end
    end
    create.call(1_000)
    before = resident
    create.call(3_000)
    GC.start
    assert_operator resident - before, :<, 48 << 20
  end

  def resident
    File.read("/proc/self/statm").split[1].to_i * 4096
  end

  def test_a_written_stream_is_read_checked_and_converted
    writer = Deltafold::Writer.new(id: "resp_1", model: "m-1", created_at: 5, request: { model: "m-1", input: "x", temperature: 0.5 })
    writer.message
    writer.text("Hi \0")
    writer.complete(Deltafold::Usage.new(input_tokens: 3, output_tokens: 2, cached_tokens: 1))
    bytes = writer.take
    assert_equal Encoding::BINARY, bytes.encoding
    report = Deltafold.check(bytes)
    assert report.passed && report.frozen?
    stream = Deltafold.events(bytes)
    stream.to_a
    assert_equal "Hi \0", stream.response.output_text
    assert_equal [5, 0.5], stream.response.to_h.values_at("created_at", "temperature")
    assert_equal [3, 2, 5, 1, 0], stream.response.usage.to_h.values.first(5)
    assert_raises(Deltafold::Misuse) { Deltafold::Writer.new(id: "resp_1", modle: "m-1") }
    assert_includes Deltafold.convert(bytes, "chat-completions").bytes, "chat.completion.chunk"
    assert_equal "misuse.intent", assert_raises(Deltafold::Misuse) { writer.text("late") }.code
  end

  def test_times_are_those_of_the_clock_unless_they_are_given
    before = Time.now.to_i
    times = lambda do |stream|
      events = Deltafold.events(stream)
      events.to_a
      events.response.to_h.values_at("created_at", "completed_at")
    end
    written = lambda do |**options|
      writer = Deltafold::Writer.new(id: "resp_1", **options)
      writer.complete
      times.call(writer.take)
    end
    written.call.each { |seconds| assert_includes before..Time.now.to_i, seconds }
    assert_equal [0, 0], written.call(created_at: 0)
    gemini = 'data: {"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}],"responseId":"r"}' + "\n\n"
    converted = Deltafold.convert(gemini, "open-responses", "gemini").bytes
    times.call(converted).each { |seconds| assert_includes before..Time.now.to_i, seconds }
  end

  def test_a_source_that_breaks_off_ends_with_a_terminal_event
    writer = Deltafold::Writer.new(id: "resp_1")
    writer.message
    writer.text("Hi")
    half = writer.take
    %w[open-responses chat-completions anthropic ui-message-stream].each do |to|
      converter = Deltafold::Converter.new(to)
      converter.feed(half)
      assert_includes converter.finish, "ended before a terminal event", to
    end
  end

  CANARY = "K4N4RY"

  # Frames with errors in framing, schema and order, each with a canary in it.
  def wrong
    ['{"type":"response.created","sequence_number":"K4N4RY","response":{"id":"K4N4RY","status":"K4N4RY","output":[]}}',
     '{"type":"response.output_text.delta","sequence_number":9,"item_id":"K4N4RY","output_index":3,"content_index":1,"delta":"K4N4RY"}',
     '{"type":"K4N4RY","sequence_number":10}', "K4N4RY",
     '{"type":"response.failed","sequence_number":12,"response":{"id":"K4N4RY","error":{"code":"K4N4RY","message":"K4N4RY"}}}']
      .map { |payload| "id: K4N4RY\nevent: K4N4RY\ndata: #{payload}\n\n" }.join
  end

  def test_inspect_quotes_no_payload
    stream = Deltafold.events(wrong)
    seen = stream.to_a
    report = Deltafold.check(wrong)
    decoder = Deltafold::SseDecoder.new
    things = [*seen, stream.outcome, *stream.response.items, *stream.response.items.flat_map(&:parts), *stream.findings,
              *report.findings, report, stream, stream.response, *decoder.feed(wrong), decoder, Deltafold.convert(wrong, "anthropic")]
    assert_operator things.size, :>, 30
    things.each { |thing| refute_includes "#{thing.inspect} #{thing}", CANARY, thing.class }
    assert_includes seen[1].inspect, "kind=\"response.output_text.delta\""
    assert_includes seen[1].inspect, "delta=(6 bytes)"
    assert_equal CANARY, seen[1].to_h[:delta]
  end

  def test_no_error_quotes_a_payload
    writer = Deltafold::Writer.new(id: "resp_1", model: "m-1", created_at: 5)
    calls = [-> { Deltafold::Reader.new(strict: true, layers: "all").then { |reader| reader.feed(wrong) && reader.feed(wrong) } },
             -> { Deltafold::Reader.new(limits: { frame_bytes: 20 }).then { |reader| reader.feed(wrong) && reader.feed(wrong) } },
             -> { Deltafold::Reader.restore(CANARY, "") }, -> { writer.apply('{"do":"text","item":7,"text":"K4N4RY"}') },
             -> { writer.apply('{"do":"item","item":"K4N4RY"}') }, -> { Deltafold::PartialJson.new.push('{"a":K4N4RY') }]
    calls.each_with_index do |call, at|
      error = assert_raises(Deltafold::Error, at.to_s) { call.call }
      refute_includes "#{error.message} #{error.inspect} #{error.full_message}", CANARY
    end
  end

  def test_requests_continue_after_responses
    request = JSON.generate(model: "m-1", input: "Hi", tools: [{ type: "function", name: "lookup", parameters: {} }])
    call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "lookup", arguments: "{}", status: "completed" }
    tools = Deltafold::ToolLoop.new(request)
    assert_equal "waiting", tools.apply(JSON.generate(id: "resp_1", status: "completed", output: [call]))
    assert_equal "ready", tools.result("call_1", '"42"')
    assert_includes tools.request, "function_call_output"
    assert_includes Deltafold.enforce(request, JSON.generate(output: [call])), '"allowed":true'
    steps = JSON.generate([{ response: { id: "resp_1", output: [] } }])
    assert_includes Deltafold.history(request, steps, "stateful"), "resp_1"
    assert_equal '{"a":"b"}', Deltafold.partial_json('{"a":"b')
  end

  def test_results_errors_statuses_and_names_have_functions
    call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "lookup", arguments: "{}", status: "completed" }
    items = JSON.parse(Deltafold.tool_results(JSON.generate(output: [call]), '{"call_1":"42"}'))["items"]
    assert_equal [%w[function_call_output 42]], items.map { |item| item.values_at("type", "output") }
    types = %w[server_error invalid_request not_found model_error too_many_requests]
    errors = types.map { |type| JSON.parse(Deltafold.api_error(type, "m", "c")) }
    assert_equal [500, 400, 404, 500, 429], errors.map { |error| error["status"] }
    assert_equal types, errors.map { |error| error["body"]["error"]["type"] }
    assert_raises(Deltafold::Error) { Deltafold.api_error("teapot", "m") }
    assert_equal [false, true, true, false], %w[searching completed failed done].map { |name| Deltafold.is_terminal_status(name) }
    assert_equal [false, true, false, false], %w[searching completed failed done].map { |name| Deltafold.is_success_status(name) }
    assert_equal [true, false], %w[acme:note note].map { |name| Deltafold.is_valid_extension_type(name) }
  end
end
