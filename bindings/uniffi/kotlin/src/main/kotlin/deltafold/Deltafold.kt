package deltafold

import java.io.InputStream

/** Everything for Java: no companion, no default arguments, no suspending functions. */
object Deltafold {
    /** The version of the library. */
    @JvmStatic
    fun libraryVersion(): String = version()

    /** Makes a reader from options as JSON text, such as `{"strict":true}`; see [ReaderOptions] for the names. */
    @JvmStatic
    @JvmOverloads
    fun reader(options: String = ""): Reader = Reader.fromJson(options)

    /** Takes a saved state up again. */
    @JvmStatic
    @JvmOverloads
    fun restore(saved: ByteArray, options: String = ""): Reader = Reader.restore(saved, options)

    /** The events of a stream of bytes, read as they are asked for; a `for` loop takes them once. */
    @JvmStatic
    fun events(stream: InputStream, reader: Reader): Iterable<Event> = stream.responseEvents(reader).constrainOnce().asIterable()

    /** What every event says, whichever member it is. */
    @JvmStatic
    fun info(event: Event): EventInfo = event.info

    /** Makes a writer from options as JSON text: `id`, `model`, `created_at` and more. */
    @JvmStatic
    fun writer(options: String): Writer = Writer.fromJson(options)

    /** Makes a converter to a dialect; the one that is read is detected unless it is named. */
    @JvmStatic
    @JvmOverloads
    fun converter(to: String, from: String? = null): Converter = Converter(to, from)

    /** Checks a whole stream against every rule of a profile. */
    @JvmStatic
    @JvmOverloads
    fun checkStream(stream: ByteArray, profile: String = "open-responses"): Report = check(stream, ReaderOptions(profile = profile))

    /** The exact cause of an error, such as `limit.line`. */
    @JvmStatic
    fun code(error: DeltafoldException): String = error.code
}
