/* Calls every function in ways that the header forbids: each call returns a status and none crashes. A Rust test compares the
 * names here with the header, so that no function is missing. The use of a freed handle is undefined behavior and not tested here. */

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

/* Runs `call` with a NULL view that has a length, and with an impossible length. */
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
    /* An event is not lost when the output pointer is NULL. */
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

static void misuse_dfold_reader_reconnect(void) {
    dfold_reader *reader = new_reader();
    dfold_outcome outcome;
    CHECK(dfold_reader_reconnect(NULL) == DFOLD_MISUSE);
    CHECK(dfold_reader_reconnect(reader) == DFOLD_OK);
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK);
    CHECK(dfold_reader_reconnect(reader) == DFOLD_MISUSE_AFTER_FINISH);
    dfold_reader_free(reader);
}

/* A getter with a handle and an output: NULL for either. `reader` has no input yet. */
#define GETTER(name, type, nothing)                \
    static void misuse_##name(void) {              \
        dfold_reader *reader = new_reader();       \
        type out;                                  \
        CHECK(name(NULL, &out) == DFOLD_MISUSE);   \
        CHECK(name(reader, NULL) == DFOLD_MISUSE);     \
        CHECK(name(reader, &out) == (nothing));    \
        dfold_reader_free(reader);                 \
    }

GETTER(dfold_reader_outcome, dfold_outcome, DFOLD_NO_MORE)
GETTER(dfold_reader_state, dfold_state, DFOLD_OK)
GETTER(dfold_reader_error, dfold_error, DFOLD_NO_MORE)
GETTER(dfold_reader_save, dfold_bytes, DFOLD_OK)
GETTER(dfold_reader_response, dfold_response, DFOLD_OK)
GETTER(dfold_reader_response_json, dfold_bytes, DFOLD_OK)
GETTER(dfold_reader_usage, dfold_usage, DFOLD_NO_MORE)
GETTER(dfold_reader_output_text, dfold_bytes, DFOLD_OK)

/* A getter with one position. */
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

static void misuse_dfold_kind_name(void) {
    CHECK(equals(dfold_kind_name(INT32_MIN), "unknown"));
    CHECK(equals(dfold_kind_name(DFOLD_KIND_CREATED), "response.created"));
}

static void misuse_dfold_detect(void) {
    CHECK(dfold_detect(NULL, 0).len == 0);
    CHECK(dfold_detect(NULL, 1).len == 0);
    CHECK(dfold_detect(&BYTE, SIZE_MAX).len == 0);
}

static void misuse_dfold_is_valid_extension_type(void) {
    const dfold_bytes nothing = {NULL, 0}, missing = {NULL, 1}, invalid = {&BYTE, SIZE_MAX};
    CHECK(dfold_is_valid_extension_type(dfold_view("acme:note")) == 1);
    CHECK(dfold_is_valid_extension_type(dfold_view("note")) == 0);
    CHECK(dfold_is_valid_extension_type(dfold_view("acme:a note")) == 0);
    CHECK(dfold_is_valid_extension_type(nothing) == 0);
    CHECK(dfold_is_valid_extension_type(missing) == 0);
    CHECK(dfold_is_valid_extension_type(invalid) == 0);
}

static void misuse_dfold_is_terminal_status(void) {
    const dfold_bytes nothing = {NULL, 0}, missing = {NULL, 3};
    CHECK(dfold_is_terminal_status(dfold_view("failed")) == 1);
    CHECK(dfold_is_terminal_status(dfold_view("searching")) == 0);
    CHECK(dfold_is_terminal_status(dfold_view("done")) == 0);
    CHECK(dfold_is_terminal_status(nothing) == 0);
    CHECK(dfold_is_terminal_status(missing) == 0);
}

static void misuse_dfold_is_success_status(void) {
    const dfold_bytes nothing = {NULL, 0}, missing = {NULL, 3};
    CHECK(dfold_is_success_status(dfold_view("completed")) == 1);
    CHECK(dfold_is_success_status(dfold_view("failed")) == 0);
    CHECK(dfold_is_success_status(dfold_view("done")) == 0);
    CHECK(dfold_is_success_status(nothing) == 0);
    CHECK(dfold_is_success_status(missing) == 0);
}

/* A constructor that takes JSON text: NULL, bad views, text that is not JSON, unknown names. */
#define MAKER(name, handle, free)                                                        \
    static void misuse_##name(void) {                                                    \
        handle *made = NULL;                                                             \
        dfold_problem problem;                                                           \
        CHECK(name(dfold_view("{}"), NULL, NULL) == DFOLD_MISUSE);                       \
        BAD_VIEWS(name(bad, NULL, &made));                                               \
        NOT_UTF8(name(bad, NULL, &made));                                                \
        memset(&problem, 0, sizeof problem);                                             \
        CHECK(name(dfold_view("{\"nobody\":1}"), &problem, &made) != DFOLD_OK);          \
        CHECK(problem.status != DFOLD_OK && strlen(problem.message) > 0);                \
        CHECK(name(dfold_view("{"), &problem, &made) == problem.status);                 \
        CHECK(problem.status == DFOLD_JSON_SYNTAX || problem.status == DFOLD_MISUSE_ARGUMENT); \
        CHECK(name(dfold_view("[]"), NULL, &made) == DFOLD_MISUSE_ARGUMENT);             \
        CHECK(made == NULL);                                                             \
        free(made);                                                                      \
    }

MAKER(dfold_sse_new_json, dfold_sse, dfold_sse_free)
MAKER(dfold_reader_new_json, dfold_reader, dfold_reader_free)
MAKER(dfold_writer_new_json, dfold_writer, dfold_writer_free)
MAKER(dfold_converter_new, dfold_converter, dfold_converter_free)
MAKER(dfold_partial_new, dfold_partial, dfold_partial_free)
MAKER(dfold_tool_loop_new, dfold_tool_loop, dfold_tool_loop_free)

static void misuse_dfold_sse_error(void) {
    dfold_sse *decoder = NULL;
    dfold_error error;
    CHECK(dfold_sse_new(&decoder) == DFOLD_OK);
    CHECK(dfold_sse_error(NULL, &error) == DFOLD_MISUSE);
    CHECK(dfold_sse_error(decoder, NULL) == DFOLD_MISUSE);
    CHECK(dfold_sse_error(decoder, &error) == DFOLD_NO_MORE);
    dfold_sse_free(decoder);
}

static void misuse_dfold_reader_restore_json(void) {
    dfold_reader *reader = NULL;
    dfold_problem problem;
    CHECK(dfold_reader_restore_json(&BYTE, 1, dfold_view(""), NULL, NULL) == DFOLD_MISUSE);
    CHECK(dfold_reader_restore_json(NULL, 1, dfold_view(""), NULL, &reader) == DFOLD_MISUSE);
    CHECK(dfold_reader_restore_json(&BYTE, SIZE_MAX, dfold_view(""), NULL, &reader) == DFOLD_MISUSE);
    CHECK(dfold_reader_restore_json(&BYTE, 1, dfold_view("{"), &problem, &reader) == DFOLD_JSON_SYNTAX);
    CHECK(dfold_reader_restore_json(&BYTE, 1, dfold_view(""), &problem, &reader) == DFOLD_SAVE_DAMAGED);
    CHECK(problem.status == DFOLD_SAVE_DAMAGED);
    BAD_VIEWS(dfold_reader_restore_json(&BYTE, 1, bad, NULL, &reader));
    CHECK(reader == NULL);
}

static void misuse_dfold_reader_note_request(void) {
    dfold_reader *reader = new_reader();
    CHECK(dfold_reader_note_request(NULL, &BYTE, 1) == DFOLD_MISUSE);
    CHECK(dfold_reader_note_request(reader, NULL, 1) == DFOLD_MISUSE);
    CHECK(dfold_reader_note_request(reader, &BYTE, SIZE_MAX) == DFOLD_MISUSE);
    CHECK(dfold_reader_note_request(reader, &BYTE, 1) == DFOLD_JSON_SYNTAX);
    dfold_reader_free(reader);
}

static void misuse_dfold_reader_note_head(void) {
    dfold_reader *reader = new_reader();
    dfold_header header;
    header.name = dfold_view("retry-after");
    header.value = HUGE;
    CHECK(dfold_reader_note_head(NULL, 200, NULL, 0) == DFOLD_MISUSE);
    CHECK(dfold_reader_note_head(reader, 200, NULL, 1) == DFOLD_MISUSE);
    CHECK(dfold_reader_note_head(reader, 200, &header, SIZE_MAX) == DFOLD_MISUSE);
    CHECK(dfold_reader_note_head(reader, 200, &header, 1) == DFOLD_MISUSE);
    header.value = dfold_view("\xff");
    CHECK(dfold_reader_note_head(reader, 200, &header, 1) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_reader_note_head(reader, 70000, NULL, 0) == DFOLD_MISUSE_ARGUMENT);
    dfold_reader_free(reader);
}

/* Free with NULL, twice. */
#define FREE(name)                     \
    static void misuse_##name(void) {  \
        name(NULL);                    \
        name(NULL);                    \
    }

FREE(dfold_writer_free)
FREE(dfold_converter_free)
FREE(dfold_partial_free)
FREE(dfold_report_free)
FREE(dfold_text_free)
FREE(dfold_tool_loop_free)

static void misuse_dfold_writer_options_init(void) {
    dfold_writer_options options;
    CHECK(dfold_writer_options_init(NULL, sizeof options) == DFOLD_MISUSE);
    CHECK(dfold_writer_options_init(&options, 0) == DFOLD_MISUSE);
    CHECK(dfold_writer_options_init(&options, SIZE_MAX) == DFOLD_MISUSE);
}

static dfold_writer_options writer_options(void) {
    dfold_writer_options options;
    CHECK(dfold_writer_options_init(&options, sizeof options) == DFOLD_OK);
    options.id = dfold_view("resp_1");
    return options;
}

static dfold_writer *new_writer(void) {
    dfold_writer *writer = NULL;
    dfold_writer_options options = writer_options();
    CHECK(dfold_writer_new(&options, &writer) == DFOLD_OK);
    return writer;
}

static void misuse_dfold_writer_new(void) {
    dfold_writer *writer = NULL;
    dfold_writer_options options = writer_options();
    CHECK(dfold_writer_new(NULL, &writer) == DFOLD_MISUSE);
    CHECK(dfold_writer_new(&options, NULL) == DFOLD_MISUSE);
    options.reasoning_names = dfold_view("klingon");
    CHECK(dfold_writer_new(&options, &writer) == DFOLD_MISUSE_UNKNOWN_NAME);
    options = writer_options();
    options.edition = dfold_view("1999");
    CHECK(dfold_writer_new(&options, &writer) == DFOLD_MISUSE_UNKNOWN_NAME);
    options = writer_options();
    options.heartbeat = dfold_view("loud");
    CHECK(dfold_writer_new(&options, &writer) == DFOLD_MISUSE_UNKNOWN_NAME);
    options = writer_options();
    options.template_json = dfold_view("[]");
    CHECK(dfold_writer_new(&options, &writer) == DFOLD_MISUSE_ARGUMENT);
    options.template_json = dfold_view("{");
    CHECK(dfold_writer_new(&options, &writer) == DFOLD_JSON_SYNTAX);
    options = writer_options();
    options.request_json = HUGE;
    CHECK(dfold_writer_new(&options, &writer) == DFOLD_MISUSE);
    options.struct_size = 0;
    CHECK(dfold_writer_new(&options, &writer) == DFOLD_MISUSE);
    CHECK(writer == NULL);
}

/* An intent without arguments: NULL, and twice after the end, which fails and leaves the stream unchanged. */
#define INTENT(name, after_end)                                     \
    static void misuse_##name(void) {                               \
        dfold_writer *writer = new_writer();                        \
        CHECK(name(NULL) == DFOLD_MISUSE);                          \
        CHECK(dfold_writer_complete(writer, NULL) == DFOLD_OK);     \
        CHECK(name(writer) == (after_end));                         \
        dfold_writer_free(writer);                                  \
    }

INTENT(dfold_writer_queue, DFOLD_MISUSE_INTENT)
INTENT(dfold_writer_start, DFOLD_MISUSE_INTENT)
INTENT(dfold_writer_cancel, DFOLD_MISUSE_INTENT)
INTENT(dfold_writer_heartbeat, DFOLD_MISUSE_INTENT)

static void misuse_dfold_writer_set_now(void) { CHECK(dfold_writer_set_now(NULL, UINT64_MAX) == DFOLD_MISUSE); }

#define OPENER(name)                                             \
    static void misuse_##name(void) {                            \
        dfold_writer *writer = new_writer();                     \
        dfold_bytes bytes;                                       \
        uint32_t item = 7;                                       \
        CHECK(name(NULL, &item) == DFOLD_MISUSE);                \
        CHECK(name(writer, NULL) == DFOLD_MISUSE);               \
        /* A NULL output must not open an item. */ \
        CHECK(dfold_writer_take(writer, &bytes) == DFOLD_OK && bytes.len == 0); \
        CHECK(dfold_writer_complete(writer, NULL) == DFOLD_OK);  \
        CHECK(name(writer, &item) == DFOLD_MISUSE_INTENT);       \
        CHECK(item == 7);                                        \
        dfold_writer_free(writer);                               \
    }

OPENER(dfold_writer_message)
OPENER(dfold_writer_reasoning)

#define CALL_OPENER(name)                                                              \
    static void misuse_##name(void) {                                                  \
        dfold_writer *writer = new_writer();                                           \
        uint32_t item = 7;                                                             \
        CHECK(name(NULL, dfold_view("a"), dfold_view("b"), &item) == DFOLD_MISUSE);    \
        CHECK(name(writer, dfold_view("a"), dfold_view("b"), NULL) == DFOLD_MISUSE);   \
        BAD_VIEWS(name(writer, bad, dfold_view("b"), &item));                          \
        BAD_VIEWS(name(writer, dfold_view("a"), bad, &item));                          \
        NOT_UTF8(name(writer, dfold_view("a"), bad, &item));                           \
        CHECK(item == 7);                                                              \
        dfold_writer_free(writer);                                                     \
    }

CALL_OPENER(dfold_writer_function_call)
CALL_OPENER(dfold_writer_custom_tool_call)

static void misuse_dfold_writer_open(void) {
    dfold_writer *writer = new_writer();
    uint32_t item = 7;
    CHECK(dfold_writer_open(NULL, dfold_view("message"), dfold_view(""), &item) == DFOLD_MISUSE);
    CHECK(dfold_writer_open(writer, dfold_view("message"), dfold_view(""), NULL) == DFOLD_MISUSE);
    BAD_VIEWS(dfold_writer_open(writer, bad, dfold_view(""), &item));
    BAD_VIEWS(dfold_writer_open(writer, dfold_view("message"), bad, &item));
    CHECK(dfold_writer_open(writer, dfold_view("message"), dfold_view("["), &item) == DFOLD_JSON_SYNTAX);
    CHECK(dfold_writer_open(writer, dfold_view("message"), dfold_view("[]"), &item) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_writer_open(writer, dfold_view("nothing"), dfold_view(""), &item) == DFOLD_MISUSE_ARGUMENT);
    CHECK(item == 7);
    dfold_writer_free(writer);
}

#define DELTA(name)                                                              \
    static void misuse_##name(void) {                                            \
        dfold_writer *writer = new_writer();                                     \
        uint32_t item;                                                           \
        CHECK(name(NULL, 0, dfold_view("x")) == DFOLD_MISUSE);                   \
        CHECK(name(writer, 0, dfold_view("x")) != DFOLD_OK);                     \
        CHECK(name(writer, UINT32_MAX, dfold_view("x")) != DFOLD_OK);            \
        /* An item that takes none of these deltas. */                               \
        CHECK(dfold_writer_open(writer, dfold_view("acme:thing"), dfold_view(""), &item) == DFOLD_OK); \
        CHECK(name(writer, item, dfold_view("x")) != DFOLD_OK);                  \
        BAD_VIEWS(name(writer, item, bad));                                      \
        NOT_UTF8(name(writer, item, bad));                                       \
        dfold_writer_free(writer);                                               \
    }

DELTA(dfold_writer_text)
DELTA(dfold_writer_refusal)
DELTA(dfold_writer_reasoning_text)
DELTA(dfold_writer_reasoning_summary)
DELTA(dfold_writer_arguments)
DELTA(dfold_writer_input)

static void misuse_dfold_writer_close(void) {
    dfold_writer *writer = new_writer();
    uint32_t item;
    CHECK(dfold_writer_close(NULL, 0) == DFOLD_MISUSE);
    CHECK(dfold_writer_close(writer, 0) != DFOLD_OK);
    CHECK(dfold_writer_message(writer, &item) == DFOLD_OK);
    CHECK(dfold_writer_close(writer, item) == DFOLD_OK);
    CHECK(dfold_writer_close(writer, item) == DFOLD_MISUSE_INTENT);
    CHECK(dfold_writer_close(writer, UINT32_MAX) != DFOLD_OK);
    dfold_writer_free(writer);
}

static void misuse_dfold_writer_complete(void) {
    dfold_writer *writer = new_writer();
    dfold_usage usage;
    CHECK(dfold_writer_complete(NULL, NULL) == DFOLD_MISUSE);
    memset(&usage, 0, sizeof usage);
    usage.cached_tokens = 9;
    CHECK(dfold_writer_complete(writer, &usage) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_writer_complete(writer, NULL) == DFOLD_OK);
    CHECK(dfold_writer_complete(writer, NULL) == DFOLD_MISUSE_INTENT);
    dfold_writer_free(writer);
}

static void misuse_dfold_writer_incomplete(void) {
    dfold_writer *writer = new_writer();
    CHECK(dfold_writer_incomplete(NULL, dfold_view("why"), NULL) == DFOLD_MISUSE);
    CHECK(dfold_writer_incomplete(writer, dfold_view(""), NULL) == DFOLD_MISUSE_ARGUMENT);
    BAD_VIEWS(dfold_writer_incomplete(writer, bad, NULL));
    NOT_UTF8(dfold_writer_incomplete(writer, bad, NULL));
    dfold_writer_free(writer);
}

static void misuse_dfold_writer_fail(void) {
    dfold_writer *writer = new_writer();
    dfold_bytes none = dfold_view("");
    CHECK(dfold_writer_fail(NULL, none, none, dfold_view("it broke")) == DFOLD_MISUSE);
    CHECK(dfold_writer_fail(writer, dfold_view("bad_luck"), none, none) == DFOLD_MISUSE_ARGUMENT);
    BAD_VIEWS(dfold_writer_fail(writer, bad, none, none));
    BAD_VIEWS(dfold_writer_fail(writer, none, bad, none));
    BAD_VIEWS(dfold_writer_fail(writer, none, none, bad));
    CHECK(dfold_writer_fail(writer, none, none, dfold_view("it broke")) == DFOLD_OK);
    CHECK(dfold_writer_fail(writer, none, none, dfold_view("it broke")) == DFOLD_MISUSE_INTENT);
    dfold_writer_free(writer);
}

static void misuse_dfold_writer_apply_json(void) {
    dfold_writer *writer = new_writer();
    dfold_error error;
    uint32_t item = 7;
    CHECK(dfold_writer_apply_json(NULL, bytes_of("{}"), 2, &item) == DFOLD_MISUSE);
    CHECK(dfold_writer_apply_json(writer, NULL, 2, &item) == DFOLD_MISUSE);
    CHECK(dfold_writer_apply_json(writer, &BYTE, SIZE_MAX, &item) == DFOLD_MISUSE);
    CHECK(dfold_writer_apply_json(writer, bytes_of("{}"), 2, &item) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_writer_apply_json(writer, bytes_of("x"), 1, &item) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_writer_error(writer, &error) == DFOLD_OK && error.message.len > 0);
    CHECK(dfold_writer_apply_json(writer, bytes_of("{\"do\":\"close\"}"), 14, &item) == DFOLD_MISUSE_INTENT);
    CHECK(item == 7);
    CHECK(dfold_writer_apply_json(writer, bytes_of("{\"do\":\"message\"}"), 16, NULL) == DFOLD_OK);
    dfold_writer_free(writer);
}

/* A getter with a handle and an output, on a new handle. */
#define GETTER_OF(name, handle, make, free, type, nothing) \
    static void misuse_##name(void) {                      \
        handle *made = make();                             \
        type out;                                          \
        CHECK(name(NULL, &out) == DFOLD_MISUSE);           \
        CHECK(name(made, NULL) == DFOLD_MISUSE);           \
        CHECK(name(made, &out) == (nothing));              \
        free(made);                                        \
    }

GETTER(dfold_reader_findings_json, dfold_bytes, DFOLD_OK)
GETTER(dfold_reader_rate_limits_json, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_writer_take, dfold_writer, new_writer, dfold_writer_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_writer_poll, dfold_writer, new_writer, dfold_writer_free, dfold_bytes, DFOLD_NO_MORE)
GETTER_OF(dfold_writer_progress, dfold_writer, new_writer, dfold_writer_free, dfold_progress, DFOLD_OK)
GETTER_OF(dfold_writer_response_json, dfold_writer, new_writer, dfold_writer_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_writer_error, dfold_writer, new_writer, dfold_writer_free, dfold_error, DFOLD_NO_MORE)

static dfold_converter *new_converter(void) {
    dfold_converter *converter = NULL;
    CHECK(dfold_converter_new(dfold_view("{\"to\":\"open-responses\"}"), NULL, &converter) == DFOLD_OK);
    return converter;
}

static void misuse_dfold_converter_feed(void) {
    dfold_converter *converter = new_converter();
    CHECK(dfold_converter_feed(NULL, &BYTE, 1) == DFOLD_MISUSE);
    CHECK(dfold_converter_feed(converter, NULL, 1) == DFOLD_MISUSE);
    CHECK(dfold_converter_feed(converter, &BYTE, SIZE_MAX) == DFOLD_MISUSE);
    CHECK(dfold_converter_feed(converter, NULL, 0) == DFOLD_OK);
    CHECK(dfold_converter_finish(converter) == DFOLD_MISUSE_UNKNOWN_NAME);
    CHECK(dfold_converter_feed(converter, &BYTE, 1) != DFOLD_OK);
    dfold_converter_free(converter);
}

static void misuse_dfold_converter_finish(void) {
    dfold_converter *converter = new_converter();
    CHECK(dfold_converter_finish(NULL) == DFOLD_MISUSE);
    CHECK(dfold_converter_finish(converter) != DFOLD_OK);
    CHECK(dfold_converter_finish(converter) != DFOLD_OK);
    dfold_converter_free(converter);
}

static void misuse_dfold_converter_cancel(void) {
    dfold_converter *converter = new_converter();
    CHECK(dfold_converter_cancel(NULL) == DFOLD_MISUSE);
    CHECK(dfold_converter_finish(converter) != DFOLD_OK);
    CHECK(dfold_converter_cancel(converter) != DFOLD_OK);
    dfold_converter_free(converter);
}

GETTER_OF(dfold_converter_take, dfold_converter, new_converter, dfold_converter_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_converter_report, dfold_converter, new_converter, dfold_converter_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_converter_error, dfold_converter, new_converter, dfold_converter_free, dfold_error, DFOLD_NO_MORE)

static dfold_partial *new_partial(void) {
    dfold_partial *partial = NULL;
    CHECK(dfold_partial_new(dfold_view(NULL), NULL, &partial) == DFOLD_OK);
    return partial;
}

static void misuse_dfold_partial_push(void) {
    dfold_partial *partial = new_partial();
    CHECK(dfold_partial_push(NULL, &BYTE, 1) == DFOLD_MISUSE);
    CHECK(dfold_partial_push(partial, NULL, 1) == DFOLD_MISUSE);
    CHECK(dfold_partial_push(partial, &BYTE, SIZE_MAX) == DFOLD_MISUSE);
    CHECK(dfold_partial_push(partial, bytes_of("\xff"), 1) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_partial_push(partial, &BYTE, 1) == DFOLD_JSON_SYNTAX);
    CHECK(dfold_partial_push(partial, bytes_of("1"), 1) == DFOLD_JSON_SYNTAX);
    dfold_partial_free(partial);
}

static void misuse_dfold_partial_finish(void) {
    dfold_partial *partial = new_partial();
    CHECK(dfold_partial_finish(NULL) == DFOLD_MISUSE);
    CHECK(dfold_partial_finish(partial) == DFOLD_JSON_SYNTAX);
    CHECK(dfold_partial_finish(partial) == DFOLD_JSON_SYNTAX);
    dfold_partial_free(partial);
}

static void misuse_dfold_partial_reset(void) { CHECK(dfold_partial_reset(NULL) == DFOLD_MISUSE); }

static void misuse_dfold_partial_clear_changes(void) { CHECK(dfold_partial_clear_changes(NULL) == DFOLD_MISUSE); }

GETTER_OF(dfold_partial_value, dfold_partial, new_partial, dfold_partial_free, dfold_bytes, DFOLD_NO_MORE)
GETTER_OF(dfold_partial_unfinished, dfold_partial, new_partial, dfold_partial_free, dfold_unfinished, DFOLD_NO_MORE)
GETTER_OF(dfold_partial_is_complete, dfold_partial, new_partial, dfold_partial_free, bool, DFOLD_OK)
GETTER_OF(dfold_partial_changes, dfold_partial, new_partial, dfold_partial_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_partial_error, dfold_partial, new_partial, dfold_partial_free, dfold_error, DFOLD_NO_MORE)

static void misuse_dfold_check(void) {
    dfold_report *made = NULL;
    dfold_problem problem;
    CHECK(dfold_check(&BYTE, 1, dfold_view(""), NULL, NULL) == DFOLD_MISUSE);
    CHECK(dfold_check(NULL, 1, dfold_view(""), NULL, &made) == DFOLD_MISUSE);
    CHECK(dfold_check(&BYTE, SIZE_MAX, dfold_view(""), NULL, &made) == DFOLD_MISUSE);
    BAD_VIEWS(dfold_check(&BYTE, 1, bad, NULL, &made));
    NOT_UTF8(dfold_check(&BYTE, 1, bad, NULL, &made));
    CHECK(dfold_check(&BYTE, 1, dfold_view("{"), &problem, &made) == DFOLD_JSON_SYNTAX);
    CHECK(problem.status == DFOLD_JSON_SYNTAX);
    CHECK(dfold_check(&BYTE, 1, dfold_view("[]"), NULL, &made) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_check(&BYTE, 1, dfold_view("{\"profile\":\"nobody\"}"), NULL, &made) == DFOLD_MISUSE_UNKNOWN_NAME);
    CHECK(made == NULL);
    CHECK(dfold_check(NULL, 0, dfold_view(""), NULL, &made) == DFOLD_OK);
    dfold_report_free(made);
}

static void misuse_dfold_validate(void) {
    dfold_report *made = NULL;
    dfold_problem problem;
    dfold_bytes none = dfold_view(""), what = dfold_view("event"), json = dfold_view("{}");
    CHECK(dfold_validate(what, json, none, NULL, NULL) == DFOLD_MISUSE);
    BAD_VIEWS(dfold_validate(bad, json, none, NULL, &made));
    BAD_VIEWS(dfold_validate(what, bad, none, NULL, &made));
    BAD_VIEWS(dfold_validate(what, json, bad, NULL, &made));
    CHECK(dfold_validate(dfold_view("evnt"), json, none, &problem, &made) == DFOLD_MISUSE_UNKNOWN_NAME);
    CHECK(problem.status == DFOLD_MISUSE_UNKNOWN_NAME && strlen(problem.message) > 0);
    CHECK(dfold_validate(what, none, none, NULL, &made) == DFOLD_JSON_SYNTAX);
    CHECK(dfold_validate(what, json, dfold_view("[]"), NULL, &made) == DFOLD_MISUSE_ARGUMENT);
    CHECK(made == NULL);
}

static dfold_report *new_report(void) {
    dfold_report *made = NULL;
    CHECK(dfold_check(NULL, 0, dfold_view(NULL), NULL, &made) == DFOLD_OK);
    return made;
}

static void misuse_dfold_report_finding(void) {
    dfold_report *made = new_report();
    dfold_finding finding;
    CHECK(dfold_report_finding(NULL, 0, &finding) == DFOLD_MISUSE);
    CHECK(dfold_report_finding(made, 0, NULL) == DFOLD_MISUSE);
    CHECK(dfold_report_finding(made, SIZE_MAX, &finding) == DFOLD_NO_MORE);
    dfold_report_free(made);
}

GETTER_OF(dfold_report_summary, dfold_report, new_report, dfold_report_free, dfold_summary, DFOLD_OK)
GETTER_OF(dfold_report_findings_json, dfold_report, new_report, dfold_report_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_report_json, dfold_report, new_report, dfold_report_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_report_text, dfold_report, new_report, dfold_report_free, dfold_bytes, DFOLD_OK)

static void misuse_dfold_request(void) {
    dfold_text *made = NULL;
    dfold_problem problem;
    dfold_bytes what = dfold_view("advice"), json = dfold_view("{}");
    CHECK(dfold_request(what, json, NULL, NULL) == DFOLD_MISUSE);
    BAD_VIEWS(dfold_request(bad, json, NULL, &made));
    BAD_VIEWS(dfold_request(what, bad, NULL, &made));
    NOT_UTF8(dfold_request(bad, json, NULL, &made));
    NOT_UTF8(dfold_request(what, bad, NULL, &made));
    CHECK(dfold_request(dfold_view(NULL), json, &problem, &made) == DFOLD_MISUSE_UNKNOWN_NAME);
    CHECK(problem.status == DFOLD_MISUSE_UNKNOWN_NAME && strlen(problem.message) > 0);
    CHECK(dfold_request(what, dfold_view(NULL), &problem, &made) == problem.status);
    CHECK(dfold_request(what, dfold_view("{"), NULL, &made) == DFOLD_JSON_SYNTAX);
    CHECK(dfold_request(what, json, NULL, &made) == DFOLD_MISUSE_ARGUMENT);
    json = dfold_view("{\"steps\":[{\"result\":[\"c1\",\"x\"]}]}");
    CHECK(dfold_request(dfold_view("tool_loop"), json, NULL, &made) == DFOLD_MISUSE_INTENT);
    CHECK(made == NULL);
}

static dfold_text *new_text(void) {
    dfold_text *text = NULL;
    CHECK(dfold_request(dfold_view("create_message"), dfold_view("{}"), NULL, &text) == DFOLD_OK);
    return text;
}

GETTER_OF(dfold_text_view, dfold_text, new_text, dfold_text_free, dfold_bytes, DFOLD_OK)

static dfold_tool_loop *new_tool_loop(void) {
    dfold_tool_loop *tools = NULL;
    CHECK(dfold_tool_loop_new(dfold_view("{}"), NULL, &tools) == DFOLD_OK);
    return tools;
}

static void misuse_dfold_tool_loop_apply(void) {
    dfold_tool_loop *tools = new_tool_loop();
    dfold_bytes empty = dfold_view("{\"output\":[]}");
    CHECK(dfold_tool_loop_apply(NULL, empty) == DFOLD_MISUSE);
    BAD_VIEWS(dfold_tool_loop_apply(tools, bad));
    NOT_UTF8(dfold_tool_loop_apply(tools, bad));
    CHECK(dfold_tool_loop_apply(tools, dfold_view("{")) == DFOLD_JSON_SYNTAX);
    CHECK(dfold_tool_loop_apply(tools, dfold_view("[]")) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_tool_loop_apply(tools, empty) == DFOLD_OK);
    CHECK(dfold_tool_loop_apply(tools, empty) == DFOLD_MISUSE_INTENT);
    dfold_tool_loop_free(tools);
}

static void misuse_dfold_tool_loop_result(void) {
    dfold_tool_loop *tools = new_tool_loop();
    dfold_bytes id = dfold_view("c1"), result = dfold_view("\"x\"");
    CHECK(dfold_tool_loop_result(NULL, id, result) == DFOLD_MISUSE);
    BAD_VIEWS(dfold_tool_loop_result(tools, bad, result));
    BAD_VIEWS(dfold_tool_loop_result(tools, id, bad));
    NOT_UTF8(dfold_tool_loop_result(tools, bad, result));
    NOT_UTF8(dfold_tool_loop_result(tools, id, bad));
    CHECK(dfold_tool_loop_result(tools, id, result) == DFOLD_MISUSE_INTENT);
    CHECK(dfold_tool_loop_result(tools, id, dfold_view("{")) == DFOLD_JSON_SYNTAX);
    CHECK(dfold_tool_loop_result(tools, id, dfold_view("7")) == DFOLD_MISUSE_ARGUMENT);
    dfold_tool_loop_free(tools);
}

static void misuse_dfold_tool_loop_stop(void) {
    dfold_tool_loop *tools = new_tool_loop();
    CHECK(dfold_tool_loop_stop(NULL) == DFOLD_MISUSE);
    CHECK(dfold_tool_loop_stop(tools) == DFOLD_OK);
    CHECK(dfold_tool_loop_stop(tools) == DFOLD_OK);
    CHECK(dfold_tool_loop_apply(tools, dfold_view("{\"output\":[]}")) == DFOLD_MISUSE_INTENT);
    dfold_tool_loop_free(tools);
}

/* A getter of a tool loop with a position. */
#define GETTER_OF_LOOP(name)                                  \
    static void misuse_##name(void) {                         \
        dfold_tool_loop *tools = new_tool_loop();             \
        dfold_call out;                                       \
        CHECK(name(NULL, 0, &out) == DFOLD_MISUSE);           \
        CHECK(name(tools, 0, NULL) == DFOLD_MISUSE);          \
        CHECK(name(tools, 0, &out) == DFOLD_NO_MORE);         \
        CHECK(name(tools, SIZE_MAX, &out) == DFOLD_NO_MORE);  \
        dfold_tool_loop_free(tools);                          \
    }

GETTER_OF_LOOP(dfold_tool_loop_pending)
GETTER_OF_LOOP(dfold_tool_loop_rejected)
GETTER_OF(dfold_tool_loop_state, dfold_tool_loop, new_tool_loop, dfold_tool_loop_free, dfold_loop_state, DFOLD_OK)
GETTER_OF(dfold_tool_loop_request, dfold_tool_loop, new_tool_loop, dfold_tool_loop_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_tool_loop_json, dfold_tool_loop, new_tool_loop, dfold_tool_loop_free, dfold_bytes, DFOLD_OK)
GETTER_OF(dfold_tool_loop_error, dfold_tool_loop, new_tool_loop, dfold_tool_loop_free, dfold_error, DFOLD_NO_MORE)

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
    misuse_dfold_reader_outcome();
    misuse_dfold_reader_reconnect();
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
    misuse_dfold_kind_name();
    misuse_dfold_detect();
    misuse_dfold_is_valid_extension_type();
    misuse_dfold_is_terminal_status();
    misuse_dfold_is_success_status();
    misuse_dfold_sse_new_json();
    misuse_dfold_reader_new_json();
    misuse_dfold_writer_new_json();
    misuse_dfold_converter_new();
    misuse_dfold_partial_new();
    misuse_dfold_sse_error();
    misuse_dfold_reader_restore_json();
    misuse_dfold_reader_note_request();
    misuse_dfold_reader_note_head();
    misuse_dfold_writer_free();
    misuse_dfold_converter_free();
    misuse_dfold_partial_free();
    misuse_dfold_report_free();
    misuse_dfold_writer_options_init();
    misuse_dfold_writer_new();
    misuse_dfold_writer_queue();
    misuse_dfold_writer_start();
    misuse_dfold_writer_cancel();
    misuse_dfold_writer_heartbeat();
    misuse_dfold_writer_set_now();
    misuse_dfold_writer_message();
    misuse_dfold_writer_reasoning();
    misuse_dfold_writer_function_call();
    misuse_dfold_writer_custom_tool_call();
    misuse_dfold_writer_open();
    misuse_dfold_writer_text();
    misuse_dfold_writer_refusal();
    misuse_dfold_writer_reasoning_text();
    misuse_dfold_writer_reasoning_summary();
    misuse_dfold_writer_arguments();
    misuse_dfold_writer_input();
    misuse_dfold_writer_close();
    misuse_dfold_writer_complete();
    misuse_dfold_writer_incomplete();
    misuse_dfold_writer_fail();
    misuse_dfold_writer_apply_json();
    misuse_dfold_reader_findings_json();
    misuse_dfold_reader_rate_limits_json();
    misuse_dfold_writer_take();
    misuse_dfold_writer_poll();
    misuse_dfold_writer_progress();
    misuse_dfold_writer_response_json();
    misuse_dfold_writer_error();
    misuse_dfold_converter_feed();
    misuse_dfold_converter_finish();
    misuse_dfold_converter_cancel();
    misuse_dfold_converter_take();
    misuse_dfold_converter_report();
    misuse_dfold_converter_error();
    misuse_dfold_partial_push();
    misuse_dfold_partial_finish();
    misuse_dfold_partial_reset();
    misuse_dfold_partial_clear_changes();
    misuse_dfold_partial_value();
    misuse_dfold_partial_unfinished();
    misuse_dfold_partial_is_complete();
    misuse_dfold_partial_changes();
    misuse_dfold_partial_error();
    misuse_dfold_check();
    misuse_dfold_validate();
    misuse_dfold_report_finding();
    misuse_dfold_report_summary();
    misuse_dfold_report_findings_json();
    misuse_dfold_report_json();
    misuse_dfold_report_text();
    misuse_dfold_tool_loop_new();
    misuse_dfold_text_free();
    misuse_dfold_tool_loop_free();
    misuse_dfold_request();
    misuse_dfold_text_view();
    misuse_dfold_tool_loop_apply();
    misuse_dfold_tool_loop_result();
    misuse_dfold_tool_loop_stop();
    misuse_dfold_tool_loop_state();
    misuse_dfold_tool_loop_pending();
    misuse_dfold_tool_loop_rejected();
    misuse_dfold_tool_loop_request();
    misuse_dfold_tool_loop_json();
    misuse_dfold_tool_loop_error();
    return report("misuse");
}
