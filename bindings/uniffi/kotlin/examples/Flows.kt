import deltafold.*
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.filter
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import java.io.File

fun main() = runBlocking {
    // A client such as Ktor delivers chunks that are split anywhere, like these.
    val chunks = File("examples/streams/tour.sse").readBytes().asList().chunked(100) { it.toByteArray() }.asFlow()
    val deltas = chunks.responseEvents().filter { it is Event.OutputTextDelta }.map { it.delta }.toList()
    println(deltas.joinToString(""))
}
// The canal path from Écluse-Neuve to Port-Brun is 38 km and closed to cars. Let me look at the weather and the way back. 🚲
