// Writes a stream with a tool call, reads it back, and handles an error without an exception.

#include <deltafold.hpp>

#include <iostream>

int main() {
    deltafold::Writer writer(deltafold::WriterOptions("resp_1", "m-1", 1767225600));
    const auto call = writer.function_call("call_1", "get_forecast");
    for (std::string_view delta : {"{\"place\":", "\"Port-", "Brun\"}"}) writer.arguments(call, delta);
    writer.complete();

    deltafold::Reader reader;
    for (const deltafold::Event &event : reader.feed(writer.take())) {
        if (event.kind() != DFOLD_KIND_FUNCTION_CALL_ARGUMENTS_DELTA) continue;
        std::cout << *reader.response().item_at_index(*event.output_index())->partial_arguments() << '\n';
    }

    std::error_code ec;
    writer.arguments(call, "late", &ec);
    std::cout << ec.message() << '\n';
}

// prints:
// {}
// {"place":"Port-"}
// {"place":"Port-Brun"}
// the stream's state does not allow this
