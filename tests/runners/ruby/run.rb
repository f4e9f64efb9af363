# frozen_string_literal: true

# The Ruby runner; the protocol is in tests/runners/README.md. The gem's lib folder is on the load path.

require "deltafold"

def show(value)
  puts JSON.generate(value)
end

def print_error(error)
  show({ error: error.code, offset: error.offset })
end

def hex(bytes)
  bytes.unpack1("H*")
end

def bytes(word)
  [word.to_s].pack("H*")
end

def text(word)
  bytes(word).force_encoding(Encoding::UTF_8)
end

# The response is passed as text, because numbers keep their written form.
def with_response(report, response)
  head = JSON.generate(report).chop
  puts "#{head}#{"," unless report.empty?}\"response\":#{response}}"
end

# A runner's object: its state, and its output at the end.
class Thing
  def end(_over); end

  def goes_on
    false
  end
end

class Sse < Thing
  def initialize(options)
    super()
    @decoder = Deltafold::SseDecoder.new(options)
  end

  def feed(word)
    frames = @decoder.feed(bytes(word))
    frames.each { |frame| show(frame.to_h) }
    # An error after frames is raised by the next call.
    @decoder.ensure_reading unless frames.empty?
  end
end

class Read < Thing
  FIELDS = %i[index kind type sequence_number item_id output_index content_index summary_index offset delta text raw].freeze

  def initialize(options)
    super()
    @options = options
    @reader = Deltafold::Reader.from_json(options)
  end

  def events(list)
    list.each { |event| show(FIELDS.to_h { |name| [name, event.public_send(name)] }) }
    # An error after events is raised by the next call.
    @reader.ensure_reading unless list.empty?
  end

  def feed(word)
    events(@reader.feed(bytes(word)))
  end

  def feed_json(word)
    events(@reader.feed_json(text(word)))
  end

  def request(word)
    @reader.note_request(text(word))
  end

  def reconnect(_word)
    @reader.reconnect
  end

  def resume(_word)
    @reader = Deltafold::Reader.restore(@reader.save, @options)
  end

  def end(over)
    begin
      unless over
        events(@reader.end)
        @reader.finish
      end
    rescue Deltafold::Error => e
      print_error(e)
    end
    begin
      @reader.finish
    rescue Deltafold::Error
      nil # the error was printed; the data that was read stays readable
    end
    report = {
      outcome: outcome, output_text: @reader.response.output_text, findings: @reader.findings.map { |f| finding(f) },
      last_sequence_number: @reader.last_sequence_number, activity: @reader.activity
    }
    with_response(report, @reader.response.to_json)
  end

  def outcome
    ended = @reader.outcome
    { outcome: ended.name }.merge(ended.to_h.transform_values { |value| value.is_a?(Deltafold::Failure) ? value.to_h : value })
  end
end

def finding(finding)
  finding.to_h.merge(severity: finding.severity)
end

class Partial < Thing
  def initialize(options)
    super()
    @partial = Deltafold::PartialJson.new(options)
  end

  def feed(word)
    @partial.push(text(word))
  ensure
    unfinished = @partial.unfinished
    show({ value: @partial.value, unfinished: unfinished && [unfinished.path, unfinished.type] })
  end

  def end(over)
    begin
      @partial.finish unless over
    rescue Deltafold::Error => e
      print_error(e)
    end
    show({ value: @partial.value, complete: @partial.is_complete, changes: JSON.parse(@partial.take_changes) })
  end
end

class Write < Thing
  def initialize(options)
    super()
    @writer = Deltafold::Writer.from_json(options)
  end

  # A refused intent changes nothing.
  def goes_on
    true
  end

  def do(word)
    item = @writer.apply(text(word))
    show({ item: item, bytes: hex(@writer.take) })
  end

  def end(_over)
    with_response({}, @writer.response_json)
  end
end

class Convert < Thing
  def initialize(options)
    super()
    @converter = Deltafold::Converter.from_json(options)
  end

  def step
    show({ bytes: hex(yield) })
  rescue Deltafold::Error
    show({ bytes: hex(@converter.take) })
    raise
  end

  def feed(word)
    step { @converter.feed(bytes(word)) }
  end

  def cancel(_word)
    step { @converter.cancel }
  end

  def end(over)
    step { over ? @converter.take : @converter.finish }
    puts @converter.report
  rescue Deltafold::Error => e
    puts @converter.report
    print_error(e)
  end
end

class Validate < Thing
  def initialize(what, options)
    super()
    @what = what
    @options = options
  end

  def feed(word)
    show(Deltafold.validate_named(@what, text(word), @options).map { |found| finding(found) })
  end
end

class Ask < Thing
  def initialize(what)
    super()
    @what = what
  end

  def feed(word)
    puts Deltafold.request_named(@what, text(word))
  end
end

class Loop < Thing
  def initialize(options)
    super()
    @tools = Deltafold::ToolLoop.from_json(options)
  end

  # A refused step changes nothing.
  def goes_on
    true
  end

  def response(word)
    @tools.apply(text(word))
    print_loop
  end

  def result(call_id, word)
    @tools.result(text(call_id), text(word))
    print_loop
  end

  def print_loop
    puts "{\"loop\":#{@tools.to_json},\"request\":#{@tools.request}}"
  end
end

WORDS = { "sse" => Sse, "reader" => Read, "partial" => Partial, "writer" => Write, "convert" => Convert,
          "loop" => Loop }.freeze
VERBS = %w[feed feed_json request reconnect resume do cancel response result].freeze

$stdin.binmode
$stdout.sync = false
thing = nil
over = false
$stdin.each_line(chomp: true) do |line|
  word, *rest = line.split(" ")
  if WORDS.key?(word)
    thing = nil
    over = false
    thing = WORDS[word].new(text(rest[0]))
  elsif word == "validate"
    over = false
    thing = Validate.new(rest[0], text(rest[1]))
  elsif word == "ask"
    over = false
    thing = Ask.new(rest[0])
  elsif word == "end"
    thing&.end(over)
    thing = nil
    show({ end: true })
    $stdout.flush
  elsif VERBS.include?(word)
    if thing && !over
      over = word == "cancel"
      word == "result" ? thing.result(*rest) : thing.public_send(word, rest[0])
    end
  else
    exit 2
  end
rescue Deltafold::Error => e
  print_error(e)
  over = !thing&.goes_on
end
