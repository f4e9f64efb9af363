import Deltafold
import Foundation

// The behavior that only the Swift package has: asynchronous sequences, values across tasks, errors. A failure names its test.

struct Failed: Error, CustomStringConvertible {
    let description: String
}

func same<T: Equatable>(_ expected: T, _ found: T, line: Int = #line) throws {
    if expected != found { throw Failed(description: "line \(line): expected \(expected), found \(found)") }
}

func thrown(_ code: String, line: Int = #line, _ act: () throws -> Void) throws {
    do {
        try act()
    } catch let error as DeltafoldError {
        return try same(code, error.code, line: line)
    }
    throw Failed(description: "line \(line): nothing was thrown")
}

func delta(_ text: String) -> Data {
    let head = #"data: {"type":"response.output_text.delta","sequence_number":0,"item_id":"msg_1","output_index":0,"#
    return Data((head + #""content_index":0,"delta":""# + text + "\"}\n\n").utf8)
}

func chunks(_ data: Data, _ size: Int) -> AsyncStream<Data> {
    AsyncStream { stream in
        var at = data.startIndex
        while at < data.endIndex {
            let end = Swift.min(at + size, data.endIndex)
            stream.yield(data.subdata(in: at..<end))
            at = end
        }
        stream.finish()
    }
}

@main
struct Tests {
    static let tour = try! Data(contentsOf: URL(fileURLWithPath: "examples/streams/tour.sse"))

    static func everySplitGivesTheSameEvents() async throws {
        let whole = try Reader().feed(chunk: tour)
        try same(40, whole.count)
        for size in [1, 7, 100, 5_000] {
            var events: [Event] = []
            for try await event in chunks(tour, size).responseEvents(try Reader()) { events.append(event) }
            try same(whole, events)
        }
        let bytes = AsyncStream<UInt8> { stream in
            tour.forEach { stream.yield($0) }
            stream.finish()
        }
        var count = 0
        for try await _ in bytes.responseEvents(try Reader()) { count += 1 }
        try same(40, count)
    }

    static func unknownAndExtensionEventsCarryTheirPayload() throws {
        let payload = #"{"type":"response.brand_new","x":1e400}"#
        guard case .unknown(_, "response.brand_new", payload)? = try Reader().feedJson(message: payload).first else {
            throw Failed(description: "no unknown event")
        }
        guard case .extension(let info, "acme:trace", _)? = try Reader().feedJson(message: #"{"type":"acme:trace","sequence_number":3}"#).first
        else { throw Failed(description: "no extension event") }
        try same(3, info.sequenceNumber)
    }

    static func errorsCarryCodeAndNumber() throws {
        try thrown("misuse.unknown_name") { _ = try Reader.fromJson(options: #"{"strickt":true}"#) }
        try thrown("limit.line") { _ = try Reader(options: ReaderOptions(limits: ["line_bytes": 8])).feed(chunk: tour) }
        try thrown("strict.violation") { _ = try Reader(options: ReaderOptions(strict: true)).feed(chunk: delta("a")) }
        let released = try Reader()
        released.release()
        try thrown("misuse.after_finish") { _ = try released.feed(chunk: tour) }
    }

    static func tasksShareAReaderOrUseSeparateOnes() async throws {
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for size in 50..<58 {
                group.addTask {
                    let reader = try Reader()
                    for try await _ in chunks(tour, size).responseEvents(reader) {}
                    return try reader.response().toJson()
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        try same(1, texts.count)
        let shared = try Reader()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<100 { _ = try shared.feedJson(message: #"{"type":"acme:t"}"#) } } }
            try await group.waitForAll()
        }
        try same(800, try shared.eventCount())
    }

    static func textIsExact() throws {
        try same("a\0b", try Reader().feed(chunk: delta(#"a\u0000b"#)).first?.info.delta)
        try same("é🚲", try Reader().feed(chunk: delta("é🚲")).first?.info.delta)
        let limits = Dictionary(uniqueKeysWithValues: ["line_bytes", "frame_bytes", "buffered_bytes", "response_bytes"].map { ($0, Int64(1 << 26)) })
        let reader = try Reader(options: ReaderOptions(limits: limits))
        try same(1 << 24, try reader.feed(chunk: delta(String(repeating: "x", count: 1 << 24))).first?.info.delta.utf8.count)
    }

    static func aWrittenStreamIsRead() throws {
        let writer = Writer(id: "resp_1", model: "m-1", createdAt: 5)
        _ = try writer.message()
        try writer.text(text: "Hi \0")
        try writer.complete(usage: Usage(inputTokens: 3, outputTokens: 2))
        let bytes = try writer.take()
        try same(true, try check(stream: bytes).passed)
        let reader = try Reader()
        _ = try reader.feed(chunk: bytes)
        try same("Hi \0", try reader.response().outputText())
        try same(5, try reader.usage()?.totalTokens)
        try thrown("misuse.intent") { try writer.text(text: "late") }
    }

    static func timesAreThoseOfTheClockAndABrokenSourceEnds() throws {
        let writer = Writer(id: "resp_1", model: "m-1")
        _ = try writer.message()
        try writer.text(text: "Hi")
        let half = try writer.take()
        try same(false, String(decoding: half, as: UTF8.self).contains("\"created_at\":0,"))
        for to in ["open-responses", "chat-completions", "anthropic", "ui-message-stream"] {
            let converter = try Converter(to: to)
            _ = try converter.feed(chunk: half)
            try same(true, String(decoding: try converter.finish(), as: UTF8.self).contains("ended before a terminal event"))
        }
    }

    static func main() async {
        let tests: [(String, () async throws -> Void)] = [
            ("every split gives the same events", everySplitGivesTheSameEvents),
            ("unknown and extension events carry their payload", unknownAndExtensionEventsCarryTheirPayload),
            ("errors carry code and number", errorsCarryCodeAndNumber),
            ("tasks share a reader or have their own", tasksShareAReaderOrUseSeparateOnes),
            ("text is exact", textIsExact),
            ("a written stream is read", aWrittenStreamIsRead),
            ("times are those of the clock, and a broken source ends", timesAreThoseOfTheClockAndABrokenSourceEnds),
        ]
        var failed = 0
        for (name, test) in tests {
            do {
                try await test()
                print("ok   \(name)")
            } catch {
                failed += 1
                print("FAIL \(name): \(error)")
            }
        }
        print("\(tests.count - failed) passed, \(failed) failed")
        exit(failed == 0 ? 0 : 1)
    }
}
