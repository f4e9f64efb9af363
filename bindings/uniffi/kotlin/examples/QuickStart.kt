import deltafold.*
import java.io.File

fun main() = Reader().use { reader ->
    for (event in File("examples/streams/tour.sse").inputStream().responseEvents(reader)) {
        when (event) {
            is Event.OutputTextDelta -> print(event.delta)
            is Event.Extension -> System.err.println("kept: ${event.type}")
            is Event.Unknown -> System.err.println("kept: ${event.type}")
            else -> {}
        }
    }
    println()
    for (call in reader.response().items().filter { it.type == "function_call" }) println("${call.name} ${call.arguments}")
    println("${reader.finish().name}, ${reader.findings().size} findings")
}
// The canal path from Écluse-Neuve to Port-Brun is 38 km and closed to cars. Let me look at the weather and the way back. 🚲
// get_forecast {"place":"Port-Brun","day":"2026-04-25"}
// find_trains {"from":"Port-Brun","to":"Écluse-Neuve","bikes":2}
// completed, 0 findings
