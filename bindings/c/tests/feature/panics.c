/* Forces a panic inside every function that does work: the call returns DFOLD_INTERNAL, nothing unwinds into C, and the handle can
 * only be freed. Needs a library built with the feature `__panics`; a Rust test compares the names here with the header. */

#include "../check.h"

#ifdef __cplusplus
extern "C"
#endif
/* Makes the next function that this thread calls panic. Not in the header, because only this test build has it. */
void dfold_test_panic(void);

static const dfold_bytes NONE = {NULL, 0};

/* Creates a handle, forces a panic in a call, calls again, and frees the handle. */
#define INSIDE(type, handle, make, free, call)       \
    do {                                             \
        type *handle = NULL;                         \
        CHECK((make) == DFOLD_OK && handle != NULL); \
        dfold_test_panic();                          \
        CHECK((call) == DFOLD_INTERNAL);             \
        CHECK((call) == DFOLD_INTERNAL);             \
        free(handle);                                \
    } while (0)

/* A constructor that panics creates no handle. */
#define MAKES(type, made, call)          \
    do {                                 \
        type *made = NULL;               \
        dfold_test_panic();              \
        CHECK((call) == DFOLD_INTERNAL); \
        CHECK(made == NULL);             \
    } while (0)

/* A free that panics has not freed the handle and has no status to return. The second call frees it. */
#define FREES(type, handle, make, free)              \
    do {                                             \
        type *handle = NULL;                         \
        CHECK((make) == DFOLD_OK && handle != NULL); \
        dfold_test_panic();                          \
        free(handle);                                \
        free(handle);                                \
    } while (0)

#define READER(call) INSIDE(dfold_reader, reader, dfold_reader_new(NULL, &reader), dfold_reader_free, call)
#define WRITER(call) INSIDE(dfold_writer, writer, dfold_writer_new_json(dfold_view("{\"id\":\"r\",\"model\":\"m\",\"created_at\":1}"), NULL, &writer), dfold_writer_free, call)
#define CONVERTER(call) INSIDE(dfold_converter, converter, dfold_converter_new(dfold_view("{\"to\":\"chat-completions\"}"), NULL, &converter), dfold_converter_free, call)
#define PARTIAL(call) INSIDE(dfold_partial, partial, dfold_partial_new(NONE, NULL, &partial), dfold_partial_free, call)
#define SSE(call) INSIDE(dfold_sse, decoder, dfold_sse_new(&decoder), dfold_sse_free, call)
#define REPORT(call) INSIDE(dfold_report, report, dfold_check(NULL, 0, NONE, NULL, &report), dfold_report_free, call)
#define TEXT(call) INSIDE(dfold_text, text, dfold_request(dfold_view("create_message"), dfold_view("{}"), NULL, &text), dfold_text_free, call)
#define TOOL_LOOP(call) INSIDE(dfold_tool_loop, tools, dfold_tool_loop_new(dfold_view("{}"), NULL, &tools), dfold_tool_loop_free, call)

static void on_a_reader(void) {
    READER(dfold_reader_note_request(reader, NULL, 0));
    READER(dfold_reader_note_head(reader, 0, NULL, 0));
    READER(dfold_reader_rate_limits_json(reader, NULL));
    READER(dfold_reader_reset(reader));
    READER(dfold_reader_feed(reader, NULL, 0));
    READER(dfold_reader_feed_json(reader, NULL, 0));
    READER(dfold_reader_end(reader));
    READER(dfold_reader_poll(reader, NULL));
    READER(dfold_event_get(reader, NONE, NULL));
    READER(dfold_reader_finish(reader, NULL));
    READER(dfold_reader_outcome(reader, NULL));
    READER(dfold_reader_reconnect(reader));
    READER(dfold_reader_finding(reader, 0, NULL));
    READER(dfold_reader_findings_json(reader, NULL));
    READER(dfold_reader_state(reader, NULL));
    READER(dfold_reader_error(reader, NULL));
    READER(dfold_reader_save(reader, NULL));
    READER(dfold_reader_response(reader, NULL));
    READER(dfold_reader_response_json(reader, NULL));
    READER(dfold_reader_response_get(reader, NONE, NULL));
    READER(dfold_reader_usage(reader, NULL));
    READER(dfold_reader_output_text(reader, NULL));
    READER(dfold_reader_item(reader, 0, NULL));
    READER(dfold_reader_find_item(reader, 0, NULL));
    READER(dfold_reader_item_json(reader, 0, NULL));
    READER(dfold_reader_item_get(reader, 0, NONE, NULL));
    READER(dfold_reader_part(reader, 0, 0, NULL));
    READER(dfold_reader_summary_part(reader, 0, 0, NULL));
    READER(dfold_reader_partial_arguments(reader, 0, NULL));
    READER(dfold_reader_partial_json(reader, 0, 0, NULL));
    READER(dfold_reader_partial_image(reader, 0, 0, NULL));
    FREES(dfold_reader, reader, dfold_reader_new(NULL, &reader), dfold_reader_free);
}

static void on_a_writer(void) {
    WRITER(dfold_writer_apply_json(writer, NULL, 0, NULL));
    WRITER(dfold_writer_queue(writer));
    WRITER(dfold_writer_start(writer));
    WRITER(dfold_writer_set_now(writer, 0));
    WRITER(dfold_writer_message(writer, NULL));
    WRITER(dfold_writer_reasoning(writer, NULL));
    WRITER(dfold_writer_function_call(writer, NONE, NONE, NULL));
    WRITER(dfold_writer_custom_tool_call(writer, NONE, NONE, NULL));
    WRITER(dfold_writer_open(writer, NONE, NONE, NULL));
    WRITER(dfold_writer_text(writer, 0, NONE));
    WRITER(dfold_writer_refusal(writer, 0, NONE));
    WRITER(dfold_writer_reasoning_text(writer, 0, NONE));
    WRITER(dfold_writer_reasoning_summary(writer, 0, NONE));
    WRITER(dfold_writer_arguments(writer, 0, NONE));
    WRITER(dfold_writer_input(writer, 0, NONE));
    WRITER(dfold_writer_close(writer, 0));
    WRITER(dfold_writer_complete(writer, NULL));
    WRITER(dfold_writer_incomplete(writer, NONE, NULL));
    WRITER(dfold_writer_cancel(writer));
    WRITER(dfold_writer_fail(writer, NONE, NONE, NONE));
    WRITER(dfold_writer_heartbeat(writer));
    WRITER(dfold_writer_take(writer, NULL));
    WRITER(dfold_writer_poll(writer, NULL));
    WRITER(dfold_writer_progress(writer, NULL));
    WRITER(dfold_writer_response_json(writer, NULL));
    WRITER(dfold_writer_error(writer, NULL));
    FREES(dfold_writer, writer, dfold_writer_new_json(dfold_view("{\"id\":\"r\",\"model\":\"m\",\"created_at\":1}"), NULL, &writer), dfold_writer_free);
}

static void on_a_converter(void) {
    CONVERTER(dfold_converter_feed(converter, NULL, 0));
    CONVERTER(dfold_converter_finish(converter));
    CONVERTER(dfold_converter_cancel(converter));
    CONVERTER(dfold_converter_take(converter, NULL));
    CONVERTER(dfold_converter_report(converter, NULL));
    CONVERTER(dfold_converter_error(converter, NULL));
    FREES(dfold_converter, converter, dfold_converter_new(dfold_view("{\"to\":\"chat-completions\"}"), NULL, &converter), dfold_converter_free);
}

static void on_a_partial(void) {
    PARTIAL(dfold_partial_push(partial, NULL, 0));
    PARTIAL(dfold_partial_finish(partial));
    PARTIAL(dfold_partial_reset(partial));
    PARTIAL(dfold_partial_value(partial, NULL));
    PARTIAL(dfold_partial_unfinished(partial, NULL));
    PARTIAL(dfold_partial_is_complete(partial, NULL));
    PARTIAL(dfold_partial_changes(partial, NULL));
    PARTIAL(dfold_partial_clear_changes(partial));
    PARTIAL(dfold_partial_error(partial, NULL));
    FREES(dfold_partial, partial, dfold_partial_new(NONE, NULL, &partial), dfold_partial_free);
}

static void on_a_sse(void) {
    SSE(dfold_sse_error(decoder, NULL));
    SSE(dfold_sse_next(decoder, NULL, 0, NULL, NULL));
    SSE(dfold_sse_reset(decoder));
    FREES(dfold_sse, decoder, dfold_sse_new(&decoder), dfold_sse_free);
}

static void on_a_report(void) {
    REPORT(dfold_report_summary(report, NULL));
    REPORT(dfold_report_finding(report, 0, NULL));
    REPORT(dfold_report_findings_json(report, NULL));
    REPORT(dfold_report_json(report, NULL));
    REPORT(dfold_report_text(report, NULL));
    FREES(dfold_report, report, dfold_check(NULL, 0, NONE, NULL, &report), dfold_report_free);
}

static void on_a_text(void) {
    TEXT(dfold_text_view(text, NULL));
    FREES(dfold_text, text, dfold_request(dfold_view("create_message"), dfold_view("{}"), NULL, &text), dfold_text_free);
}

static void on_a_tool_loop(void) {
    TOOL_LOOP(dfold_tool_loop_apply(tools, NONE));
    TOOL_LOOP(dfold_tool_loop_result(tools, NONE, NONE));
    TOOL_LOOP(dfold_tool_loop_stop(tools));
    TOOL_LOOP(dfold_tool_loop_state(tools, NULL));
    TOOL_LOOP(dfold_tool_loop_pending(tools, 0, NULL));
    TOOL_LOOP(dfold_tool_loop_rejected(tools, 0, NULL));
    TOOL_LOOP(dfold_tool_loop_request(tools, NULL));
    TOOL_LOOP(dfold_tool_loop_json(tools, NULL));
    TOOL_LOOP(dfold_tool_loop_error(tools, NULL));
    FREES(dfold_tool_loop, tools, dfold_tool_loop_new(dfold_view("{}"), NULL, &tools), dfold_tool_loop_free);
}

static void without_a_handle(void) {
    dfold_reader_options reading;
    dfold_writer_options writing;
    dfold_test_panic();
    CHECK(dfold_view("text").len == 0);
    MAKES(dfold_converter, made, dfold_converter_new(NONE, NULL, &made));
    dfold_test_panic();
    CHECK(dfold_detect((const uint8_t *)"{", 1).len == 0);
    dfold_test_panic();
    CHECK(dfold_is_valid_extension_type(dfold_view("acme:note")) == 0);
    dfold_test_panic();
    CHECK(dfold_is_terminal_status(dfold_view("completed")) == 0);
    dfold_test_panic();
    CHECK(dfold_is_success_status(dfold_view("completed")) == 0);
    dfold_test_panic();
    CHECK(dfold_reader_options_init(&reading, sizeof reading) == DFOLD_INTERNAL);
    MAKES(dfold_partial, made, dfold_partial_new(NONE, NULL, &made));
    MAKES(dfold_reader, made, dfold_reader_new(NULL, &made));
    MAKES(dfold_reader, made, dfold_reader_new_json(NONE, NULL, &made));
    MAKES(dfold_reader, made, dfold_reader_restore_json(NULL, 0, NONE, NULL, &made));
    MAKES(dfold_reader, made, dfold_reader_restore(NULL, 0, NULL, &made));
    MAKES(dfold_report, made, dfold_check(NULL, 0, NONE, NULL, &made));
    MAKES(dfold_report, made, dfold_validate(NONE, NONE, NONE, NULL, &made));
    MAKES(dfold_text, made, dfold_request(NONE, NONE, NULL, &made));
    MAKES(dfold_sse, made, dfold_sse_new(&made));
    MAKES(dfold_sse, made, dfold_sse_new_json(NONE, NULL, &made));
    MAKES(dfold_tool_loop, made, dfold_tool_loop_new(NONE, NULL, &made));
    dfold_test_panic();
    CHECK(dfold_writer_options_init(&writing, sizeof writing) == DFOLD_INTERNAL);
    MAKES(dfold_writer, made, dfold_writer_new(NULL, &made));
    MAKES(dfold_writer, made, dfold_writer_new_json(NONE, NULL, &made));
}

int main(void) {
    on_a_reader();
    on_a_writer();
    on_a_converter();
    on_a_partial();
    on_a_sse();
    on_a_report();
    on_a_text();
    on_a_tool_loop();
    without_a_handle();
    return report("panics");
}
