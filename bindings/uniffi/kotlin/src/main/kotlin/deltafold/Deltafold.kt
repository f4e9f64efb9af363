package deltafold

import java.io.InputStream

/** The API for Java: static methods without companions, default arguments and suspending functions. */
object Deltafold {
    /** The version of the library. */
    @JvmStatic
    fun libraryVersion(): String = version()

    /** Creates a reader from options as JSON text, such as `{"strict":true}`; see [ReaderOptions] for the names. */
    @JvmStatic
    @JvmOverloads
    fun reader(options: String = ""): Reader = Reader.fromJson(options)

    /** Restores a reader from a saved state. */
    @JvmStatic
    @JvmOverloads
    fun restore(saved: ByteArray, options: String = ""): Reader = Reader.restore(saved, options)

    /** The events of a stream of bytes, read on demand; they can be iterated once. */
    @JvmStatic
    fun events(stream: InputStream, reader: Reader): Iterable<Event> = stream.responseEvents(reader).constrainOnce().asIterable()

    /** The fields that every event has. */
    @JvmStatic
    fun info(event: Event): EventInfo = event.info

    /** Creates a writer from options as JSON text: `id`, `model`, `created_at` and more. */
    @JvmStatic
    fun writer(options: String): Writer = Writer.fromJson(options)

    /** Creates a converter to a dialect; the source dialect is detected unless it is given. */
    @JvmStatic
    @JvmOverloads
    fun converter(to: String, from: String? = null): Converter = Converter(to, from)

    /** Checks a whole stream against every rule of a profile. */
    @JvmStatic
    @JvmOverloads
    fun checkStream(stream: ByteArray, profile: String = "open-responses"): Report = check(stream, ReaderOptions(profile = profile))

    /** The code of an error, such as `limit.line`. */
    @JvmStatic
    fun code(error: DeltafoldException): String = error.code
}
