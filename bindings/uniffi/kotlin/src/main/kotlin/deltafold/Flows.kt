@file:JvmName("Flows")

package deltafold

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/**
 * The events of these chunks, split anywhere. A cold flow: every collection reads again and needs a [reader] that is new or
 * was reset. The [reader] has the response and the findings; the caller closes it.
 */
fun Flow<ByteArray>.responseEvents(reader: Reader): Flow<Event> = flow {
    collect { chunk -> for (event in reader.feed(chunk)) emit(event) }
    for (event in reader.end()) emit(event)
    reader.finish()
}

/** The events of these chunks, with one reader per collection, which is closed at the end of the collection. */
fun Flow<ByteArray>.responseEvents(): Flow<Event> = flow {
    Reader().use { reader -> responseEvents(reader).collect { event -> emit(event) } }
}
