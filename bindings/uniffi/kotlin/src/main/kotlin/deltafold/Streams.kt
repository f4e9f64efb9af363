@file:JvmName("Streams")

package deltafold

import java.io.InputStream

private const val CHUNK_BYTES = 65_536

/**
 * The events of these chunks, cut anywhere, read as they are asked for. The response and the findings are the [reader]'s, which
 * stays yours to close. What ends reading is thrown where the next event would be.
 */
fun Sequence<ByteArray>.responseEvents(reader: Reader): Sequence<Event> = sequence {
    for (chunk in this@responseEvents) yieldAll(reader.feed(chunk))
    yieldAll(reader.end())
    reader.finish()
}

/** The events of these chunks, for those who want nothing else. */
fun Sequence<ByteArray>.responseEvents(): Sequence<Event> = sequence {
    Reader().use { reader -> yieldAll(responseEvents(reader)) }
}

/** The events of a stream of bytes, such as the body of an HTTP response. The stream is not closed. */
fun InputStream.responseEvents(reader: Reader): Sequence<Event> = chunks().responseEvents(reader)

/** The events of a stream of bytes, for those who want nothing else. The stream is not closed. */
fun InputStream.responseEvents(): Sequence<Event> = chunks().responseEvents()

/** The bytes of a stream as they come. */
fun InputStream.chunks(): Sequence<ByteArray> = sequence {
    val buffer = ByteArray(CHUNK_BYTES)
    while (true) {
        val count = read(buffer)
        if (count < 0) break
        yield(buffer.copyOf(count))
    }
}
