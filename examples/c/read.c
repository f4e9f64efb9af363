/* Prints the text and the tool calls of a stream in a file:  read FILE */

#include <deltafold.h>

#include <stdio.h>

static void print(dfold_bytes view) { fwrite(view.data, 1, view.len, stdout); }

int main(int argc, char **argv) {
    uint8_t chunk[100];
    size_t len, i;
    dfold_reader *reader = NULL;
    dfold_event event;
    dfold_outcome outcome;
    dfold_item item;
    dfold_state state;
    dfold_status status = DFOLD_OK;
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file || dfold_reader_new(NULL, &reader) != DFOLD_OK) return 2;

    /* Like a socket, this splits the stream at arbitrary bytes. */
    while (status >= DFOLD_OK && (len = fread(chunk, 1, sizeof chunk, file)) > 0) {
        status = dfold_reader_feed(reader, chunk, len);
        while (status == DFOLD_OK && (status = dfold_reader_poll(reader, &event)) == DFOLD_OK) {
            if (event.kind == DFOLD_KIND_OUTPUT_TEXT_DELTA) print(event.delta);
        }
    }
    fclose(file);
    if (status < DFOLD_OK) {
        fprintf(stderr, "%s\n", dfold_status_str(status));
        dfold_reader_free(reader);
        return 1;
    }

    dfold_reader_finish(reader, &outcome);
    printf("\n");
    for (i = 0; dfold_reader_item(reader, i, &item) == DFOLD_OK; i++) {
        if (item.call_id.len == 0) continue;
        print(item.name);
        printf(" ");
        print(item.arguments);
        printf("\n");
    }
    dfold_reader_state(reader, &state);
    print(outcome.name);
    printf(" after %u events, %u findings\n", (unsigned)state.events, (unsigned)state.findings);
    dfold_reader_free(reader);
    return 0;
}

// prints:
// The canal path from Écluse-Neuve to Port-Brun is 38 km and closed to cars. Let me look at the weather and the way back. 🚲
// get_forecast {"place":"Port-Brun","day":"2026-04-25"}
// find_trains {"from":"Port-Brun","to":"Écluse-Neuve","bikes":2}
// completed after 40 events, 0 findings
