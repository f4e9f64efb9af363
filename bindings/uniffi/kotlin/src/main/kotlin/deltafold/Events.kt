@file:JvmName("Events")

package deltafold

/** The fields that every event has. */
val Event.info: EventInfo
    get() = when (this) {
        is Event.ResponseState -> info
        is Event.ItemAdded -> info
        is Event.ItemDone -> info
        is Event.PartAdded -> info
        is Event.PartDone -> info
        is Event.OutputTextDelta -> info
        is Event.RefusalDelta -> info
        is Event.ReasoningDelta -> info
        is Event.ReasoningSummaryDelta -> info
        is Event.ArgumentsDelta -> info
        is Event.Delta -> info
        is Event.Done -> info
        is Event.Annotation -> info
        is Event.ToolState -> info
        is Event.PartialImage -> info
        is Event.Error -> info
        is Event.Keepalive -> info
        is Event.RateLimits -> info
        is Event.Other -> info
        is Event.Extension -> info
        is Event.Unknown -> info
    }

/** The wire name of the kind, with aliases of [type] resolved; `extension` or `unknown` for all other types. */
val Event.kind: String get() = info.kind

/** The wire name in the payload. */
val Event.type: String get() = info.type

/** The text that a delta event adds; empty for other events. */
val Event.delta: String get() = info.delta

/** The complete text, arguments or code of a done event. */
val Event.text: String? get() = info.text

/** The payload text exactly as received. */
val Event.raw: String get() = info.raw

/** The sequence number of the event. */
val Event.sequenceNumber: Long? get() = info.sequenceNumber

/** Id of the item. */
val Event.itemId: String? get() = info.itemId

/** Position of the item in the output. */
val Event.outputIndex: Long? get() = info.outputIndex

/** The name of an outcome in lower case: `completed`, `incomplete`, `failed`, `cancelled`, `truncated`. */
val Outcome.name: String
    get() = when (this) {
        is Outcome.Completed -> "completed"
        is Outcome.Incomplete -> "incomplete"
        is Outcome.Failed -> "failed"
        is Outcome.Cancelled -> "cancelled"
        is Outcome.Truncated -> "truncated"
        is Outcome.Unknown -> name
    }

/** The code of an error, such as `limit.line`. */
val DeltafoldException.code: String
    get() = when (this) {
        is DeltafoldException.Limit -> code
        is DeltafoldException.Violation -> code
        is DeltafoldException.Misuse -> code
        is DeltafoldException.Malformed -> code
    }

/** The number of the code, which is never reused. */
val DeltafoldException.number: Int
    get() = when (this) {
        is DeltafoldException.Limit -> number
        is DeltafoldException.Violation -> number
        is DeltafoldException.Misuse -> number
        is DeltafoldException.Malformed -> number
    }

/** The message. */
val DeltafoldException.detail: String
    get() = when (this) {
        is DeltafoldException.Limit -> detail
        is DeltafoldException.Violation -> detail
        is DeltafoldException.Misuse -> detail
        is DeltafoldException.Malformed -> detail
    }

/** Byte offset from the start of the stream; 0 if unknown. */
val DeltafoldException.offset: Long
    get() = when (this) {
        is DeltafoldException.Limit -> offset
        is DeltafoldException.Violation -> offset
        is DeltafoldException.Misuse -> offset
        is DeltafoldException.Malformed -> offset
    }
