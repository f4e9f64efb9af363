/* The C++ wrapper: ranges, views, exceptions and error codes, moves. */

#include <deltafold.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

static int failures = 0;

#define CHECK(condition)                                                           \
    do {                                                                           \
        if (!(condition)) {                                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            failures++;                                                            \
        }                                                                          \
    } while (0)

static std::string written() {
    deltafold::Writer writer(deltafold::WriterOptions("resp_1", "m-1", 5));
    const auto message = writer.message();
    writer.text(message, "Hel");
    writer.text(message, "lo");
    const auto call = writer.function_call("call_1", "weather");
    writer.arguments(call, "{\"city\":\"Par");
    writer.arguments(call, "is\"}");
    CHECK(!writer.apply("{\"do\":\"close\"}"));
    dfold_usage usage = {};
    usage.input_tokens = 3;
    usage.output_tokens = 2;
    writer.complete(usage);
    CHECK(writer.progress().ended);
    return std::string(writer.take());
}

static void a_stream_is_read_by_ranges() {
    const std::string stream = written();
    for (std::size_t step : {std::size_t(1), std::size_t(50), stream.size()}) {
        deltafold::Reader reader;
        std::string text;
        std::size_t events = 0;
        for (std::size_t at = 0; at < stream.size(); at += step) {
            for (const deltafold::Event &event : reader.feed(std::string_view(stream).substr(at, step))) {
                CHECK(event.sequence_number() == events);
                CHECK(event.frame_name() == event.type());
                if (event.kind() == DFOLD_KIND_OUTPUT_TEXT_DELTA) text += event.delta();
                if (event.kind() == DFOLD_KIND_OUTPUT_ITEM_ADDED) CHECK(event.get("/item/id")->text().size() > 3);
                if (event.kind() == DFOLD_KIND_OUTPUT_TEXT_DONE) CHECK(event.text() == "Hello");
                if (event.kind() == DFOLD_KIND_CREATED) CHECK(!event.output_index() && !event.item_id());
                events++;
            }
        }
        for (const deltafold::Event &event : reader.end()) CHECK(event.is_faulty());
        CHECK(text == "Hello");
        const deltafold::Outcome outcome = reader.finish();
        CHECK(outcome.kind() == DFOLD_OUTCOME_COMPLETED && outcome.name() == "completed");
        const deltafold::Response response = reader.response();
        CHECK(response.id() == "resp_1" && response.model() == "m-1" && response.size() == 2);
        CHECK(response.output_text() == "Hello" && response.usage()->input_tokens == 3);
        CHECK(response.get("/usage/total_tokens")->integer() == 5);
        std::vector<std::string> types;
        for (const deltafold::Item &item : response.items()) {
            types.emplace_back(item.type());
            for (const deltafold::Part &part : item.parts()) CHECK(part.type == "output_text" && part.text == "Hello");
        }
        CHECK(types == (std::vector<std::string>{"message", "function_call"}));
        CHECK(response.item_at_index(1)->partial_arguments() == "{\"city\":\"Paris\"}");
        CHECK(response.item(1)->get("/name")->text() == "weather" && !response.item(2));
        for (const deltafold::Finding &finding : reader.findings()) CHECK(finding.rule() == "no finding");
        CHECK(reader.state().events == events);
    }
}

static void errors_are_thrown_or_stored() {
    deltafold::Reader reader;
    CHECK(reader.finish().kind() == DFOLD_OUTCOME_TRUNCATED);
    try {
        reader.feed("x");
        CHECK(!"feeding after the end throws");
    } catch (const deltafold::Error &error) {
        CHECK(error.status() == DFOLD_MISUSE_AFTER_FINISH && error.name() == "misuse.after_finish");
        CHECK(std::string(error.what()).find("already finished") != std::string::npos);
    }
    try {
        auto strict = deltafold::Reader::from_json("{\"strict\":true,\"layers\":\"all\",\"profile\":\"open-responses\"}");
        for (const deltafold::Event &event : strict.feed("data: {\"type\":\"response.created\",\"sequence_number\":-1}\n\n")) (void)event;
        CHECK(!"a strict reader throws at the first error");
    } catch (const deltafold::Error &error) {
        const std::string what = error.what();
        CHECK(error.status() == DFOLD_STRICT_VIOLATION);
        CHECK(what.find("the stream breaks a rule") == 0 && what.find("LIFE-04") != std::string::npos);
        CHECK(what.find("byte 6") != std::string::npos && error.offset() == 6);
        CHECK(what.find("the stream breaks a rule", 1) == std::string::npos);
    }
    std::error_code ec;
    for (const deltafold::Event &event : reader.feed("x", &ec)) CHECK(event.is_faulty());
    CHECK(ec == DFOLD_MISUSE_AFTER_FINISH && ec.category() == deltafold::category());
    reader.reset(&ec);
    CHECK(!ec);
    try {
        deltafold::Reader::from_json("{\"strickt\":true}");
        CHECK(!"an unknown option throws");
    } catch (const deltafold::Error &error) {
        CHECK(error.status() == DFOLD_MISUSE_UNKNOWN_NAME);
        CHECK(std::string(error.what()).find("strickt") != std::string::npos);
    }

    deltafold::ReaderOptions options;
    options.limits.line_bytes = 10;
    deltafold::Reader small(options);
    for (const deltafold::Event &event : small.feed("data: 12345678901234567890\n\n", &ec)) CHECK(event.is_faulty());
    CHECK(ec == DFOLD_LIMIT_LINE);
}

static void no_exception_quotes_a_payload() {
    const std::string canary = "K4N4RY";
    const std::string wrong = "data: {\"type\":\"response.output_text.delta\",\"sequence_number\":\"" + canary + "\",\"item_id\":\"" + canary +
                              "\",\"delta\":\"" + canary + "\"}\n\ndata: " + canary + "\n\n";
    int thrown = 0;
    const auto quotes_nothing = [&](auto call) {
        try {
            call();
        } catch (const deltafold::Error &error) {
            thrown++;
            CHECK(std::string(error.what()).find(canary) == std::string::npos);
        }
    };
    quotes_nothing([&] {
        auto reader = deltafold::Reader::from_json("{\"strict\":true,\"layers\":\"all\"}");
        for (const deltafold::Event &event : reader.feed(wrong)) (void)event;
    });
    quotes_nothing([&] {
        auto reader = deltafold::Reader::from_json("{\"limits\":{\"frame_bytes\":20}}");
        for (const deltafold::Event &event : reader.feed(wrong)) (void)event;
    });
    quotes_nothing([&] { deltafold::Reader::restore(canary); });
    quotes_nothing([&] {
        deltafold::Writer writer(deltafold::WriterOptions("resp_1", "m-1", 5));
        writer.apply("{\"do\":\"text\",\"item\":7,\"text\":\"" + canary + "\"}");
    });
    quotes_nothing([&] {
        deltafold::Writer writer(deltafold::WriterOptions("resp_1", "m-1", 5));
        writer.apply("{\"do\":\"item\",\"item\":\"" + canary + "\"}");
    });
    CHECK(thrown == 5);
}

static void a_moved_object_works_and_the_moved_from_object_is_misuse() {
    const std::string stream = written();
    deltafold::Reader first;
    for (const deltafold::Event &event : first.feed(std::string_view(stream).substr(0, 900))) (void)event;
    deltafold::Reader second = std::move(first);
    std::error_code ec;
    first.finish(&ec);
    CHECK(ec == DFOLD_MISUSE);
    CHECK(first.response().id() == "");
    deltafold::Reader third = deltafold::Reader::restore(second.save());
    for (const deltafold::Event &event : third.feed(stream)) (void)event;
    CHECK(third.response().output_text() == "Hello" && third.finish().name() == "completed");
}

static void an_exception_in_the_loop_leaves_the_reader_unchanged() {
    const std::string stream = written();
    deltafold::Reader reader;
    std::size_t events = 0;
    try {
        for (const deltafold::Event &event : reader.feed(stream)) {
            (void)event;
            if (++events == 2) throw std::runtime_error("of the caller");
        }
        CHECK(false);
    } catch (const std::runtime_error &) {
    }
    for (const deltafold::Event &event : reader.feed("")) {
        (void)event;
        events++;
    }
    CHECK(events > 4 && reader.finish().name() == "completed" && reader.response().output_text() == "Hello");
}

static void the_other_handles_are_wrapped() {
    deltafold::Converter converter("{\"to\":\"chat-completions\"}");
    std::string converted(converter.feed(written()));
    converted += converter.finish();
    CHECK(converted.find("\"Hel\"") != std::string::npos && converted.find("[DONE]") != std::string::npos);
    CHECK(converter.report().find("\"lost\":0") != std::string::npos);
    CHECK(deltafold::detect(written()) == "open-responses");

    deltafold::PartialJson partial;
    partial.push("{\"a\":[1,");
    CHECK(partial.value() == "{\"a\":[1]}" && !partial.is_complete());
    partial.push("2]}");
    CHECK(partial.is_complete());
    std::error_code ec;
    partial.push("x", &ec);
    CHECK(ec == DFOLD_JSON_SYNTAX);

    deltafold::SseDecoder decoder;
    std::size_t signals = 0;
    for (const dfold_signal &signal : decoder.feed("event: a\ndata: b\n\n: c\n")) {
        CHECK(deltafold::text(signal.data) == (signals == 0 ? "b" : " c"));
        signals++;
    }
    CHECK(signals == 2);

    const deltafold::Report good = deltafold::check(written());
    CHECK(good.summary().errors == 0 && deltafold::text(good.summary().outcome) == "completed");
    const deltafold::Report bad = deltafold::validate("request", "{\"model\":7}");
    CHECK(bad.summary().errors > 0 && bad.text().find("SCHEMA-") != std::string_view::npos);
    for (const deltafold::Finding &finding : bad.findings()) CHECK(!finding.message().empty());

    deltafold::Writer writer(deltafold::WriterOptions("resp_2"));
    writer.start();
    CHECK(writer.poll()->find("response.created") != std::string_view::npos);
    writer.complete();
    writer.heartbeat(&ec);
    CHECK(ec == DFOLD_MISUSE_INTENT);
}

/* The number after `"name":` in a JSON text. */
static std::int64_t number_at(std::string_view json, const std::string &name) {
    const std::size_t at = json.find("\"" + name + "\":");
    return at == std::string_view::npos ? -1 : std::strtoll(json.data() + at + name.size() + 3, nullptr, 10);
}

static void times_are_those_of_the_clock_unless_they_are_given() {
    const std::int64_t before = std::time(nullptr);
    const auto is_now = [&](std::int64_t seconds) { return before <= seconds && seconds <= std::time(nullptr); };
    deltafold::Writer by_clock(deltafold::WriterOptions("resp_1"));
    by_clock.complete();
    const std::string written_now(by_clock.take());
    CHECK(is_now(number_at(written_now, "created_at")));
    CHECK(is_now(number_at(written_now.substr(written_now.find("response.completed")), "completed_at")));
    deltafold::Writer given = deltafold::Writer::from_json("{\"id\":\"resp_1\",\"created_at\":0}");
    given.complete();
    CHECK(number_at(given.take(), "created_at") == 0);

    const std::string ollama = "{\"model\":\"m\",\"message\":{\"content\":\"Hi\"},\"done\":true,\"done_reason\":\"stop\"}\n";
    const std::string source = "{\"from\":\"ollama\",\"to\":\"open-responses\",\"options\":{\"response_id\":\"r\"";
    deltafold::Converter converter(source + "}}");
    std::string converted(converter.feed(ollama));
    converted += converter.finish();
    CHECK(is_now(number_at(converted, "created_at")));
    deltafold::Converter fixed(source + ",\"now\":5}}");
    CHECK(number_at(fixed.feed(ollama), "created_at") == 5);
}

static void a_source_that_breaks_off_ends_with_a_terminal_event() {
    const std::string whole = written();
    const std::string half = whole.substr(0, whole.find("response.output_text.done"));
    for (const std::string to : {"open-responses", "chat-completions", "anthropic", "ag-ui", "ui-message-stream"}) {
        deltafold::Converter converter("{\"to\":\"" + to + "\",\"options\":{\"thread_id\":\"t\"}}");
        std::string converted(converter.feed(half));
        const std::size_t sent = converted.size();
        converted += converter.finish();
        CHECK(converted.find("ended before a terminal event", sent) != std::string::npos);
    }
}

static void requests_and_tool_loops_are_wrapped() {
    CHECK(deltafold::create_message("{\"request\":{\"model\":\"m\"}}").find("response.create") != std::string::npos);
    CHECK(deltafold::advice("{\"error\":{\"code\":\"server_error\",\"message\":\"m\"}}").find("retry") != std::string::npos);
    CHECK(deltafold::history("{\"steps\":[]}").find("\"findings\":[]") != std::string::npos);
    CHECK(deltafold::enforce("{\"response\":{\"output\":[]}}") == "{\"calls\":[]}");
    std::error_code ec;
    CHECK(deltafold::request("nothing", "{}", &ec).empty() && ec == DFOLD_MISUSE_UNKNOWN_NAME);

    deltafold::ToolLoop tools("{\"request\":{\"tools\":[{\"type\":\"function\",\"name\":\"f\"}]}}");
    tools.apply("{\"output\":[{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"f\",\"arguments\":\"{}\"},"
                "{\"type\":\"function_call\",\"call_id\":\"c2\",\"name\":\"g\",\"arguments\":\"{}\"}]}");
    CHECK(tools.state().state == DFOLD_LOOP_WAITING && tools.rejected().size() == 1);
    CHECK(tools.rejected()[0].reason == "unknown_tool" && tools.rejected()[0].name == "g");
    CHECK(tools.rejected()[0].answer.find("\"call_id\":\"c2\"") != std::string::npos && tools.pending()[0].answer.empty());
    for (const deltafold::ToolLoop::Call &call : tools.pending()) tools.result(call.call_id, "\"done\"");
    CHECK(tools.state().state == DFOLD_LOOP_READY && tools.request().find("\"output\":\"done\"") != std::string_view::npos);
    tools.result("c1", "\"again\"", &ec);
    CHECK(ec == DFOLD_MISUSE_INTENT);
    tools.stop();
    CHECK(tools.json().find("\"caller\"") != std::string_view::npos);
}

int main() {
    a_stream_is_read_by_ranges();
    errors_are_thrown_or_stored();
    no_exception_quotes_a_payload();
    a_moved_object_works_and_the_moved_from_object_is_misuse();
    an_exception_in_the_loop_leaves_the_reader_unchanged();
    the_other_handles_are_wrapped();
    times_are_those_of_the_clock_unless_they_are_given();
    a_source_that_breaks_off_ends_with_a_terminal_event();
    requests_and_tool_loops_are_wrapped();
    if (failures == 0) std::printf("wrapper: ok\n");
    return failures == 0 ? 0 : 1;
}
