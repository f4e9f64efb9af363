import Deltafold
import Foundation

@main
struct QuickStart {
    static func main() async throws {
        // `URLSession.shared.bytes(for: request)` returns such a sequence; this one comes from a file.
        let file = try Data(contentsOf: URL(fileURLWithPath: "examples/streams/tour.sse"))
        let bytes = AsyncStream<UInt8> { stream in
            file.forEach { stream.yield($0) }
            stream.finish()
        }

        let reader = try Reader()
        for try await event in bytes.responseEvents(reader) {
            switch event {
            case .outputTextDelta(let info): print(info.delta, terminator: "")
            case .unknown(_, let type, _), .extension(_, let type, _): print("kept: \(type)")
            default: break
            }
        }
        print()
        for call in try reader.response().items() where call.type == "function_call" { print("\(call.name) \(call.arguments)") }
        print("\(try reader.finish().name), \(try reader.findings().count) findings")
    }
}
// The canal path from Écluse-Neuve to Port-Brun is 38 km and closed to cars. Let me look at the weather and the way back. 🚲
// get_forecast {"place":"Port-Brun","day":"2026-04-25"}
// find_trains {"from":"Port-Brun","to":"Écluse-Neuve","bikes":2}
// completed, 0 findings
