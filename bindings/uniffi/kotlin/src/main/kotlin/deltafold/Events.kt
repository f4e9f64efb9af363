@file:JvmName("Events")

package deltafold

/** What every event says, whichever member it is. */
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

/** The wire name in the contract that [type] is read as; `extension` and `unknown` stand for all others. */
val Event.kind: String get() = info.kind

/** The wire name as it was sent. */
val Event.type: String get() = info.type

/** What is added to a text, to arguments, to code; empty if nothing is. */
val Event.delta: String get() = info.delta

/** The whole text, arguments or code of a done event. */
val Event.text: String? get() = info.text

/** The exact payload text. */
val Event.raw: String get() = info.raw

/** The event's own number. */
val Event.sequenceNumber: Long? get() = info.sequenceNumber

/** Id of the item. */
val Event.itemId: String? get() = info.itemId

/** Position of the item in the output. */
val Event.outputIndex: Long? get() = info.outputIndex

/** The lower-case word for an outcome: `completed`, `incomplete`, `failed`, `cancelled`, `truncated`. */
val Outcome.name: String
    get() = when (this) {
        is Outcome.Completed -> "completed"
        is Outcome.Incomplete -> "incomplete"
        is Outcome.Failed -> "failed"
        is Outcome.Cancelled -> "cancelled"
        is Outcome.Truncated -> "truncated"
        is Outcome.Unknown -> name
    }

/** The exact cause of an error, such as `limit.line`. */
val DeltafoldException.code: String
    get() = when (this) {
        is DeltafoldException.Limit -> code
        is DeltafoldException.Violation -> code
        is DeltafoldException.Misuse -> code
        is DeltafoldException.Malformed -> code
    }

/** The cause as a number that is never reused. */
val DeltafoldException.number: Int
    get() = when (this) {
        is DeltafoldException.Limit -> number
        is DeltafoldException.Violation -> number
        is DeltafoldException.Misuse -> number
        is DeltafoldException.Malformed -> number
    }

/** What happened, in words. */
val DeltafoldException.detail: String
    get() = when (this) {
        is DeltafoldException.Limit -> detail
        is DeltafoldException.Violation -> detail
        is DeltafoldException.Misuse -> detail
        is DeltafoldException.Malformed -> detail
    }

/** Byte offset from the start of the stream, 0 where there is none. */
val DeltafoldException.offset: Long
    get() = when (this) {
        is DeltafoldException.Limit -> offset
        is DeltafoldException.Violation -> offset
        is DeltafoldException.Misuse -> offset
        is DeltafoldException.Malformed -> offset
    }
