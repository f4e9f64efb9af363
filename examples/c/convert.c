/* Converts the stream on standard input to another dialect on standard output:  convert FROM TO
 *
 * Example: convert open-responses anthropic < examples/streams/tour.sse */

#include <deltafold.h>

#include <stdio.h>

static void flush(dfold_converter *converter) {
    dfold_bytes bytes;
    if (dfold_converter_take(converter, &bytes) == DFOLD_OK) fwrite(bytes.data, 1, bytes.len, stdout);
    fflush(stdout);
}

int main(int argc, char **argv) {
    uint8_t chunk[4096];
    char options[200];
    size_t len;
    dfold_converter *converter = NULL;
    dfold_problem problem;
    dfold_bytes report;
    dfold_status status = DFOLD_OK;
    if (argc != 3) return 2;
    snprintf(options, sizeof options, "{\"from\":\"%.50s\",\"to\":\"%.50s\",\"options\":{\"now\":1767225600}}", argv[1], argv[2]);
    if (dfold_converter_new(dfold_view(options), &problem, &converter) != DFOLD_OK) {
        fprintf(stderr, "%s\n", problem.message);
        return 2;
    }
    /* Write the output that is ready at once, so that the program works in a pipe. */
    while (status == DFOLD_OK && (len = fread(chunk, 1, sizeof chunk, stdin)) > 0) {
        status = dfold_converter_feed(converter, chunk, len);
        flush(converter);
    }
    if (status == DFOLD_OK) status = dfold_converter_finish(converter);
    flush(converter);
    /* The report lists the data that the target dialect cannot express. */
    if (dfold_converter_report(converter, &report) == DFOLD_OK) {
        fprintf(stderr, "%.*s\n", (int)report.len, (const char *)report.data);
    }
    dfold_converter_free(converter);
    return status == DFOLD_OK ? 0 : 1;
}
