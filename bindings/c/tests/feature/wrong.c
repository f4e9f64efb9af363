/* Violations of the contract: AddressSanitizer must end the program with a report. The step that runs it fails if a case returns
 * normally.
 *
 *   wrong feed     a view of an event, used after the next feed
 *   wrong free     a view of an event, used after its reader was freed
 *   wrong text     a view of a text, used after it was freed
 *   wrong handle   a reader, used after it was freed
 *   wrong twice    a reader, freed twice */

#include <deltafold.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char EVENT[] = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hello\"}\n\n";

int main(int argc, char **argv) {
    const char *what = argc == 2 ? argv[1] : "";
    dfold_reader *reader = NULL;
    dfold_event event;
    dfold_text *text = NULL;
    dfold_bytes view;
    if (dfold_reader_new(NULL, &reader) != DFOLD_OK) return 2;
    if (dfold_reader_feed(reader, (const uint8_t *)EVENT, strlen(EVENT)) != DFOLD_OK) return 2;
    if (dfold_reader_poll(reader, &event) != DFOLD_OK) return 2;
    view = event.delta;
    if (strcmp(what, "feed") == 0) {
        /* Larger than the reader's buffer: the bytes move, and the view becomes dangling. */
        size_t len = 1 << 20;
        uint8_t *comment = malloc(len);
        if (!comment) return 2;
        memset(comment, ':', len);
        if (dfold_reader_feed(reader, comment, len) != DFOLD_OK) return 2;
        free(comment);
    } else if (strcmp(what, "free") == 0) {
        dfold_reader_free(reader);
    } else if (strcmp(what, "text") == 0) {
        if (dfold_request(dfold_view("create_message"), dfold_view("{}"), NULL, &text) != DFOLD_OK) return 2;
        if (dfold_text_view(text, &view) != DFOLD_OK) return 2;
        dfold_text_free(text);
    } else if (strcmp(what, "handle") == 0) {
        dfold_reader_free(reader);
        dfold_reader_poll(reader, &event);
    } else if (strcmp(what, "twice") == 0) {
        dfold_reader_free(reader);
        dfold_reader_free(reader);
    } else {
        fprintf(stderr, "usage: wrong feed|free|text|handle|twice\n");
        return 2;
    }
    printf("%s came back: %c\n", what, view.data[0]);
    return 0;
}
