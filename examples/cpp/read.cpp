// Prints the text and the tool calls of a stream in a file:  read FILE

#include <deltafold.hpp>

#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
    std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
    if (!file) return 2;

    deltafold::Reader reader;
    char chunk[100];
    // Like a socket, this splits the stream at arbitrary bytes.
    while (file.read(chunk, sizeof chunk), file.gcount() > 0) {
        for (const deltafold::Event &event : reader.feed({chunk, static_cast<std::size_t>(file.gcount())})) {
            if (event.kind() == DFOLD_KIND_OUTPUT_TEXT_DELTA) std::cout << event.delta();
        }
    }
    const deltafold::Outcome outcome = reader.finish();

    std::cout << '\n';
    for (const deltafold::Item &item : reader.response().items()) {
        if (!item.call_id().empty()) std::cout << item.name() << ' ' << item.arguments() << '\n';
    }
    const dfold_state state = reader.state();
    std::cout << outcome.name() << " after " << state.events << " events, " << state.findings << " findings\n";
}

// prints:
// The canal path from Écluse-Neuve to Port-Brun is 38 km and closed to cars. Let me look at the weather and the way back. 🚲
// get_forecast {"place":"Port-Brun","day":"2026-04-25"}
// find_trains {"from":"Port-Brun","to":"Écluse-Neuve","bikes":2}
// completed after 40 events, 0 findings
