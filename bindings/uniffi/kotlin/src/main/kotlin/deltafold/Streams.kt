@file:JvmName("Streams")

package deltafold

import java.io.InputStream

private const val CHUNK_BYTES = 65_536

/**
 * The events of these chunks, split anywhere, read on demand. The [reader] has the response and the findings; the caller
 * closes it. An error that ends reading is thrown in place of the next event.
 */
fun Sequence<ByteArray>.responseEvents(reader: Reader): Sequence<Event> = sequence {
    for (chunk in this@responseEvents) yieldAll(reader.feed(chunk))
    yieldAll(reader.end())
    reader.finish()
}

/** The events of these chunks, with a reader that is closed at the end. */
fun Sequence<ByteArray>.responseEvents(): Sequence<Event> = sequence {
    Reader().use { reader -> yieldAll(responseEvents(reader)) }
}

/** The events of a stream of bytes, such as the body of an HTTP response. The stream is not closed. */
fun InputStream.responseEvents(reader: Reader): Sequence<Event> = chunks().responseEvents(reader)

/** The events of a stream of bytes, with a reader that is closed at the end. The stream is not closed. */
fun InputStream.responseEvents(): Sequence<Event> = chunks().responseEvents()

/** The bytes of a stream in chunks as they arrive. */
fun InputStream.chunks(): Sequence<ByteArray> = sequence {
    val buffer = ByteArray(CHUNK_BYTES)
    while (true) {
        val count = read(buffer)
        if (count < 0) break
        yield(buffer.copyOf(count))
    }
}
