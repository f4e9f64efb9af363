/* Payloads can contain secrets: no error, problem, finding or report quotes one. */

#include "check.h"

#define CANARY "K4N4RY"

static int checked_texts = 0;

/* Checks that a text is not empty and has no canary in it. */
static void has_no_canary(const char *where, dfold_bytes text) {
    size_t at;
    checked_texts += text.len > 0;
    for (at = 0; at + strlen(CANARY) <= text.len; at++) {
        if (memcmp(text.data + at, CANARY, strlen(CANARY)) == 0) {
            fprintf(stderr, "%s quotes a payload: %.*s\n", where, (int)text.len, (const char *)text.data);
            failures++;
            return;
        }
    }
}

/* Frames with errors in framing, schema and order, each with a canary in it. */
static const char *const FRAMES[] = {
    "id: " CANARY "\ndata: {\"type\":\"response.created\",\"sequence_number\":\"" CANARY "\",\"response\":{\"id\":\"" CANARY
    "\",\"status\":\"" CANARY "\",\"output\":[\"" CANARY "\"]}}\n\n",
    "event: " CANARY "\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":9,\"item_id\":\"" CANARY
    "\",\"output_index\":3,\"content_index\":1,\"delta\":\"" CANARY "\"}\n\n",
    "data: {\"type\":\"response.output_item.done\",\"sequence_number\":10,\"output_index\":3,\"item\":{\"type\":\"message\",\"id\":\"x"
    CANARY "\",\"role\":\"" CANARY "\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"" CANARY "!\"}]}}\n\n",
    "data: {\"type\":\"error\",\"sequence_number\":11,\"error\":\"" CANARY "\"}\n\n",
    "data: " CANARY "\n\n",
    "data: {\"a\":\"" CANARY "\n\n",
    "data: {\"type\":\"response.completed\",\"sequence_number\":12,\"response\":{\"id\":\"other" CANARY "\",\"output\":[{\"type\":\"message\","
    "\"id\":\"" CANARY "\",\"content\":\"" CANARY "\"}]}}\n\n",
};
#define COUNT (sizeof FRAMES / sizeof *FRAMES)

static void findings_and_errors_of_a_reader(const char *options) {
    dfold_reader *reader = NULL;
    dfold_problem problem;
    dfold_finding finding;
    dfold_event event;
    dfold_error error;
    dfold_outcome outcome;
    dfold_bytes json;
    dfold_status status = DFOLD_OK;
    size_t at;
    CHECK(dfold_reader_new_json(dfold_view(options), &problem, &reader) == DFOLD_OK);
    for (at = 0; at < COUNT && status == DFOLD_OK; at++) {
        status = dfold_reader_feed(reader, bytes_of(FRAMES[at]), strlen(FRAMES[at]));
        while (status == DFOLD_OK) status = dfold_reader_poll(reader, &event);
        if (status == DFOLD_NO_MORE) status = DFOLD_OK;
    }
    if (status != DFOLD_OK) {
        CHECK(dfold_reader_error(reader, &error) == DFOLD_OK);
        has_no_canary("the error of a reader", error.message);
    }
    if (dfold_reader_finish(reader, &outcome) != DFOLD_OK) {
        CHECK(dfold_reader_error(reader, &error) == DFOLD_OK);
        has_no_canary("the error of finish", error.message);
    } else {
        CHECK(status == DFOLD_OK);
    }
    for (at = 0; dfold_reader_finding(reader, at, &finding) == DFOLD_OK; at++) {
        has_no_canary("the message of a finding", finding.message);
        has_no_canary("the path of a finding", finding.path);
    }
    CHECK(at > 0 || status != DFOLD_OK);
    CHECK(dfold_reader_findings_json(reader, &json) == DFOLD_OK);
    has_no_canary("findings as JSON", json);
    dfold_reader_free(reader);
}

static void reports_of_a_check(void) {
    char stream[8000] = "";
    dfold_problem problem;
    dfold_report *report = NULL;
    dfold_bytes text;
    size_t at;
    for (at = 0; at < COUNT; at++) strcat(stream, FRAMES[at]);
    CHECK(dfold_check(bytes_of(stream), strlen(stream), dfold_view("{}"), &problem, &report) == DFOLD_OK);
    CHECK(dfold_report_text(report, &text) == DFOLD_OK);
    has_no_canary("a report as text", text);
    CHECK(dfold_report_findings_json(report, &text) == DFOLD_OK);
    has_no_canary("the findings of a report", text);
    dfold_report_free(report);
    report = NULL;
    CHECK(dfold_validate(dfold_view("request"), dfold_view("{\"model\":[\"" CANARY "\"],\"input\":{\"" CANARY "\":1},\"tools\":\"" CANARY "\"}"),
                         dfold_view("{}"), &problem, &report) == DFOLD_OK);
    CHECK(dfold_report_text(report, &text) == DFOLD_OK);
    has_no_canary("a report about a request", text);
    dfold_report_free(report);
}

static void refused_input(void) {
    static const char *const INTENTS[] = {
        "{\"do\":\"text\",\"item\":7,\"text\":\"" CANARY "\"}",
        "{\"do\":\"text\",\"text\":[\"" CANARY "\"]}",
        "{\"do\":\"item\",\"item\":{\"type\":\"message\",\"role\":\"" CANARY "\",\"content\":\"" CANARY "\"}}",
        "{\"do\":\"text\",\"text\":\"" CANARY "\"",
        "[\"" CANARY "\"]",
    };
    dfold_problem problem;
    dfold_error error;
    dfold_writer *writer = NULL;
    dfold_partial *partial = NULL;
    dfold_converter *converter = NULL;
    dfold_tool_loop *tools = NULL;
    dfold_reader *reader = NULL;
    dfold_bytes text;
    size_t at;

    CHECK(dfold_writer_new_json(dfold_view("{\"id\":\"resp_1\"}"), &problem, &writer) == DFOLD_OK);
    for (at = 0; at < sizeof INTENTS / sizeof *INTENTS; at++) {
        CHECK(dfold_writer_apply_json(writer, bytes_of(INTENTS[at]), strlen(INTENTS[at]), NULL) != DFOLD_OK);
        CHECK(dfold_writer_error(writer, &error) == DFOLD_OK);
        has_no_canary("the error of a writer", error.message);
    }
    dfold_writer_free(writer);

    CHECK(dfold_partial_new(dfold_view("{}"), &problem, &partial) == DFOLD_OK);
    CHECK(dfold_partial_push(partial, bytes_of("{\"" CANARY "\":" CANARY), strlen("{\"" CANARY "\":" CANARY)) != DFOLD_OK);
    CHECK(dfold_partial_error(partial, &error) == DFOLD_OK);
    has_no_canary("the error of incomplete JSON", error.message);
    dfold_partial_free(partial);

    CHECK(dfold_converter_new(dfold_view("{\"from\":\"anthropic\",\"to\":\"open-responses\"}"), &problem, &converter) == DFOLD_OK);
    for (at = 0; at < COUNT; at++) (void)dfold_converter_feed(converter, bytes_of(FRAMES[at]), strlen(FRAMES[at]));
    (void)dfold_converter_finish(converter);
    CHECK(dfold_converter_report(converter, &text) == DFOLD_OK);
    has_no_canary("the report of a converter", text);
    if (dfold_converter_error(converter, &error) == DFOLD_OK) has_no_canary("the error of a converter", error.message);
    dfold_converter_free(converter);

    CHECK(dfold_tool_loop_new(dfold_view("{\"request\":{\"model\":\"m\",\"input\":\"" CANARY "\"}}"), &problem, &tools) == DFOLD_OK);
    CHECK(dfold_tool_loop_apply(tools, dfold_view("{\"output\":\"" CANARY "\"")) != DFOLD_OK);
    CHECK(dfold_tool_loop_error(tools, &error) == DFOLD_OK);
    has_no_canary("the error of a tool loop", error.message);
    dfold_tool_loop_free(tools);

    CHECK(dfold_reader_restore_json(bytes_of(CANARY), strlen(CANARY), dfold_view("{}"), &problem, &reader) != DFOLD_OK);
    has_no_canary("an invalid saved state", dfold_view(problem.message));
    CHECK(dfold_tool_loop_new(dfold_view("{\"request\":\"" CANARY "\"}"), &problem, &tools) != DFOLD_OK);
    has_no_canary("an invalid request", dfold_view(problem.message));
}

int main(void) {
    findings_and_errors_of_a_reader("{\"layers\":\"all\"}");
    findings_and_errors_of_a_reader("{\"layers\":\"all\",\"strict\":true}");
    findings_and_errors_of_a_reader("{\"layers\":\"none\",\"limits\":{\"frame_bytes\":100}}");
    findings_and_errors_of_a_reader("{\"layers\":\"none\",\"limits\":{\"items\":0}}");
    reports_of_a_check();
    refused_input();
    CHECK(checked_texts > 60);
    return report("secrets");
}
