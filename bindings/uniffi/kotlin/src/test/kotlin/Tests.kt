// The behavior that only the Kotlin package has: types, sequences, flows, threads, memory. Every test is a function; a failure names it.

import deltafold.*
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import java.io.File
import java.nio.charset.CharacterCodingException
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import kotlin.system.exitProcess

private val tour = File("examples/streams/tour.sse").readBytes()
private const val THREADS = 8

private fun same(expected: Any?, found: Any?) = check(expected == found) { "expected $expected, found $found" }

private inline fun <reified E : Throwable> thrown(act: () -> Unit): E {
    try {
        act()
    } catch (error: Throwable) {
        return error as? E ?: throw IllegalStateException("expected ${E::class}, found $error", error)
    }
    error("expected ${E::class}, nothing was thrown")
}

private fun chunks(size: Int) = tour.asList().chunked(size) { it.toByteArray() }

private fun delta(text: String) =
    ("data: {\"type\":\"response.output_text.delta\",\"sequence_number\":0,\"item_id\":\"msg_1\",\"output_index\":0," +
        "\"content_index\":0,\"delta\":\"$text\"}\n\n").toByteArray()

private fun <T> together(work: (Int) -> T): List<T> {
    val pool = Executors.newFixedThreadPool(THREADS)
    try {
        return pool.invokeAll((0 until THREADS).map { Callable { work(it) } }).map { it.get() }
    } finally {
        pool.shutdown()
    }
}

private fun sequencesAndFlowsHaveTheSameEvents() {
    val whole = Reader().use { it.feed(tour) + it.end() }
    same(40, whole.size)
    same(whole, chunks(7).asSequence().responseEvents().toList())
    same(whole, tour.inputStream().responseEvents().toList())
    same(whole, runBlocking { chunks(7).asFlow().responseEvents().toList() })
    same(whole.first(), runBlocking { chunks(7).asFlow().responseEvents().first() })
    same(whole.take(3), chunks(7).asSequence().responseEvents().take(3).toList())
}

private fun unknownAndExtensionEventsKeepTheirPayload() = Reader().use { reader ->
    val unknown = reader.feedJson("{\"type\":\"response.brand_new\",\"x\":1e400}").single()
    check(unknown is Event.Unknown) { unknown }
    same("response.brand_new", unknown.type)
    same("{\"type\":\"response.brand_new\",\"x\":1e400}", unknown.raw)
    val extension = reader.feedJson("{\"type\":\"acme:trace\",\"sequence_number\":3}").single()
    check(extension is Event.Extension && extension.type == "acme:trace" && extension.sequenceNumber == 3L) { extension }
}

private fun errorsHaveCodeNumberAndMessage() {
    val refused = thrown<DeltafoldException.Misuse> { Reader.fromJson("{\"strickt\":true}") }
    same("misuse.unknown_name", refused.code)
    same(23, refused.number)
    check(refused.message.contains("no option is called strickt")) { refused.message }
    val limit = thrown<DeltafoldException.Limit> { Reader(ReaderOptions(limits = mapOf("line_bytes" to 8L))).feed(tour) }
    same("limit.line", (limit as DeltafoldException).code)
    val strict = Reader(ReaderOptions(strict = true))
    thrown<DeltafoldException.Violation> { strict.feed(delta("a")) }
    thrown<DeltafoldException.Violation> { strict.ensureReading() }
    thrown<DeltafoldException.Violation> { sequenceOf(delta("a")).responseEvents(strict).toList() }
    same(codes().size, codes().map { it.number }.toSet().size)
}

private fun everyCallOnAClosedReaderFails() {
    val reader = Reader()
    val view = reader.response()
    reader.feed(tour)
    reader.close()
    reader.close()
    check(thrown<IllegalStateException> { reader.feed(tour) }.message!!.contains("destroyed"))
    thrown<IllegalStateException> { reader.findings() }
    // A view keeps its contents alive.
    same("resp_tour", view.id())
    val released = Reader()
    released.release()
    same("misuse.after_finish", thrown<DeltafoldException.Misuse> { released.feed(tour) }.code)
}

private fun oneReaderPerThreadRunsInParallel() {
    val texts = together { thread ->
        Reader().use { reader ->
            for (chunk in chunks(50 + thread)) reader.feed(chunk)
            reader.finish()
            reader.response().use { it.toJson() }
        }
    }
    same(1, texts.toSet().size)
}

private fun callsOnASharedReaderAreSerialized() = Reader().use { reader ->
    val rounds = 200
    val events = together { thread -> (0 until rounds).sumOf { reader.feedJson("{\"type\":\"acme:t$thread\",\"n\":$it}").size } }
    same((THREADS * rounds).toLong(), events.sum().toLong())
    same((THREADS * rounds).toLong(), reader.eventCount())
}

private fun closingWhileOtherThreadsReadIsSafe() = repeat(20) {
    val reader = Reader()
    val ended = together { thread ->
        if (thread == 0) {
            reader.close()
            "closed"
        } else {
            runCatching { repeat(20) { reader.feedJson("{\"type\":\"acme:t\"}") } }.exceptionOrNull()?.javaClass?.simpleName
        }
    }
    check(ended.drop(1).all { it == null || it == "IllegalStateException" }) { ended }
}

private fun unusedReadersAreCollected() {
    val runtime = Runtime.getRuntime()
    fun storm(count: Int) = repeat(count) {
        val reader = Reader()
        reader.feed(delta("x"))
        reader.response().outputText()
        if (it % 1_000 == 999) System.gc()
    }
    storm(2_000)
    val before = resident()
    storm(6_000)
    System.gc()
    check(resident() - before < 96L shl 20) { "grew by ${(resident() - before) shr 20} MiB of ${runtime.maxMemory() shr 20}" }
}

private fun resident() = File("/proc/self/statm").readText().split(' ')[1].toLong() * 4096

private fun textMayContainNul() = Reader().use { reader ->
    same("a\u0000b", reader.feed(delta("a\\u0000b")).single().delta)
    same("a\u0000b", reader.response().outputText())
    Writer("resp_1", "m-1", 0).use { writer ->
        writer.message()
        writer.text("c\u0000d")
        writer.complete()
        same("c\u0000d", Reader().use { it.feed(writer.take()); it.response().outputText() })
    }
}

private fun aLoneSurrogateIsRefusedOrKeptRaw() {
    Writer("resp_1", "m-1", 0).use { writer ->
        writer.message()
        thrown<CharacterCodingException> { writer.text("a\uD800") }
        writer.text("\uD83D\uDEB2")
        writer.complete()
        same("\uD83D\uDEB2", Reader().use { it.feed(writer.take()); it.response().outputText() })
    }
    Reader().use { reader ->
        thrown<CharacterCodingException> { reader.feedJson("{\"type\":\"\uD800\"}") }
        val event = reader.feed(delta("a\\ud800b")).single()
        check(event.raw.contains("a\\ud800b")) { event.raw }
        check(event.delta.none { it.isSurrogate() }) { event.delta }
    }
}

private fun oneCallMayPassSixteenMegabytes() {
    val bytes = 16 shl 20
    val limits = listOf("line_bytes", "frame_bytes", "buffered_bytes", "response_bytes").associateWith { 1L shl 26 }
    Reader(ReaderOptions(limits = limits)).use { reader ->
        val event = reader.feed(delta("x".repeat(bytes))).single()
        same(bytes, event.delta.length)
        same(bytes, reader.response().outputText().length)
    }
}

private fun aWrittenStreamIsRead() = Writer("resp_1", "m-1", 5).use { writer ->
    writer.message()
    writer.text("Hi")
    val call = writer.functionCall("call_1", "lookup")
    writer.arguments("{\"q\":1}", call)
    writer.complete(Usage(inputTokens = 3, outputTokens = 2, cachedTokens = 1))
    val bytes = writer.take()
    Reader().use { reader ->
        same(null, reader.usage())
        reader.feed(bytes)
        same(Usage(inputTokens = 3, outputTokens = 2, totalTokens = 5, cachedTokens = 1), reader.usage())
        same(reader.usage(), reader.response().usage())
    }
    val report = check(bytes)
    check(report.passed && report.outcome is Outcome.Completed) { report }
    val chat = convert(bytes, "chat-completions")
    check(String(chat.bytes).contains("chat.completion.chunk"))
    same("misuse.intent", thrown<DeltafoldException.Misuse> { writer.text("late") }.code)
}

private fun secondsOf(name: String, stream: ByteArray) =
    Regex("\"$name\":(\\d+)").findAll(String(stream)).last().groupValues[1].toLong()

private fun timesAreThoseOfTheClockUnlessTheyAreGiven() {
    val before = System.currentTimeMillis() / 1000
    val isNow = { seconds: Long -> check(seconds in before..System.currentTimeMillis() / 1000) { seconds } }
    Writer("resp_1", "m-1").use { writer ->
        writer.complete()
        val stream = writer.take()
        isNow(secondsOf("created_at", stream))
        isNow(secondsOf("completed_at", stream))
    }
    Writer("resp_1", "m-1", 0).use { writer ->
        writer.complete()
        same(0L, secondsOf("created_at", writer.take()))
    }
    Writer.fromJson("{\"id\":\"resp_1\"}").use { writer ->
        writer.complete()
        isNow(secondsOf("created_at", writer.take()))
    }
    val gemini = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]},\"finishReason\":\"STOP\"}],\"responseId\":\"r\"}\n\n"
    isNow(secondsOf("created_at", convert(gemini.toByteArray(), "open-responses", "gemini").bytes))
}

private fun aSourceThatBreaksOffEndsWithATerminalEvent() = Writer("resp_1", "m-1", 5).use { writer ->
    writer.message()
    writer.text("Hi")
    val half = writer.take()
    for (to in listOf("open-responses", "chat-completions", "anthropic", "ui-message-stream")) {
        Converter(to).use { converter ->
            converter.feed(half)
            check(String(converter.finish()).contains("ended before a terminal event")) { to }
        }
    }
}

private fun requestsContinueAfterResponses() {
    val request = "{\"model\":\"m-1\",\"input\":\"Hi\",\"tools\":[{\"type\":\"function\",\"name\":\"lookup\",\"parameters\":{}}]}"
    val call = "{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"lookup\",\"arguments\":\"{}\",\"status\":\"completed\"}"
    ToolLoop(request).use { loop ->
        same("waiting", loop.apply("{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[$call]}"))
        check(loop.pending().contains("call_1"))
        same("ready", loop.result("call_1", "\"42\""))
        check(loop.request().contains("function_call_output"))
    }
    check(enforce(request, "{\"output\":[$call]}").contains("\"allowed\":true"))
    check(history(request, "[{\"response\":{\"id\":\"resp_1\",\"output\":[]}}]", "stateful").contains("resp_1"))
    same("SCHEMA-02", validateRequest("{\"model\":7,\"input\":\"Hi\"}", "split").first().rule)
    same("{\"a\":\"b\"}", partialJson("{\"a\":\"b"))
}

private const val CANARY = "K4N4RY"

/** Frames with errors in framing, schema and order, each with a canary in it. */
private val wrong = listOf(
    "{\"type\":\"response.created\",\"sequence_number\":\"$CANARY\",\"response\":{\"id\":\"$CANARY\",\"status\":\"$CANARY\",\"output\":[]}}",
    "{\"type\":\"response.output_text.delta\",\"sequence_number\":9,\"item_id\":\"$CANARY\",\"output_index\":3,\"content_index\":1,\"delta\":\"$CANARY\"}",
    "{\"type\":\"$CANARY\",\"sequence_number\":10}", CANARY,
    "{\"type\":\"response.failed\",\"sequence_number\":12,\"response\":{\"id\":\"$CANARY\",\"error\":{\"code\":\"$CANARY\",\"message\":\"$CANARY\"}}}",
).joinToString("") { "id: $CANARY\nevent: $CANARY\ndata: $it\n\n" }.toByteArray()

/** Events, items and outcomes are data classes, so their `toString` has the payload. No other `toString` quotes a payload. */
private fun noHandleFindingOrErrorQuotesAPayload() {
    val reader = Reader(ReaderOptions())
    check(reader.feed(wrong).any { it.delta == CANARY })
    val silent = mutableListOf<Any>(reader, reader.response(), reader.findings(), check(wrong).findings)
    check(reader.findings().isNotEmpty() && check(wrong).findings.size > 5)
    val writer = Writer("resp_1", "m-1", 5)
    silent += writer
    silent += thrown<DeltafoldException> {
        Reader(ReaderOptions(strict = true)).use { it.feed(wrong); it.feed(wrong) }
    }
    silent += thrown<DeltafoldException> {
        Reader(ReaderOptions(limits = mapOf("frame_bytes" to 20L))).use { it.feed(wrong); it.feed(wrong) }
    }
    silent += thrown<DeltafoldException> { Reader.restore(CANARY.toByteArray(), "") }
    silent += thrown<DeltafoldException> { writer.apply("{\"do\":\"text\",\"item\":7,\"text\":\"$CANARY\"}") }
    silent += thrown<DeltafoldException> { PartialJson().use { it.push("{\"a\":$CANARY") } }
    for (thing in silent) {
        val text = "$thing ${(thing as? Throwable)?.message} ${(thing as? Throwable)?.stackTraceToString()}"
        check(!text.contains(CANARY)) { text }
    }
}

fun main() {
    val tests = listOf(
        ::sequencesAndFlowsHaveTheSameEvents, ::unknownAndExtensionEventsKeepTheirPayload, ::errorsHaveCodeNumberAndMessage,
        ::everyCallOnAClosedReaderFails, ::oneReaderPerThreadRunsInParallel, ::callsOnASharedReaderAreSerialized, ::closingWhileOtherThreadsReadIsSafe,
        ::unusedReadersAreCollected, ::textMayContainNul, ::aLoneSurrogateIsRefusedOrKeptRaw, ::oneCallMayPassSixteenMegabytes,
        ::aWrittenStreamIsRead, ::timesAreThoseOfTheClockUnlessTheyAreGiven, ::aSourceThatBreaksOffEndsWithATerminalEvent,
        ::requestsContinueAfterResponses, ::noHandleFindingOrErrorQuotesAPayload,
    )
    var failed = 0
    for (test in tests) {
        val error = runCatching { test() }.exceptionOrNull()
        println("${if (error == null) "ok  " else "FAIL"} ${test.name}")
        error?.printStackTrace(System.out)
        if (error != null) failed++
    }
    println("${tests.size - failed} passed, $failed failed")
    if (failed > 0) exitProcess(1)
}
