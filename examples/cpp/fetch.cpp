// Reads a stream from a server as it arrives, with libcurl's multi interface:  fetch URL

#include <curl/curl.h>
#include <deltafold.hpp>

#include <iostream>
#include <memory>

// Called by libcurl with bytes: feeds them and prints the events that they complete. No exception may pass through libcurl,
// so errors go to an error_code.
static size_t take(char *data, size_t size, size_t count, void *user) {
    auto &reader = *static_cast<deltafold::Reader *>(user);
    std::error_code ec;
    for (const deltafold::Event &event : reader.feed({data, size * count}, &ec)) {
        if (event.kind() == DFOLD_KIND_OUTPUT_TEXT_DELTA) std::cout << event.delta() << std::flush;
        if (event.kind() == DFOLD_KIND_FUNCTION_CALL_ARGUMENTS_DONE) std::cout << '\n' << event.text().value_or("");
    }
    return ec ? 0 : size * count;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    deltafold::Reader reader;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    {
        const std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)> multi(curl_multi_init(), curl_multi_cleanup);
        const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(curl_easy_init(), curl_easy_cleanup);
        curl_easy_setopt(easy.get(), CURLOPT_URL, argv[1]);
        curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, static_cast<void *>(&reader));
        curl_multi_add_handle(multi.get(), easy.get());
        int running = 1;
        while (curl_multi_perform(multi.get(), &running) == CURLM_OK && running) {
            curl_multi_poll(multi.get(), nullptr, 0, 1000, nullptr);
        }
        curl_multi_remove_handle(multi.get(), easy.get());
    }
    curl_global_cleanup();

    // The outcome of a broken connection is `truncated`: resume after the last sequence number.
    const deltafold::Outcome outcome = reader.finish();
    std::cout << '\n' << outcome.name() << '\n';
    return outcome.kind() == DFOLD_OUTCOME_COMPLETED ? 0 : 1;
}

// prints:
// The canal path from Écluse-Neuve to Port-Brun is 38 km and closed to cars. Let me look at the weather and the way back. 🚲
// {"place":"Port-Brun","day":"2026-04-25"}
// {"from":"Port-Brun","to":"Écluse-Neuve","bikes":2}
// completed
