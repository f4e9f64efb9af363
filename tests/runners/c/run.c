/* The C runner; the protocol is in tests/runners/README.md. */

#include <deltafold.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The current object, and the output of its last command. */
static struct {
    enum { NOTHING, SSE, READER, PARTIAL, WRITER, CONVERT, VALIDATE, ASK, LOOP } kind;
    dfold_sse *sse;
    dfold_reader *reader;
    dfold_partial *partial;
    dfold_writer *writer;
    dfold_converter *converter;
    dfold_tool_loop *tools;
    char *what;
    dfold_bytes options;
    /* An error was printed, or the input was cancelled: further input is ignored. */
    int over;
} object;

static void drop(void) {
    dfold_sse_free(object.sse);
    dfold_reader_free(object.reader);
    dfold_partial_free(object.partial);
    dfold_writer_free(object.writer);
    dfold_converter_free(object.converter);
    dfold_tool_loop_free(object.tools);
    free(object.what);
    free((void *)object.options.data);
    memset(&object, 0, sizeof object);
}

static void show_text(dfold_bytes text) {
    size_t i;
    putchar('"');
    for (i = 0; i < text.len; i++) {
        unsigned char byte = text.data[i];
        if (byte == '"' || byte == '\\') {
            printf("\\%c", byte);
        } else if (byte < 0x20) {
            printf("\\u%04x", byte);
        } else {
            putchar(byte);
        }
    }
    putchar('"');
}

static void show_raw(dfold_bytes json) { fwrite(json.data, 1, json.len, stdout); }

static void show_member(const char *name, dfold_bytes text, int there) {
    printf("\"%s\":", name);
    if (there) {
        show_text(text);
    } else {
        printf("null");
    }
    putchar(',');
}

static void show_number(const char *name, uint64_t number, int there) {
    if (there) {
        printf("\"%s\":%" PRIu64 ",", name, number);
    } else {
        printf("\"%s\":null,", name);
    }
}

static void show_bytes(const char *lead, dfold_bytes bytes) {
    size_t i;
    printf("{%s\"bytes\":\"", lead);
    for (i = 0; i < bytes.len; i++) {
        printf("%02x", bytes.data[i]);
    }
    puts("\"}");
}

static void print_error(dfold_bytes name, uint64_t offset) {
    printf("{\"error\":");
    show_text(name);
    printf(",\"offset\":%" PRIu64 "}\n", offset);
}

/* Prints a failure of the object; only a writer continues after one. */
static void check(dfold_status status) {
    dfold_error error = {0};
    if (status == DFOLD_OK || status == DFOLD_NO_MORE) return;
    switch (object.kind) {
    case SSE: dfold_sse_error(object.sse, &error); break;
    case READER: dfold_reader_error(object.reader, &error); break;
    case PARTIAL: dfold_partial_error(object.partial, &error); break;
    case WRITER: dfold_writer_error(object.writer, &error); break;
    default: dfold_converter_error(object.converter, &error); break;
    }
    if (error.status != status) {
        fprintf(stderr, "the call returned %d, the error has %d\n", (int)status, (int)error.status);
        exit(1);
    }
    print_error(error.name, error.offset);
    object.over = object.kind != WRITER;
}

static void show_event(const dfold_event *event) {
    printf("{\"index\":%" PRIu64 ",", event->index);
    show_member("kind", dfold_kind_name(event->kind), 1);
    show_member("type", event->type, 1);
    show_number("sequence_number", event->sequence_number, event->has & DFOLD_HAS_SEQUENCE_NUMBER);
    show_member("item_id", event->item_id, event->has & DFOLD_HAS_ITEM_ID);
    show_number("output_index", event->output_index, event->has & DFOLD_HAS_OUTPUT_INDEX);
    show_number("content_index", event->content_index, event->has & DFOLD_HAS_CONTENT_INDEX);
    show_number("summary_index", event->summary_index, event->has & DFOLD_HAS_SUMMARY_INDEX);
    show_number("offset", event->offset, 1);
    show_member("delta", event->delta, 1);
    show_member("text", event->text, event->has & DFOLD_HAS_TEXT);
    printf("\"raw\":");
    show_text(event->raw);
    puts("}");
}

static void poll_events(void) {
    dfold_event event;
    dfold_status status;
    while ((status = dfold_reader_poll(object.reader, &event)) == DFOLD_OK) {
        show_event(&event);
    }
    check(status);
}

static void show_outcome(const dfold_outcome *outcome) {
    printf("{\"outcome\":{\"outcome\":");
    show_text(outcome->name);
    if (outcome->kind == DFOLD_OUTCOME_INCOMPLETE) {
        printf(",\"reason\":");
        show_text(outcome->reason);
    } else if (outcome->kind == DFOLD_OUTCOME_FAILED) {
        printf(",\"error\":{");
        show_member("type", outcome->error_type, 1);
        show_member("code", outcome->error_code, 1);
        show_member("param", outcome->error_param, outcome->has_error_param);
        printf("\"message\":");
        show_text(outcome->error_message);
        putchar('}');
    } else if (outcome->kind == DFOLD_OUTCOME_TRUNCATED && outcome->has_last_sequence_number) {
        printf(",\"last_sequence_number\":%" PRIu64, outcome->last_sequence_number);
    } else if (outcome->kind == DFOLD_OUTCOME_TRUNCATED) {
        printf(",\"last_sequence_number\":null");
    }
    printf("},");
}

static void finish_reader(void) {
    dfold_outcome outcome;
    dfold_bytes text;
    dfold_state state;
    dfold_reader_end(object.reader);
    if (!object.over) poll_events();
    if (!object.over) check(dfold_reader_finish(object.reader, &outcome));
    dfold_reader_finish(object.reader, &outcome);
    dfold_reader_outcome(object.reader, &outcome);
    show_outcome(&outcome);
    dfold_reader_output_text(object.reader, &text);
    show_member("output_text", text, 1);
    dfold_reader_state(object.reader, &state);
    show_number("last_sequence_number", state.last_sequence_number, state.has_last_sequence_number);
    show_number("activity", state.activity, 1);
    printf("\"findings\":");
    dfold_reader_findings_json(object.reader, &text);
    show_raw(text);
    printf(",\"response\":");
    dfold_reader_response_json(object.reader, &text);
    show_raw(text);
    puts("}");
}

static void resume(void) {
    dfold_bytes saved;
    dfold_reader *resumed = NULL;
    dfold_problem problem;
    dfold_reader_save(object.reader, &saved);
    if (dfold_reader_restore_json(saved.data, saved.len, object.options, &problem, &resumed) != DFOLD_OK) {
        print_error(dfold_status_name(problem.status), problem.offset);
        object.over = 1;
        return;
    }
    dfold_reader_free(object.reader);
    object.reader = resumed;
}

static void show_value(void) {
    dfold_bytes value = {NULL, 0};
    int there = dfold_partial_value(object.partial, &value) == DFOLD_OK;
    show_member("value", value, there);
}

static void push(dfold_bytes piece) {
    dfold_unfinished open;
    dfold_status status = dfold_partial_push(object.partial, piece.data, piece.len);
    putchar('{');
    show_value();
    if (dfold_partial_unfinished(object.partial, &open) == DFOLD_OK) {
        printf("\"unfinished\":[");
        show_text(open.pointer);
        putchar(',');
        show_text(open.type);
        puts("]}");
    } else {
        puts("\"unfinished\":null}");
    }
    check(status);
}

static void finish_partial(void) {
    dfold_bytes changes;
    bool complete = false;
    if (!object.over) check(dfold_partial_finish(object.partial));
    putchar('{');
    show_value();
    dfold_partial_is_complete(object.partial, &complete);
    printf("\"complete\":%s,\"changes\":", complete ? "true" : "false");
    dfold_partial_changes(object.partial, &changes);
    show_raw(changes);
    puts("}");
}

static void apply(dfold_bytes intent) {
    uint32_t item;
    char lead[32] = "\"item\":null,";
    dfold_bytes bytes;
    dfold_status status = dfold_writer_apply_json(object.writer, intent.data, intent.len, &item);
    if (status != DFOLD_OK) {
        check(status);
        return;
    }
    if (item != DFOLD_NO_ITEM) snprintf(lead, sizeof lead, "\"item\":%" PRIu32 ",", item);
    dfold_writer_take(object.writer, &bytes);
    show_bytes(lead, bytes);
}

static void take_converted(dfold_status status) {
    dfold_bytes bytes;
    dfold_converter_take(object.converter, &bytes);
    show_bytes("", bytes);
    check(status);
}

static void finish_converter(void) {
    dfold_bytes bytes, report;
    dfold_status status = object.over ? DFOLD_OK : dfold_converter_finish(object.converter);
    dfold_converter_take(object.converter, &bytes);
    show_bytes("", bytes);
    dfold_converter_report(object.converter, &report);
    show_raw(report);
    putchar('\n');
    check(status);
}

static void validate(dfold_bytes json) {
    dfold_report *report = NULL;
    dfold_problem problem;
    dfold_bytes findings;
    if (dfold_validate(dfold_view(object.what), json, object.options, &problem, &report) != DFOLD_OK) {
        print_error(dfold_status_name(problem.status), problem.offset);
        object.over = 1;
        return;
    }
    dfold_report_findings_json(report, &findings);
    show_raw(findings);
    putchar('\n');
    dfold_report_free(report);
}

static void ask(dfold_bytes json) {
    dfold_text *text = NULL;
    dfold_problem problem;
    dfold_bytes answer;
    if (dfold_request(dfold_view(object.what), json, &problem, &text) != DFOLD_OK) {
        print_error(dfold_status_name(problem.status), problem.offset);
        object.over = 1;
        return;
    }
    dfold_text_view(text, &answer);
    show_raw(answer);
    putchar('\n');
    dfold_text_free(text);
}

/* A refused step changes nothing, so the loop continues. */
static void step(dfold_status status) {
    dfold_bytes json;
    dfold_error error;
    if (status != DFOLD_OK) {
        if (dfold_tool_loop_error(object.tools, &error) == DFOLD_OK) print_error(error.name, error.offset);
        return;
    }
    printf("{\"loop\":");
    dfold_tool_loop_json(object.tools, &json);
    show_raw(json);
    printf(",\"request\":");
    dfold_tool_loop_request(object.tools, &json);
    show_raw(json);
    puts("}");
}

static void frames(dfold_bytes chunk) {
    size_t at = 0;
    dfold_signal signal;
    dfold_status status;
    while ((status = dfold_sse_next(object.sse, chunk.data, chunk.len, &at, &signal)) == DFOLD_OK) {
        if (signal.kind != DFOLD_SIGNAL_FRAME) continue;
        putchar('{');
        show_member("event", signal.event, 1);
        show_member("data", signal.data, 1);
        show_member("id", signal.id, 1);
        show_number("retry", signal.retry, signal.has_retry);
        printf("\"offset\":%" PRIu64 "}\n", signal.offset);
    }
    check(status);
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* Copies bytes to a heap block of their exact size, so that a sanitizer detects an access beyond them. */
static dfold_bytes unhex(const char *text) {
    size_t i, len = strlen(text) / 2;
    uint8_t *bytes = malloc(len ? len : 1);
    dfold_bytes view;
    if (!bytes) exit(1);
    for (i = 0; i < len; i++) {
        bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    }
    view.data = bytes;
    view.len = len;
    return view;
}

/* Creates the object of a command; returns 0 if the command creates none. */
static int make(const char *word, char *rest) {
    dfold_problem problem;
    dfold_status status = DFOLD_OK;
    char *options = rest;
    static const char *const words[] = {"", "sse", "reader", "partial", "writer", "convert", "validate", "ask", "loop"};
    int kind = LOOP;
    while (kind > NOTHING && strcmp(words[kind], word) != 0) kind--;
    if (kind == NOTHING) return 0;
    drop();
    if (kind == VALIDATE || kind == ASK) {
        options += strcspn(rest, " ");
        if (*options) *options++ = '\0';
        object.what = strdup(rest);
    }
    object.options = unhex(options);
    switch (kind) {
    case SSE: status = dfold_sse_new_json(object.options, &problem, &object.sse); break;
    case READER: status = dfold_reader_new_json(object.options, &problem, &object.reader); break;
    case PARTIAL: status = dfold_partial_new(object.options, &problem, &object.partial); break;
    case WRITER: status = dfold_writer_new_json(object.options, &problem, &object.writer); break;
    case CONVERT: status = dfold_converter_new(object.options, &problem, &object.converter); break;
    case LOOP: status = dfold_tool_loop_new(object.options, &problem, &object.tools); break;
    default: break;
    }
    if (status != DFOLD_OK) {
        drop();
        print_error(dfold_status_name(problem.status), problem.offset);
        return 1;
    }
    object.kind = kind;
    return 1;
}

/* Runs a line on the object; returns 0 if the command is unknown. Only a result has two values. */
static int take(const char *word, dfold_bytes bytes, dfold_bytes second) {
    int feed = strcmp(word, "feed") == 0;
    switch (object.kind) {
    case SSE:
        if (feed) frames(bytes);
        return feed;
    case READER:
        if (feed || strcmp(word, "feed_json") == 0) {
            dfold_status status = feed ? dfold_reader_feed(object.reader, bytes.data, bytes.len)
                                       : dfold_reader_feed_json(object.reader, bytes.data, bytes.len);
            check(status);
            if (status == DFOLD_OK) poll_events();
            return 1;
        }
        if (strcmp(word, "request") == 0) {
            check(dfold_reader_note_request(object.reader, bytes.data, bytes.len));
            return 1;
        }
        if (strcmp(word, "reconnect") == 0) {
            check(dfold_reader_reconnect(object.reader));
            return 1;
        }
        if (strcmp(word, "resume") == 0) {
            resume();
            return 1;
        }
        return 0;
    case PARTIAL:
        if (feed) push(bytes);
        return feed;
    case WRITER:
        if (strcmp(word, "do") != 0) return 0;
        apply(bytes);
        return 1;
    case CONVERT:
        if (feed) {
            take_converted(dfold_converter_feed(object.converter, bytes.data, bytes.len));
            return 1;
        }
        if (strcmp(word, "cancel") != 0) return 0;
        take_converted(dfold_converter_cancel(object.converter));
        object.over = 1;
        return 1;
    case VALIDATE:
        if (feed) validate(bytes);
        return feed;
    case ASK:
        if (feed) ask(bytes);
        return feed;
    case LOOP:
        if (strcmp(word, "response") == 0) {
            step(dfold_tool_loop_apply(object.tools, bytes));
            return 1;
        }
        if (strcmp(word, "result") != 0) return 0;
        step(dfold_tool_loop_result(object.tools, bytes, second));
        return 1;
    default:
        return 0;
    }
}

static void end(void) {
    dfold_bytes response;
    switch (object.kind) {
    case READER: finish_reader(); break;
    case PARTIAL: finish_partial(); break;
    case WRITER:
        dfold_writer_response_json(object.writer, &response);
        printf("{\"response\":");
        show_raw(response);
        puts("}");
        break;
    case CONVERT: finish_converter(); break;
    default: break;
    }
    drop();
    puts("{\"end\":true}");
    fflush(stdout);
}

static int is_verb(const char *word) {
    static const char *const verbs[] = {"feed", "feed_json", "request", "reconnect", "resume", "do", "cancel", "response", "result"};
    size_t i;
    for (i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verbs[i], word) == 0) return 1;
    }
    return 0;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    int known = 1;
    while (known && getline(&line, &room, stdin) > 0) {
        char *rest;
        line[strcspn(line, "\n")] = '\0';
        rest = line + strcspn(line, " ");
        if (*rest) *rest++ = '\0';
        if (strcmp(line, "end") == 0) {
            end();
        } else if (is_verb(line)) {
            dfold_bytes bytes, second;
            char *more = rest + strcspn(rest, " ");
            if (object.over || object.kind == NOTHING) continue;
            if (*more) *more++ = '\0';
            bytes = unhex(rest);
            second = unhex(more);
            known = take(line, bytes, second);
            free((void *)bytes.data);
            free((void *)second.data);
        } else {
            known = make(line, rest);
        }
    }
    drop();
    free(line);
    return known ? 0 : 2;
}
