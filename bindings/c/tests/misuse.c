/* Every function, called as it must not be: a status each time, never a crash. A test of the crate compares the names here with
 * the header, so a new function cannot be forgotten. A handle that was freed may not be used again; that is documented, and
 * cannot be tested. */

#include "check.h"

static const dfold_bytes HUGE = {(const uint8_t *)"x", SIZE_MAX};
static const dfold_bytes NOWHERE = {NULL, 1};
static const uint8_t BYTE = 'x';

/* The caller frees it. */
static dfold_reader *new_reader(void) {
    dfold_reader *reader = NULL;
    CHECK(dfold_reader_new(NULL, &reader) == DFOLD_OK);
    return reader;
}

/* A pointer may not be NULL, lead nowhere, or be longer than memory; `call` is made with each. */
#define BAD_VIEWS(call)                     \
    do {                                    \
        dfold_bytes bad = NOWHERE;          \
        CHECK((call) == DFOLD_MISUSE);      \
        bad = HUGE;                         \
        CHECK((call) == DFOLD_MISUSE);      \
    } while (0)

#define NOT_UTF8(call)                          \
    do {                                        \
        dfold_bytes bad = dfold_view("\xff");   \
        CHECK((call) == DFOLD_MISUSE_ARGUMENT); \
    } while (0)

static void misuse_dfold_version(void) { CHECK(strlen(dfold_version()) > 0); }

static void misuse_dfold_abi_version(void) { CHECK(dfold_abi_version() == DFOLD_ABI_VERSION); }

static void misuse_dfold_status_str(void) { CHECK(strlen(dfold_status_str(INT32_MIN)) > 0); }

static void misuse_dfold_status_name(void) {
    CHECK(dfold_status_name(INT32_MAX).len == 0);
    CHECK(dfold_status_name(INT32_MAX).data != NULL);
}

static void misuse_dfold_view(void) {
    CHECK(dfold_view(NULL).len == 0);
    CHECK(dfold_view(NULL).data != NULL);
}

static void misuse_dfold_sse_new(void) { CHECK(dfold_sse_new(NULL) == DFOLD_MISUSE); }

static void misuse_dfold_sse_next(void) {
    dfold_sse *decoder = NULL;
    dfold_signal signal;
    size_t at = 0;
    CHECK(dfold_sse_new(&decoder) == DFOLD_OK);
    CHECK(dfold_sse_next(NULL, &BYTE, 1, &at, &signal) == DFOLD_MISUSE);
    CHECK(dfold_sse_next(decoder, NULL, 1, &at, &signal) == DFOLD_MISUSE);
    CHECK(dfold_sse_next(decoder, &BYTE, SIZE_MAX, &at, &signal) == DFOLD_MISUSE);
    CHECK(dfold_sse_next(decoder, &BYTE, 1, NULL, &signal) == DFOLD_MISUSE);
    CHECK(dfold_sse_next(decoder, &BYTE, 1, &at, NULL) == DFOLD_MISUSE);
    at = 2;
    CHECK(dfold_sse_next(decoder, &BYTE, 1, &at, &signal) == DFOLD_MISUSE);
    at = 0;
    CHECK(dfold_sse_next(decoder, NULL, 0, &at, &signal) == DFOLD_NO_MORE);
    dfold_sse_free(decoder);
}

static void misuse_dfold_sse_reset(void) { CHECK(dfold_sse_reset(NULL) == DFOLD_MISUSE); }

static void misuse_dfold_sse_free(void) {
    dfold_sse_free(NULL);
    dfold_sse_free(NULL);
}

static void misuse_dfold_reader_options_init(void) {
    dfold_reader_options options;
    CHECK(dfold_reader_options_init(NULL, sizeof options) == DFOLD_MISUSE);
    CHECK(dfold_reader_options_init(&options, 0) == DFOLD_MISUSE);
    CHECK(dfold_reader_options_init(&options, SIZE_MAX) == DFOLD_MISUSE);
}

static void misuse_dfold_reader_new(void) {
    dfold_reader *reader = NULL;
    dfold_reader_options options;
    CHECK(dfold_reader_new(NULL, NULL) == DFOLD_MISUSE);
    memset(&options, 0, sizeof options);
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_MISUSE);
    options.struct_size = SIZE_MAX;
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_MISUSE);
    CHECK(dfold_reader_options_init(&options, sizeof options) == DFOLD_OK);
    options.images = 77;
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_MISUSE_ARGUMENT);
    options.images = DFOLD_IMAGES_DROP;
    options.layers = 8;
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_MISUSE_ARGUMENT);
    options.layers = 0;
    options.profile = dfold_view("nobody");
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_MISUSE_UNKNOWN_NAME);
    options.profile = dfold_view("{");
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_JSON_SYNTAX);
    options.profile = HUGE;
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_MISUSE);
    options.profile = dfold_view("any");
    options.edition = dfold_view("1999");
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_MISUSE_UNKNOWN_NAME);
    options.edition = dfold_view("\xff");
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_MISUSE_ARGUMENT);
    CHECK(reader == NULL);
}

static void misuse_dfold_reader_restore(void) {
    dfold_reader *reader = NULL;
    CHECK(dfold_reader_restore(&BYTE, 1, NULL, NULL) == DFOLD_MISUSE);
    CHECK(dfold_reader_restore(NULL, 1, NULL, &reader) == DFOLD_MISUSE);
    CHECK(dfold_reader_restore(&BYTE, SIZE_MAX, NULL, &reader) == DFOLD_MISUSE);
    CHECK(dfold_reader_restore(NULL, 0, NULL, &reader) == DFOLD_SAVE_DAMAGED);
    CHECK(dfold_reader_restore(&BYTE, 1, NULL, &reader) == DFOLD_SAVE_DAMAGED);
    CHECK(reader == NULL);
}

static void misuse_dfold_reader_free(void) {
    dfold_reader_free(NULL);
    dfold_reader_free(NULL);
}

static void misuse_dfold_reader_reset(void) { CHECK(dfold_reader_reset(NULL) == DFOLD_MISUSE); }

static void misuse_dfold_reader_feed(void) {
    dfold_reader *reader = new_reader();
    dfold_outcome outcome;
    CHECK(dfold_reader_feed(NULL, &BYTE, 1) == DFOLD_MISUSE);
    CHECK(dfold_reader_feed(reader, NULL, 1) == DFOLD_MISUSE);
    CHECK(dfold_reader_feed(reader, &BYTE, SIZE_MAX) == DFOLD_MISUSE);
    CHECK(dfold_reader_feed(reader, NULL, 0) == DFOLD_OK);
    CHECK(dfold_reader_end(reader) == DFOLD_OK);
    CHECK(dfold_reader_feed(reader, &BYTE, 1) == DFOLD_MISUSE_AFTER_FINISH);
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK);
    CHECK(dfold_reader_feed(reader, &BYTE, 1) == DFOLD_MISUSE_AFTER_FINISH);
    dfold_reader_free(reader);
}

static void misuse_dfold_reader_feed_json(void) {
    dfold_reader *reader = new_reader();
    CHECK(dfold_reader_feed_json(NULL, &BYTE, 1) == DFOLD_MISUSE);
    CHECK(dfold_reader_feed_json(reader, NULL, 1) == DFOLD_MISUSE);
    CHECK(dfold_reader_feed_json(reader, &BYTE, SIZE_MAX) == DFOLD_MISUSE);
    CHECK(dfold_reader_feed_json(reader, bytes_of("\xff"), 1) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_reader_end(reader) == DFOLD_OK);
    CHECK(dfold_reader_feed_json(reader, bytes_of("{}"), 2) == DFOLD_MISUSE_AFTER_FINISH);
    dfold_reader_free(reader);
}

static void misuse_dfold_reader_end(void) { CHECK(dfold_reader_end(NULL) == DFOLD_MISUSE); }

static void misuse_dfold_reader_poll(void) {
    dfold_reader *reader = new_reader();
    dfold_event event;
    CHECK(dfold_reader_poll(NULL, &event) == DFOLD_MISUSE);
    /* An event that nobody can take is not lost. */
    CHECK(dfold_reader_feed_json(reader, bytes_of("{\"type\":\"keepalive\"}"), 20) == DFOLD_OK);
    CHECK(dfold_reader_poll(reader, NULL) == DFOLD_MISUSE);
    CHECK(dfold_reader_poll(reader, &event) == DFOLD_OK && event.kind == DFOLD_KIND_KEEPALIVE);
    CHECK(dfold_reader_poll(reader, &event) == DFOLD_NO_MORE);
    dfold_reader_free(reader);
}

static void misuse_dfold_event_get(void) {
    dfold_reader *reader = new_reader();
    dfold_value value;
    CHECK(dfold_event_get(NULL, dfold_view("/type"), &value) == DFOLD_MISUSE);
    CHECK(dfold_event_get(reader, dfold_view("/type"), NULL) == DFOLD_MISUSE);
    CHECK(dfold_event_get(reader, dfold_view("/type"), &value) == DFOLD_NO_MORE);
    BAD_VIEWS(dfold_event_get(reader, bad, &value));
    NOT_UTF8(dfold_event_get(reader, bad, &value));
    dfold_reader_free(reader);
}

static void misuse_dfold_reader_finish(void) {
    dfold_reader *reader = new_reader();
    dfold_outcome outcome;
    CHECK(dfold_reader_finish(NULL, &outcome) == DFOLD_MISUSE);
    CHECK(dfold_reader_finish(reader, NULL) == DFOLD_MISUSE);
    /* Before any byte, and twice. */
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK && outcome.kind == DFOLD_OUTCOME_TRUNCATED);
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK && outcome.kind == DFOLD_OUTCOME_TRUNCATED);
    dfold_reader_free(reader);
}

/* A getter with a handle and an output: NULL for either. `reader` has read nothing. */
#define GETTER(name, type, nothing)                \
    static void misuse_##name(void) {              \
        dfold_reader *reader = new_reader();       \
        type out;                                  \
        CHECK(name(NULL, &out) == DFOLD_MISUSE);   \
        CHECK(name(reader, NULL) == DFOLD_MISUSE);     \
        CHECK(name(reader, &out) == (nothing));    \
        dfold_reader_free(reader);                 \
    }

GETTER(dfold_reader_state, dfold_state, DFOLD_OK)
GETTER(dfold_reader_error, dfold_error, DFOLD_NO_MORE)
GETTER(dfold_reader_save, dfold_bytes, DFOLD_OK)
GETTER(dfold_reader_response, dfold_response, DFOLD_OK)
GETTER(dfold_reader_response_json, dfold_bytes, DFOLD_OK)
GETTER(dfold_reader_usage, dfold_usage, DFOLD_NO_MORE)
GETTER(dfold_reader_output_text, dfold_bytes, DFOLD_OK)

/* A getter with a position between the two. */
#define GETTER_AT(name, type)                                \
    static void misuse_##name(void) {                        \
        dfold_reader *reader = new_reader();                 \
        type out;                                            \
        CHECK(name(NULL, 0, &out) == DFOLD_MISUSE);          \
        CHECK(name(reader, 0, NULL) == DFOLD_MISUSE);            \
        CHECK(name(reader, 0, &out) == DFOLD_NO_MORE);       \
        CHECK(name(reader, SIZE_MAX, &out) == DFOLD_NO_MORE); \
        dfold_reader_free(reader);                           \
    }

GETTER_AT(dfold_reader_finding, dfold_finding)
GETTER_AT(dfold_reader_item, dfold_item)
GETTER_AT(dfold_reader_find_item, size_t)
GETTER_AT(dfold_reader_item_json, dfold_bytes)
GETTER_AT(dfold_reader_partial_arguments, dfold_bytes)

/* A getter with two positions. */
#define GETTER_AT_2(name, type)                                        \
    static void misuse_##name(void) {                                  \
        dfold_reader *reader = new_reader();                           \
        type out;                                                      \
        CHECK(name(NULL, 0, 0, &out) == DFOLD_MISUSE);                 \
        CHECK(name(reader, 0, 0, NULL) == DFOLD_MISUSE);                   \
        CHECK(name(reader, SIZE_MAX, SIZE_MAX, &out) == DFOLD_NO_MORE); \
        dfold_reader_free(reader);                                     \
    }

GETTER_AT_2(dfold_reader_part, dfold_part)
GETTER_AT_2(dfold_reader_summary_part, dfold_part)
GETTER_AT_2(dfold_reader_partial_json, dfold_bytes)
GETTER_AT_2(dfold_reader_partial_image, dfold_image)

static void misuse_dfold_reader_response_get(void) {
    dfold_reader *reader = new_reader();
    dfold_value value;
    CHECK(dfold_reader_response_get(NULL, dfold_view("/id"), &value) == DFOLD_MISUSE);
    CHECK(dfold_reader_response_get(reader, dfold_view("/id"), NULL) == DFOLD_MISUSE);
    CHECK(dfold_reader_response_get(reader, dfold_view("id"), &value) == DFOLD_NO_MORE);
    CHECK(dfold_reader_response_get(reader, dfold_view(""), &value) == DFOLD_NO_MORE);
    BAD_VIEWS(dfold_reader_response_get(reader, bad, &value));
    NOT_UTF8(dfold_reader_response_get(reader, bad, &value));
    dfold_reader_free(reader);
}

static void misuse_dfold_reader_item_get(void) {
    dfold_reader *reader = new_reader();
    dfold_value value;
    CHECK(dfold_reader_item_get(NULL, 0, dfold_view("/id"), &value) == DFOLD_MISUSE);
    CHECK(dfold_reader_item_get(reader, 0, dfold_view("/id"), NULL) == DFOLD_MISUSE);
    CHECK(dfold_reader_item_get(reader, SIZE_MAX, dfold_view("/id"), &value) == DFOLD_NO_MORE);
    BAD_VIEWS(dfold_reader_item_get(reader, 0, bad, &value));
    NOT_UTF8(dfold_reader_item_get(reader, 0, bad, &value));
    dfold_reader_free(reader);
}

int main(void) {
    misuse_dfold_version();
    misuse_dfold_abi_version();
    misuse_dfold_status_str();
    misuse_dfold_status_name();
    misuse_dfold_view();
    misuse_dfold_sse_new();
    misuse_dfold_sse_next();
    misuse_dfold_sse_reset();
    misuse_dfold_sse_free();
    misuse_dfold_reader_options_init();
    misuse_dfold_reader_new();
    misuse_dfold_reader_restore();
    misuse_dfold_reader_free();
    misuse_dfold_reader_reset();
    misuse_dfold_reader_feed();
    misuse_dfold_reader_feed_json();
    misuse_dfold_reader_end();
    misuse_dfold_reader_poll();
    misuse_dfold_event_get();
    misuse_dfold_reader_finish();
    misuse_dfold_reader_state();
    misuse_dfold_reader_error();
    misuse_dfold_reader_save();
    misuse_dfold_reader_response();
    misuse_dfold_reader_response_json();
    misuse_dfold_reader_usage();
    misuse_dfold_reader_output_text();
    misuse_dfold_reader_finding();
    misuse_dfold_reader_item();
    misuse_dfold_reader_find_item();
    misuse_dfold_reader_item_json();
    misuse_dfold_reader_partial_arguments();
    misuse_dfold_reader_part();
    misuse_dfold_reader_summary_part();
    misuse_dfold_reader_partial_json();
    misuse_dfold_reader_partial_image();
    misuse_dfold_reader_response_get();
    misuse_dfold_reader_item_get();
    return report("misuse");
}
