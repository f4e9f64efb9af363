/* The header compiles, its macros agree with the library, and bytes split anywhere give the expected frames. */

#include "check.h"

static void versions_agree(void) {
    CHECK(strcmp(dfold_version(), DFOLD_VERSION) == 0);
    CHECK(dfold_abi_version() == DFOLD_ABI_VERSION);
}

static void every_status_has_a_sentence(void) {
    CHECK(strcmp(dfold_status_str(DFOLD_LIMIT_LINE), "a line is longer than the limit") == 0);
    CHECK(strcmp(dfold_status_str(DFOLD_OK), "the call succeeded") == 0);
    CHECK(strcmp(dfold_status_str(12345), "not a status of this library") == 0);
    CHECK(equals(dfold_status_name(DFOLD_LIMIT_LINE), "limit.line"));
    CHECK(equals(dfold_status_name(DFOLD_OK), ""));
}

static const char STREAM[] = "event: greeting\ndata: hel\ndata: lo\nid: 7\r\n\r\n: idle\ndata: \xc3\x89\n\n";

/* Feeds the stream `step` bytes at a time. */
static void frames_do_not_depend_on_the_split(size_t step) {
    const size_t len = sizeof STREAM - 1;
    size_t start;
    int seen = 0;
    dfold_sse *decoder = NULL;
    CHECK(dfold_sse_new(&decoder) == DFOLD_OK);
    for (start = 0; start < len; start += step) {
        const uint8_t *chunk = (const uint8_t *)STREAM + start;
        size_t size = len - start < step ? len - start : step;
        size_t at = 0;
        dfold_signal signal;
        int status;
        while ((status = dfold_sse_next(decoder, chunk, size, &at, &signal)) == DFOLD_OK) {
            switch (seen++) {
            case 0:
                CHECK(signal.kind == DFOLD_SIGNAL_FRAME);
                CHECK(equals(signal.event, "greeting"));
                CHECK(equals(signal.data, "hel\nlo"));
                CHECK(equals(signal.id, "7"));
                CHECK(!signal.has_retry);
                break;
            case 1:
                CHECK(signal.kind == DFOLD_SIGNAL_COMMENT);
                CHECK(equals(signal.data, " idle"));
                break;
            case 2:
                CHECK(signal.kind == DFOLD_SIGNAL_FRAME);
                CHECK(equals(signal.event, ""));
                CHECK(equals(signal.data, "\xc3\x89"));
                break;
            default:
                CHECK(!"a fourth signal");
            }
        }
        CHECK(status == DFOLD_NO_MORE);
        CHECK(at == size);
    }
    CHECK(seen == 3);
    dfold_sse_free(decoder);
}

int main(void) {
    size_t step;
    versions_agree();
    every_status_has_a_sentence();
    for (step = 1; step <= sizeof STREAM; step++) {
        frames_do_not_depend_on_the_split(step);
    }
    return report("basics");
}
