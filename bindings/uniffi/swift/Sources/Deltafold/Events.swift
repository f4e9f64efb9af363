/// What every event says, whichever member it is.
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

    /// The wire name in the contract that `type` is read as; `extension` and `unknown` stand for all others.
    public var kind: String { info.kind }

    /// The wire name as it was sent.
    public var type: String { info.type }

    /// What is added to a text, to arguments, to code; empty if nothing is.
    public var text: String? { info.text }

    /// The exact payload text.
    public var raw: String { info.raw }

    /// The event's own number.
    public var sequenceNumber: Int64? { info.sequenceNumber }
}

extension Outcome {
    /// The lower-case word for it: `completed`, `incomplete`, `failed`, `cancelled`, `truncated`.
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
    /// The exact cause by name and number, what happened in words, and the byte where it did.
    public var info: (code: String, number: Int32, detail: String, offset: Int64) {
        switch self {
        case .Limit(let code, let number, let detail, let offset, _), .Violation(let code, let number, let detail, let offset, _),
            .Misuse(let code, let number, let detail, let offset, _), .Malformed(let code, let number, let detail, let offset, _):
            return (code, number, detail, offset)
        }
    }

    /// The exact cause, such as `limit.line`.
    public var code: String { info.code }
}
