/* Writes a stream as a server would send it: each intent writes the events it needs. */

#include <deltafold.h>

#include <stdio.h>

/* Prints the output that is ready; a server would write it to its socket. */
static void flush(dfold_writer *writer) {
    dfold_bytes bytes;
    if (dfold_writer_take(writer, &bytes) == DFOLD_OK) fwrite(bytes.data, 1, bytes.len, stdout);
}

int main(void) {
    dfold_writer *writer = NULL;
    dfold_writer_options options;
    dfold_usage usage = {7, 2, 0, 0, 0, 0};
    dfold_error error;
    uint32_t message;
    dfold_writer_options_init(&options, sizeof options);
    options.id = dfold_view("resp_1");
    options.model = dfold_view("m-1");
    options.created_at = 1767225600;
    if (dfold_writer_new(&options, &writer) != DFOLD_OK) return 2;

    dfold_writer_message(writer, &message);
    dfold_writer_text(writer, message, dfold_view("Hel"));
    dfold_writer_text(writer, message, dfold_view("lo"));
    flush(writer);
    dfold_writer_complete(writer, &usage);
    flush(writer);

    /* An intent that is invalid after the end fails and writes nothing. */
    if (dfold_writer_text(writer, message, dfold_view("late")) == DFOLD_MISUSE_INTENT) {
        dfold_writer_error(writer, &error);
        fprintf(stderr, "refused: %.*s\n", (int)error.message.len, (const char *)error.message.data);
    }
    dfold_writer_free(writer);
    return 0;
}
