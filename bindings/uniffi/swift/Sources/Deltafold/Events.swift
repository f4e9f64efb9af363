/// The fields that every event has, whichever member it is.
extension Event {
    public var info: EventInfo {
        switch self {
        case .responseState(let info, _), .itemAdded(let info, _), .itemDone(let info, _), .partAdded(let info, _),
            .partDone(let info, _), .outputTextDelta(let info), .refusalDelta(let info), .reasoningDelta(let info),
            .reasoningSummaryDelta(let info), .argumentsDelta(let info), .delta(let info), .done(let info),
            .annotation(let info, _), .toolState(let info, _), .partialImage(let info, _), .error(let info, _),
            .keepalive(let info), .rateLimits(let info), .other(let info), .extension(let info, _, _),
            .unknown(let info, _, _):
            return info
        }
    }

    /// The wire name of the kind, with aliases of `type` resolved; `extension` or `unknown` for all other types.
    public var kind: String { info.kind }

    /// The wire name in the payload.
    public var type: String { info.type }

    /// The text that a delta event adds; empty for other events.
    public var text: String? { info.text }

    /// The payload text exactly as received.
    public var raw: String { info.raw }

    /// The sequence number of the event.
    public var sequenceNumber: Int64? { info.sequenceNumber }
}

extension Outcome {
    /// The name in lower case: `completed`, `incomplete`, `failed`, `cancelled`, `truncated`.
    public var name: String {
        switch self {
        case .completed: return "completed"
        case .incomplete: return "incomplete"
        case .failed: return "failed"
        case .cancelled: return "cancelled"
        case .truncated: return "truncated"
        case .unknown(let name): return name
        }
    }
}

extension DeltafoldError {
    /// The code and its number, the message, and the byte offset.
    public var info: (code: String, number: Int32, detail: String, offset: Int64) {
        switch self {
        case .Limit(let code, let number, let detail, let offset, _), .Violation(let code, let number, let detail, let offset, _),
            .Misuse(let code, let number, let detail, let offset, _), .Malformed(let code, let number, let detail, let offset, _):
            return (code, number, detail, offset)
        }
    }

    /// The code, such as `limit.line`.
    public var code: String { info.code }
}
