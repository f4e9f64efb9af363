/* Requests: history, enforcement, advice and messages by name, and a tool loop up to its final response. */

#include "check.h"

static int contains(dfold_bytes view, const char *text) {
    size_t at, len = strlen(text);
    for (at = 0; at + len <= view.len; at++) {
        if (memcmp(view.data + at, text, len) == 0) return 1;
    }
    return 0;
}

/* Calls dfold_request by name and compares the result: exactly, or as a substring if `answer` begins with an ellipsis. */
static void expect(const char *what, const char *json, const char *answer) {
    dfold_text *made = NULL;
    dfold_problem problem;
    dfold_bytes text;
    if (dfold_request(dfold_view(what), dfold_view(json), &problem, &made) != DFOLD_OK) {
        fprintf(stderr, "%s: %s\n", what, problem.message);
        failures++;
        return;
    }
    CHECK(dfold_text_view(made, &text) == DFOLD_OK);
    if (strncmp(answer, "...", 3) == 0 ? !contains(text, answer + 3) : !equals(text, answer)) {
        fprintf(stderr, "%s: expected %s, found %.*s\n", what, answer, (int)text.len, (const char *)text.data);
        failures++;
    }
    dfold_text_free(made);
}

static void operations_are_selected_by_name(void) {
    expect("create_message", "{\"request\":{\"model\":\"m-1\",\"stream\":true}}",
         "{\"message\":{\"type\":\"response.create\",\"model\":\"m-1\"},\"left_out\":[\"stream\"]}");
    expect("advice", "{\"error\":{\"error\":{\"type\":\"too_many_requests\",\"message\":\"m\"}},\"status\":429,\"headers\":{\"Retry-After\":\"20\"}}",
         "...\"action\":\"retry\",\"after\":20");
    expect("history",
         "{\"policy\":\"stateful\",\"request\":{\"model\":\"m\",\"input\":\"Hi\"},\"steps\":[{\"response\":{\"id\":\"resp_1\",\"output\":[]}}]}",
         "...\"previous_response_id\":\"resp_1\"");
    expect("enforce",
         "{\"request\":{\"tool_choice\":\"none\",\"tools\":[{\"type\":\"function\",\"name\":\"f\"}]},\"response\":{\"output\":[{\"type\":"
         "\"function_call\",\"call_id\":\"c1\",\"name\":\"f\",\"arguments\":\"{}\"}]}}",
         "...\"reason\":\"no_tools\"");
}

static const char *const OPTIONS =
    "{\"request\":{\"model\":\"m\",\"input\":\"2+2?\",\"tools\":[{\"type\":\"function\",\"name\":\"add\"},{\"type\":\"function\",\"name\":"
    "\"drop\"}],\"tool_choice\":{\"type\":\"allowed_tools\",\"mode\":\"auto\",\"tools\":[{\"type\":\"function\",\"name\":\"add\"}]}}}";

static const char *const CALLS =
    "{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":["
    "{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"c1\",\"name\":\"add\",\"arguments\":\"{\\\"a\\\":2}\",\"status\":\"completed\"},"
    "{\"type\":\"function_call\",\"id\":\"fc_2\",\"call_id\":\"c2\",\"name\":\"drop\",\"arguments\":\"{}\",\"status\":\"completed\"},"
    "{\"type\":\"function_call\",\"id\":\"fc_3\",\"call_id\":\"c3\",\"name\":\"add\",\"arguments\":\"{}\",\"status\":\"completed\"}]}";

static void a_tool_loop_reaches_its_final_response(void) {
    dfold_tool_loop *tools = NULL;
    dfold_loop_state state;
    dfold_call call;
    dfold_bytes json;
    dfold_error error;
    CHECK(dfold_tool_loop_new(dfold_view(OPTIONS), NULL, &tools) == DFOLD_OK);
    CHECK(dfold_tool_loop_state(tools, &state) == DFOLD_OK && state.state == DFOLD_LOOP_READY && state.turns == 0);
    CHECK(dfold_tool_loop_apply(tools, dfold_view(CALLS)) == DFOLD_OK);
    CHECK(dfold_tool_loop_state(tools, &state) == DFOLD_OK && state.state == DFOLD_LOOP_WAITING);
    CHECK(state.pending == 2 && state.rejected == 1 && state.turns == 1 && state.reason.len == 0);
    CHECK(dfold_tool_loop_rejected(tools, 0, &call) == DFOLD_OK);
    CHECK(equals(call.name, "drop") && equals(call.reason, "not_allowed") && call.index == 1);
    CHECK(contains(call.answer, "{\"type\":\"function_call_output\",\"call_id\":\"c2\"") && contains(call.item, "\"id\":\"fc_2\""));
    CHECK(dfold_tool_loop_rejected(tools, 1, &call) == DFOLD_NO_MORE);
    CHECK(dfold_tool_loop_pending(tools, 0, &call) == DFOLD_OK);
    CHECK(equals(call.type, "function_call") && equals(call.call_id, "c1") && equals(call.arguments, "{\"a\":2}"));
    CHECK(call.reason.len == 0 && call.answer.len == 0 && contains(call.item, "\"id\":\"fc_1\""));

    /* Results in any order, and a result for a call that is not pending. */
    CHECK(dfold_tool_loop_result(tools, dfold_view("c3"), dfold_view("{\"error\":\"no\"}")) == DFOLD_OK);
    CHECK(dfold_tool_loop_result(tools, dfold_view("c3"), dfold_view("\"again\"")) == DFOLD_MISUSE_INTENT);
    CHECK(dfold_tool_loop_error(tools, &error) == DFOLD_OK && error.status == DFOLD_MISUSE_INTENT && error.message.len > 0);
    CHECK(dfold_tool_loop_result(tools, dfold_view("c1"), dfold_view("\"4\"")) == DFOLD_OK);
    CHECK(dfold_tool_loop_state(tools, &state) == DFOLD_OK && state.state == DFOLD_LOOP_READY && state.pending == 0);
    CHECK(dfold_tool_loop_request(tools, &json) == DFOLD_OK);
    CHECK(contains(json, "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":\"4\"}"));
    CHECK(contains(json, "\"call_id\":\"c2\",\"output\":\"{") && contains(json, "does not allow this tool"));

    CHECK(dfold_tool_loop_apply(tools, dfold_view("{\"id\":\"resp_2\",\"status\":\"completed\",\"output\":[]}")) == DFOLD_OK);
    CHECK(dfold_tool_loop_state(tools, &state) == DFOLD_OK && state.state == DFOLD_LOOP_FINISHED);
    CHECK(dfold_tool_loop_json(tools, &json) == DFOLD_OK && contains(json, "\"state\":\"finished\""));
    CHECK(dfold_tool_loop_stop(tools) == DFOLD_OK);
    CHECK(dfold_tool_loop_state(tools, &state) == DFOLD_OK && state.state == DFOLD_LOOP_STOPPED && equals(state.reason, "caller"));
    dfold_tool_loop_free(tools);
}

int main(void) {
    operations_are_selected_by_name();
    a_tool_loop_reaches_its_final_response();
    return report("requests");
}
