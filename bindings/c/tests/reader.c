/* A reader through the C functions: any split, every getter, limits, strict mode, profiles, saving and restoring. */

#include "check.h"

static const char STREAM[] =
    "event: response.created\n"
    "data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"model\":\"m-1\","
    "\"status\":\"in_progress\",\"output\":[]}}\n\n"
    "event: response.output_item.added\n"
    "data: {\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,\"item\":{\"type\":\"message\","
    "\"id\":\"msg_1\",\"role\":\"assistant\",\"status\":\"in_progress\",\"content\":[]}}\n\n"
    "event: response.content_part.added\n"
    "data: {\"type\":\"response.content_part.added\",\"sequence_number\":2,\"item_id\":\"msg_1\",\"output_index\":0,"
    "\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"\",\"annotations\":[]}}\n\n"
    ": still here\n\n"
    "event: response.output_text.delta\n"
    "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":3,\"item_id\":\"msg_1\",\"output_index\":0,"
    "\"content_index\":0,\"delta\":\"caf\\u00e9 \",\"logprobs\":[{\"token\":\"caf\\u00e9\",\"logprob\":-0.5}]}\n\n"
    "event: response.output_text.delta\n"
    "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":4,\"item_id\":\"msg_1\",\"output_index\":0,"
    "\"content_index\":0,\"delta\":\"{\\\"a\\\":[1,2\"}\n\n"
    "event: response.output_item.added\n"
    "data: {\"type\":\"response.output_item.added\",\"sequence_number\":5,\"output_index\":4,\"item\":{\"type\":\"function_call\","
    "\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"weather\",\"arguments\":\"\",\"status\":\"in_progress\"}}\n\n"
    "event: response.function_call_arguments.delta\n"
    "data: {\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":6,\"item_id\":\"fc_1\",\"output_index\":4,"
    "\"delta\":\"{\\\"city\\\":\\\"Par\"}\n\n";

static const char END[] =
    "event: response.incomplete\n"
    "data: {\"type\":\"response.incomplete\",\"sequence_number\":7,\"response\":{\"id\":\"resp_1\",\"model\":\"m-1\","
    "\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"output\":[],"
    "\"usage\":{\"input_tokens\":3,\"output_tokens\":5,\"total_tokens\":8,\"input_tokens_details\":{\"cached_tokens\":1}}}}\n\n"
    "data: [DONE]\n\n";

static void check_event(dfold_reader *reader, const dfold_event *event) {
    dfold_value value;
    switch (event->index) {
    case 0:
        CHECK(event->kind == DFOLD_KIND_CREATED);
        CHECK(equals(event->type, "response.created"));
        CHECK(dfold_event_get(reader, dfold_view("/response/id"), &value) == DFOLD_OK);
        CHECK(value.type == DFOLD_TYPE_STRING && equals(value.text, "resp_1"));
        CHECK(dfold_event_get(reader, dfold_view("/response/output"), &value) == DFOLD_OK);
        CHECK(value.type == DFOLD_TYPE_ARRAY && value.count == 0);
        break;
    case 3:
        CHECK(event->kind == DFOLD_KIND_OUTPUT_TEXT_DELTA);
        CHECK(event->has == (DFOLD_HAS_SEQUENCE_NUMBER | DFOLD_HAS_OUTPUT_INDEX | DFOLD_HAS_CONTENT_INDEX |
                             DFOLD_HAS_ITEM_ID | DFOLD_HAS_FRAME_NAME));
        CHECK(event->sequence_number == 3 && event->output_index == 0 && event->content_index == 0);
        CHECK(dfold_event_get(reader, dfold_view("/logprobs/0/token"), &value) == DFOLD_OK);
        CHECK(equals(value.text, "caf\xc3\xa9"));
        CHECK(dfold_event_get(reader, dfold_view("/logprobs/0/logprob"), &value) == DFOLD_OK);
        CHECK(value.type == DFOLD_TYPE_NUMBER && !value.has_integer && value.number == -0.5);
        CHECK(dfold_event_get(reader, dfold_view("/nothing"), &value) == DFOLD_NO_MORE);
        /* dfold_event_get does not invalidate the views of the event. */
        CHECK(equals(event->delta, "caf\xc3\xa9 "));
        CHECK(equals(event->item_id, "msg_1") && equals(event->frame_name, "response.output_text.delta"));
        break;
    case 6:
        CHECK(event->kind == DFOLD_KIND_FUNCTION_CALL_ARGUMENTS_DELTA);
        CHECK(event->output_index == 4);
        break;
    default:
        break;
    }
}

static void check_response(dfold_reader *reader) {
    dfold_response response;
    dfold_item item;
    dfold_part part;
    dfold_bytes text;
    dfold_value value;
    dfold_usage usage;
    dfold_image image;
    size_t at = 99;
    CHECK(dfold_reader_response(reader, &response) == DFOLD_OK);
    CHECK(equals(response.id, "resp_1") && equals(response.model, "m-1") && equals(response.status, "in_progress"));
    CHECK(response.items == 2);
    CHECK(dfold_reader_item(reader, 0, &item) == DFOLD_OK);
    CHECK(equals(item.type, "message") && equals(item.id, "msg_1") && item.parts == 1 && !item.done);
    CHECK(dfold_reader_part(reader, 0, 0, &part) == DFOLD_OK);
    CHECK(equals(part.type, "output_text") && equals(part.text, "caf\xc3\xa9 {\"a\":[1,2"));
    CHECK(dfold_reader_part(reader, 0, 1, &part) == DFOLD_NO_MORE);
    CHECK(dfold_reader_summary_part(reader, 0, 0, &part) == DFOLD_NO_MORE);
    CHECK(dfold_reader_output_text(reader, &text) == DFOLD_OK && equals(text, "caf\xc3\xa9 {\"a\":[1,2"));
    /* The call has output_index 4 but is the second item. */
    CHECK(dfold_reader_find_item(reader, 4, &at) == DFOLD_OK && at == 1);
    CHECK(dfold_reader_find_item(reader, 1, &at) == DFOLD_NO_MORE);
    CHECK(dfold_reader_item(reader, 1, &item) == DFOLD_OK);
    CHECK(equals(item.name, "weather") && equals(item.call_id, "call_1") && equals(item.arguments, "{\"city\":\"Par"));
    CHECK(dfold_reader_item(reader, 2, &item) == DFOLD_NO_MORE);
    CHECK(dfold_reader_partial_arguments(reader, 1, &text) == DFOLD_OK && equals(text, "{\"city\":\"Par\"}"));
    CHECK(dfold_reader_partial_json(reader, 0, 0, &text) == DFOLD_NO_MORE);
    CHECK(dfold_reader_item_get(reader, 1, dfold_view("/name"), &value) == DFOLD_OK && equals(value.text, "weather"));
    CHECK(dfold_reader_item_get(reader, 0, dfold_view("/content/0/type"), &value) == DFOLD_OK);
    CHECK(equals(value.text, "output_text"));
    CHECK(dfold_reader_item_json(reader, 1, &text) == DFOLD_OK && text.data[0] == '{');
    CHECK(dfold_reader_partial_image(reader, 0, 0, &image) == DFOLD_NO_MORE);
    CHECK(dfold_reader_response_get(reader, dfold_view("/model"), &value) == DFOLD_OK && equals(value.text, "m-1"));
    CHECK(dfold_reader_response_json(reader, &text) == DFOLD_OK && text.len > 100);
    CHECK(dfold_reader_usage(reader, &usage) == DFOLD_NO_MORE);
}

static void check_end(dfold_reader *reader) {
    dfold_outcome outcome;
    dfold_usage usage;
    dfold_state state;
    dfold_value value;
    dfold_error error;
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK);
    CHECK(outcome.kind == DFOLD_OUTCOME_INCOMPLETE);
    CHECK(equals(outcome.name, "incomplete") && equals(outcome.reason, "max_output_tokens"));
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK && outcome.kind == DFOLD_OUTCOME_INCOMPLETE);
    CHECK(dfold_reader_usage(reader, &usage) == DFOLD_OK);
    CHECK(usage.input_tokens == 3 && usage.output_tokens == 5 && usage.cached_tokens == 1);
    CHECK(dfold_reader_response_get(reader, dfold_view("/usage/total_tokens"), &value) == DFOLD_OK);
    CHECK(value.has_integer && value.integer == 8);
    CHECK(dfold_reader_state(reader, &state) == DFOLD_OK);
    CHECK(state.events == 8 && state.has_last_sequence_number && state.last_sequence_number == 7);
    CHECK(state.saw_done && state.has_outcome && state.activity > 8 && state.offset == sizeof STREAM + sizeof END - 2);
    CHECK(dfold_reader_error(reader, &error) == DFOLD_NO_MORE);
    CHECK(dfold_reader_feed(reader, bytes_of("x"), 1) == DFOLD_MISUSE_AFTER_FINISH);
    CHECK(dfold_reader_error(reader, &error) == DFOLD_OK);
    CHECK(error.status == DFOLD_MISUSE_AFTER_FINISH && equals(error.name, "misuse.after_finish"));
}

static void feed(dfold_reader *reader, const char *text, size_t len, size_t step, int *events) {
    size_t start;
    dfold_event event;
    dfold_status status;
    for (start = 0; start < len; start += step) {
        CHECK(dfold_reader_feed(reader, bytes_of(text) + start, len - start < step ? len - start : step) == DFOLD_OK);
        while ((status = dfold_reader_poll(reader, &event)) == DFOLD_OK) {
            check_event(reader, &event);
            ++*events;
        }
        CHECK(status == DFOLD_NO_MORE);
    }
}

static void any_split_gives_the_same_events(size_t step) {
    dfold_reader *reader = NULL;
    int events = 0;
    CHECK(dfold_reader_new(NULL, &reader) == DFOLD_OK);
    feed(reader, STREAM, sizeof STREAM - 1, step, &events);
    CHECK(events == 7);
    check_response(reader);
    feed(reader, END, sizeof END - 1, step, &events);
    CHECK(events == 8);
    check_end(reader);
    CHECK(dfold_reader_reset(reader) == DFOLD_OK);
    feed(reader, STREAM, sizeof STREAM - 1, step, &events);
    CHECK(events == 15);
    dfold_reader_free(reader);
}

static void json_messages_need_no_sse_framing(void) {
    static const char *const messages[] = {
        "{\"type\":\"response.output_text.delta\",\"sequence_number\":0,\"output_index\":0,\"content_index\":0,\"delta\":\"Hi\"}",
        "not json", "{\"type\":\"acme:thing\",\"sequence_number\":1}"};
    static const int32_t kinds[] = {DFOLD_KIND_OUTPUT_TEXT_DELTA, DFOLD_KIND_UNKNOWN, DFOLD_KIND_EXTENSION};
    dfold_reader *reader = NULL;
    dfold_event event;
    dfold_value value;
    dfold_outcome outcome;
    dfold_finding finding;
    size_t i;
    CHECK(dfold_reader_new(NULL, &reader) == DFOLD_OK);
    CHECK(dfold_event_get(reader, dfold_view(""), &value) == DFOLD_NO_MORE);
    for (i = 0; i < 3; i++) {
        CHECK(dfold_reader_feed_json(reader, bytes_of(messages[i]), strlen(messages[i])) == DFOLD_OK);
        CHECK(dfold_reader_poll(reader, &event) == DFOLD_OK);
        CHECK(event.kind == kinds[i] && equals(event.raw, messages[i]));
        CHECK(((event.has & DFOLD_HAS_FAULT) != 0) == (i == 1));
        CHECK(dfold_event_get(reader, dfold_view("/type"), &value) == (i == 1 ? DFOLD_NO_MORE : DFOLD_OK));
    }
    CHECK(dfold_reader_feed_json(reader, bytes_of("\xff"), 1) == DFOLD_MISUSE_ARGUMENT);
    CHECK(dfold_reader_finding(reader, 0, &finding) == DFOLD_OK && finding.rule.len > 0 && finding.message.len > 0);
    CHECK(dfold_reader_end(reader) == DFOLD_OK);
    CHECK(dfold_reader_end(reader) == DFOLD_OK);
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK && outcome.kind == DFOLD_OUTCOME_TRUNCATED);
    CHECK(outcome.has_last_sequence_number && outcome.last_sequence_number == 1);
    dfold_reader_free(reader);
}

static void a_restored_reader_continues(void) {
    dfold_reader *reader = NULL, *resumed = NULL;
    dfold_bytes saved, text;
    dfold_finding finding;
    int events = 0;
    CHECK(dfold_reader_new(NULL, &reader) == DFOLD_OK);
    feed(reader, STREAM, sizeof STREAM - 1, 100, &events);
    CHECK(dfold_reader_save(reader, &saved) == DFOLD_OK);
    CHECK(dfold_reader_restore(saved.data, saved.len - 1, NULL, &resumed) == DFOLD_SAVE_DAMAGED && resumed == NULL);
    CHECK(dfold_reader_restore(saved.data, saved.len, NULL, &resumed) == DFOLD_OK);
    dfold_reader_free(reader);
    /* The server replays everything: events that were already read are dropped. */
    events = 0;
    feed(resumed, STREAM, sizeof STREAM - 1, 100, &events);
    CHECK(events == 0);
    CHECK(dfold_reader_finding(resumed, 0, &finding) == DFOLD_OK && equals(finding.repair, "dropped_repeat"));
    feed(resumed, END, sizeof END - 1, 100, &events);
    CHECK(events == 1);
    CHECK(dfold_reader_output_text(resumed, &text) == DFOLD_OK && equals(text, "caf\xc3\xa9 {\"a\":[1,2"));
    dfold_reader_free(resumed);
}

static void options_take_effect(void) {
    static const char BROKEN[] = "data: {\"type\":\"response.in_progress\",\"sequence_number\":3}\n\n";
    dfold_reader *reader = NULL;
    dfold_reader_options options;
    dfold_event event;
    dfold_state state;
    dfold_error error;
    dfold_outcome outcome;
    uint64_t forgiven;

    CHECK(dfold_reader_options_init(&options, sizeof options) == DFOLD_OK);
    CHECK(options.struct_size == sizeof options && options.limits.depth == 128);
    options.layers = DFOLD_LAYER_ALL;
    options.profile = dfold_view("open-responses");
    options.edition = dfold_view("split");
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_OK);
    CHECK(dfold_reader_feed(reader, bytes_of(BROKEN), sizeof BROKEN - 1) == DFOLD_OK);
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK);
    CHECK(dfold_reader_state(reader, &state) == DFOLD_OK && state.errors > 0 && state.findings > 0);
    forgiven = state.errors;
    dfold_reader_free(reader);

    options.profile = dfold_view("{\"name\":\"mine\",\"exemptions\":[{\"rule\":\"SSE-04\",\"why\":\"a test\"}]}");
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_OK);
    CHECK(dfold_reader_feed(reader, bytes_of(BROKEN), sizeof BROKEN - 1) == DFOLD_OK);
    CHECK(dfold_reader_finish(reader, &outcome) == DFOLD_OK);
    CHECK(dfold_reader_state(reader, &state) == DFOLD_OK && state.errors == forgiven - 1);
    dfold_reader_free(reader);

    options.strict = 1;
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_OK);
    CHECK(dfold_reader_feed(reader, bytes_of(BROKEN), sizeof BROKEN - 1) == DFOLD_OK);
    CHECK(dfold_reader_poll(reader, &event) == DFOLD_STRICT_VIOLATION);
    CHECK(dfold_reader_poll(reader, &event) == DFOLD_STRICT_VIOLATION);
    CHECK(dfold_reader_error(reader, &error) == DFOLD_OK && error.has_sequence_number && error.sequence_number == 3);
    dfold_reader_free(reader);

    CHECK(dfold_reader_options_init(&options, sizeof options) == DFOLD_OK);
    options.limits.line_bytes = 10;
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_OK);
    CHECK(dfold_reader_feed(reader, bytes_of(BROKEN), sizeof BROKEN - 1) == DFOLD_OK);
    CHECK(dfold_reader_poll(reader, &event) == DFOLD_LIMIT_LINE);
    CHECK(dfold_reader_feed(reader, bytes_of(BROKEN), 1) == DFOLD_LIMIT_LINE);
    dfold_reader_free(reader);

    options.limits.drop_overflow = 1;
    CHECK(dfold_reader_new(&options, &reader) == DFOLD_OK);
    CHECK(dfold_reader_feed(reader, bytes_of(BROKEN), sizeof BROKEN - 1) == DFOLD_OK);
    CHECK(dfold_reader_poll(reader, &event) == DFOLD_OK);
    dfold_reader_free(reader);
}

int main(void) {
    static const size_t steps[] = {1, 2, 7, 100, sizeof STREAM};
    size_t i;
    for (i = 0; i < sizeof steps / sizeof *steps; i++) {
        any_split_gives_the_same_events(steps[i]);
    }
    json_messages_need_no_sse_framing();
    a_restored_reader_continues();
    options_take_effect();
    return report("reader");
}
