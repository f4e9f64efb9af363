/* Reads a stream from a server as it arrives, with libcurl's multi interface:  fetch URL
 *
 * The event loop belongs to the program, which can add other transfers and timers; deltafold needs no thread. */

#include <curl/curl.h>
#include <deltafold.h>

#include <stdio.h>

static void print(dfold_bytes view) { fwrite(view.data, 1, view.len, stdout); }

/* Called by libcurl with bytes: feeds them and prints the events that they complete. */
static size_t take(char *data, size_t size, size_t count, void *user) {
    dfold_reader *reader = user;
    dfold_event event;
    dfold_bytes json;
    size_t item;
    if (dfold_reader_feed(reader, (const uint8_t *)data, size * count) != DFOLD_OK) return 0;
    while (dfold_reader_poll(reader, &event) == DFOLD_OK) {
        if (event.kind == DFOLD_KIND_OUTPUT_TEXT_DELTA) {
            print(event.delta);
            fflush(stdout);
        } else if (event.kind == DFOLD_KIND_FUNCTION_CALL_ARGUMENTS_DONE) {
            /* Finds the item by the event's index; its arguments can be read at any time, also when they are incomplete. */
            dfold_reader_find_item(reader, event.output_index, &item);
            dfold_reader_partial_arguments(reader, item, &json);
            printf("\narguments of item %u: ", (unsigned)item);
            print(json);
        }
    }
    return size * count;
}

int main(int argc, char **argv) {
    dfold_reader *reader = NULL;
    dfold_outcome outcome;
    dfold_usage usage;
    CURLM *multi;
    CURL *easy;
    int running = 1;
    if (argc != 2 || dfold_reader_new(NULL, &reader) != DFOLD_OK) return 2;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, (void *)reader);
    curl_multi_add_handle(multi, easy);
    while (curl_multi_perform(multi, &running) == CURLM_OK && running) {
        curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    curl_multi_remove_handle(multi, easy);
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
    curl_global_cleanup();

    /* The outcome of a broken connection is `truncated`: resume after the last sequence number. */
    dfold_reader_finish(reader, &outcome);
    printf("\n");
    print(outcome.name);
    if (dfold_reader_usage(reader, &usage) == DFOLD_OK) {
        printf(", %u + %u tokens", (unsigned)usage.input_tokens, (unsigned)usage.output_tokens);
    }
    printf("\n");
    dfold_reader_free(reader);
    return outcome.kind == DFOLD_OUTCOME_COMPLETED ? 0 : 1;
}

// prints:
// The canal path from Écluse-Neuve to Port-Brun is 38 km and closed to cars. Let me look at the weather and the way back. 🚲
// arguments of item 2: {"place":"Port-Brun","day":"2026-04-25"}
// arguments of item 3: {"from":"Port-Brun","to":"Écluse-Neuve","bikes":2}
// completed, 412 + 139 tokens
