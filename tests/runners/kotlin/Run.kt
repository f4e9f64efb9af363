// The Kotlin runner; the protocol is in tests/runners/README.md.

import deltafold.*
import java.io.BufferedReader
import java.io.InputStreamReader
import java.io.PrintStream
import java.util.HexFormat
import kotlin.system.exitProcess

private val out = PrintStream(java.io.FileOutputStream(java.io.FileDescriptor.out).buffered(1 shl 16), false, Charsets.UTF_8)
private val hexes = HexFormat.of()

/** JSON text that is passed through. */
private class Json(val text: String)

private fun json(value: Any?): String = when (value) {
    null -> "null"
    is Json -> value.text
    is String -> quoted(value)
    is Map<*, *> -> value.entries.joinToString(",", "{", "}") { (key, member) -> quoted(key as String) + ":" + json(member) }
    is List<*> -> value.joinToString(",", "[", "]") { json(it) }
    else -> value.toString()
}

private fun quoted(text: String): String {
    val quoted = StringBuilder("\"")
    for (unit in text) when {
        unit == '"' || unit == '\\' -> quoted.append('\\').append(unit)
        unit < ' ' -> quoted.append("\\u%04x".format(unit.code))
        else -> quoted.append(unit)
    }
    return quoted.append('"').toString()
}

private fun show(vararg members: Pair<String, Any?>) = out.println(json(mapOf(*members)))

private fun printError(error: DeltafoldException) = show("error" to error.code, "offset" to error.offset)

private fun bytes(word: String?): ByteArray = hexes.parseHex(word ?: "")

private fun text(word: String?): String = String(bytes(word), Charsets.UTF_8)

private fun show(bytes: ByteArray) = show("bytes" to hexes.formatHex(bytes))

private fun finding(finding: Finding) = mapOf(
    "rule" to finding.rule, "severity" to finding.severity.name.lowercase(), "layer" to finding.layer,
    "event_index" to finding.eventIndex, "sequence_number" to finding.sequenceNumber, "offset" to finding.offset,
    "path" to finding.path, "message" to finding.message, "repair" to finding.repair,
)

private fun outcome(outcome: Outcome) = mapOf("outcome" to outcome.name) + when (outcome) {
    is Outcome.Incomplete -> mapOf("reason" to outcome.reason)
    is Outcome.Failed -> mapOf(
        "error" to mapOf(
            "type" to outcome.error.type, "code" to outcome.error.code, "message" to outcome.error.message,
            "param" to outcome.error.param,
        ),
    )
    is Outcome.Truncated -> mapOf("last_sequence_number" to outcome.lastSequenceNumber)
    else -> mapOf()
}

/** The runner's object: its commands, and its output at the end. */
private abstract class Thing(val held: AutoCloseable?) {
    /** A refused intent or step changes nothing, so a writer and a loop continue. */
    open val goesOn = false

    open fun verb(verb: String, word: String?): Unit = exitProcess(2)

    /** The only command with two words. */
    open fun result(callId: String, word: String?): Unit = exitProcess(2)

    open fun end(over: Boolean) {}
}

private class Sse(val decoder: SseDecoder) : Thing(decoder) {
    override fun verb(verb: String, word: String?) {
        val frames = decoder.feed(bytes(word))
        for (frame in frames) {
            show("event" to frame.event, "data" to frame.data, "id" to frame.id, "retry" to frame.retry, "offset" to frame.offset)
        }
        // An error after frames is thrown by the next call.
        if (frames.isNotEmpty()) decoder.ensureReading()
    }
}

private class Read(val options: String, var reader: Reader = Reader.fromJson(options)) : Thing(reader) {
    private fun events(events: List<Event>) {
        for (event in events) with(event.info) {
            show(
                "index" to index, "kind" to kind, "type" to type, "sequence_number" to sequenceNumber, "item_id" to itemId,
                "output_index" to outputIndex, "content_index" to contentIndex, "summary_index" to summaryIndex,
                "offset" to offset, "delta" to delta, "text" to text, "raw" to raw,
            )
        }
        // An error after events is thrown by the next call.
        if (events.isNotEmpty()) reader.ensureReading()
    }

    override fun verb(verb: String, word: String?) = when (verb) {
        "feed" -> events(reader.feed(bytes(word)))
        "feed_json" -> events(reader.feedJson(text(word)))
        "request" -> reader.noteRequest(text(word))
        "reconnect" -> reader.reconnect()
        "resume" -> reader = reader.use { Reader.restore(it.save(), options) }
        else -> super.verb(verb, word)
    }

    override fun end(over: Boolean) {
        try {
            if (!over) {
                events(reader.end())
                reader.finish()
            }
        } catch (error: DeltafoldException) {
            printError(error)
        }
        try {
            reader.finish()
        } catch (_: DeltafoldException) {
            // The error was printed; the data that was read stays readable.
        }
        show(
            "outcome" to outcome(reader.outcome()!!), "response" to Json(reader.response().use { it.toJson() }),
            "output_text" to reader.response().use { it.outputText() }, "findings" to reader.findings().map(::finding),
            "last_sequence_number" to reader.lastSequenceNumber(), "activity" to reader.activity(),
        )
        reader.close()
    }
}

private class Partial(val partial: PartialJson) : Thing(partial) {
    override fun verb(verb: String, word: String?) = try {
        partial.push(text(word))
    } finally {
        show("value" to partial.value(), "unfinished" to partial.unfinished()?.let { listOf(it.path, it.type) })
    }

    override fun end(over: Boolean) {
        try {
            if (!over) partial.finish()
        } catch (error: DeltafoldException) {
            printError(error)
        }
        show("value" to partial.value(), "complete" to partial.isComplete(), "changes" to Json(partial.takeChanges()))
    }
}

private class Write(val writer: Writer) : Thing(writer) {
    override val goesOn = true

    override fun verb(verb: String, word: String?) {
        val item = writer.apply(text(word))
        show("item" to item, "bytes" to hexes.formatHex(writer.take()))
    }

    override fun end(over: Boolean) = show("response" to Json(writer.responseJson()))
}

private class Convert(val converter: Converter) : Thing(converter) {
    private fun step(step: () -> ByteArray) = try {
        show(step())
    } catch (error: DeltafoldException) {
        show(converter.take())
        throw error
    }

    override fun verb(verb: String, word: String?) = step { if (verb == "cancel") converter.cancel() else converter.feed(bytes(word)) }

    override fun end(over: Boolean) {
        val failed = runCatching { step { if (over) converter.take() else converter.finish() } }.exceptionOrNull()
        out.println(converter.report())
        if (failed != null) printError(failed as? DeltafoldException ?: throw failed)
    }
}

private class Validate(val what: String, val options: String) : Thing(null) {
    override fun verb(verb: String, word: String?) = out.println(json(validateNamed(what, text(word), options).map(::finding)))
}

private class Ask(val what: String) : Thing(null) {
    override fun verb(verb: String, word: String?) = out.println(requestNamed(what, text(word)))
}

private class Loop(val tools: ToolLoop) : Thing(tools) {
    override val goesOn = true

    private fun print() = show("loop" to Json(tools.toJson()), "request" to Json(tools.request()))

    override fun verb(verb: String, word: String?) {
        tools.apply(text(word))
        print()
    }

    override fun result(callId: String, word: String?) {
        tools.result(text(callId), text(word))
        print()
    }
}

private fun make(word: String, rest: List<String>): Thing? = when (word) {
    "sse" -> Sse(SseDecoder(text(rest.firstOrNull())))
    "reader" -> Read(text(rest.firstOrNull()))
    "partial" -> Partial(PartialJson(text(rest.firstOrNull())))
    "writer" -> Write(Writer.fromJson(text(rest.firstOrNull())))
    "convert" -> Convert(Converter.fromJson(text(rest.firstOrNull())))
    "validate" -> Validate(rest[0], text(rest.getOrNull(1)))
    "ask" -> Ask(rest[0])
    "loop" -> Loop(ToolLoop.fromJson(text(rest.firstOrNull())))
    else -> null
}

private val makers = setOf("sse", "reader", "partial", "writer", "convert", "validate", "ask", "loop")
private val verbs = setOf("feed", "feed_json", "request", "reconnect", "resume", "do", "cancel", "response", "result")

fun main() {
    var thing: Thing? = null
    var over = false
    for (line in BufferedReader(InputStreamReader(System.`in`, Charsets.US_ASCII), 1 shl 16).lineSequence()) {
        val words = line.split(' ')
        try {
            when (val word = words[0]) {
                in makers -> {
                    thing?.held?.close()
                    thing = null
                    over = false
                    thing = make(word, words.drop(1))
                }
                in verbs -> if (thing != null && !over) {
                    over = word == "cancel"
                    if (word == "result") thing.result(words[1], words.getOrNull(2)) else thing.verb(word, words.getOrNull(1))
                }
                "end" -> {
                    thing?.end(over)
                    thing?.held?.close()
                    thing = null
                    show("end" to true)
                    out.flush()
                }
                else -> exitProcess(2)
            }
        } catch (error: DeltafoldException) {
            printError(error)
            over = thing?.goesOn != true
        }
    }
    out.flush()
}
