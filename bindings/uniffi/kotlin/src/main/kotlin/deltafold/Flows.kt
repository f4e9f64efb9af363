@file:JvmName("Flows")

package deltafold

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/**
 * The events of these chunks, cut anywhere. Cold: every collection reads anew, so it needs a [reader] that is new or was reset.
 * The response and the findings are the [reader]'s, which stays yours to close.
 */
fun Flow<ByteArray>.responseEvents(reader: Reader): Flow<Event> = flow {
    collect { chunk -> for (event in reader.feed(chunk)) emit(event) }
    for (event in reader.end()) emit(event)
    reader.finish()
}

/** The events of these chunks, with a reader for each collection, which is closed when it ends, however it ends. */
fun Flow<ByteArray>.responseEvents(): Flow<Event> = flow {
    Reader().use { reader -> responseEvents(reader).collect { event -> emit(event) } }
}
