/* The whole path through the C functions, one chunk per event, for comparing with the Rust reader:  read STREAM ROUNDS
 *
 * Prints what it read, and the processor time of an event in nanoseconds: the median of the rounds. */

#include <deltafold.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct folded {
    uint64_t events, text_bytes, hash, completed_bytes;
};

static void add(struct folded *folded, dfold_bytes text) {
    size_t i;
    for (i = 0; i < text.len; i++) folded->hash = (folded->hash ^ text.data[i]) * UINT64_C(0x100000001b3);
    folded->text_bytes += text.len;
}

/* The function that is counted and timed: like the Rust contender, it takes the text from the response at the end. Not static, so that
 * callgrind can select it by name. */
dfold_reader *counted(const uint8_t *const *ends, size_t chunks, const uint8_t *stream, struct folded *folded);

dfold_reader *counted(const uint8_t *const *ends, size_t chunks, const uint8_t *stream, struct folded *folded) {
    dfold_reader *reader = NULL;
    dfold_event event;
    size_t i;
    if (dfold_reader_new(NULL, &reader) != DFOLD_OK) exit(1);
    for (i = 0; i < chunks; i++) {
        if (dfold_reader_feed(reader, stream, (size_t)(ends[i] - stream)) != DFOLD_OK) exit(1);
        stream = ends[i];
        while (dfold_reader_poll(reader, &event) == DFOLD_OK) {
            folded->events++;
            if (event.kind == DFOLD_KIND_COMPLETED) folded->completed_bytes = event.raw.len;
        }
    }
    return reader;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv) {
    size_t rounds = argc == 3 ? (size_t)atoi(argv[2]) : 0, size = 0, chunks = 0, i, round;
    FILE *file = rounds ? fopen(argv[1], "rb") : NULL;
    uint8_t *stream = malloc(64 << 20);
    const uint8_t **ends = malloc(sizeof *ends * 300000);
    double *times = malloc(sizeof *times * (rounds + 1));
    struct folded folded;
    if (!file || !stream || !ends || !times) return 2;
    size = fread(stream, 1, 64 << 20, file);
    fclose(file);
    for (i = 1; i < size; i++) {
        if (stream[i] == '\n' && stream[i - 1] == '\n' && chunks < 300000) ends[chunks++] = stream + i + 1;
    }
    for (round = 0; round < rounds; round++) {
        dfold_reader *reader;
        dfold_item item;
        dfold_part part;
        size_t at, place;
        double from = now();
        memset(&folded, 0, sizeof folded);
        folded.hash = UINT64_C(0xcbf29ce484222325);
        reader = counted(ends, chunks, stream, &folded);
        times[round] = now() - from;
        for (at = 0; dfold_reader_item(reader, at, &item) == DFOLD_OK; at++) {
            for (place = 0; dfold_reader_part(reader, at, place, &part) == DFOLD_OK; place++) add(&folded, part.text);
            if (item.parts == 0) add(&folded, item.arguments);
        }
        dfold_reader_free(reader);
    }
    qsort(times, rounds, sizeof *times, ascending);
    printf("%" PRIu64 " events, %" PRIu64 " bytes of text, hash %016" PRIx64 ", %" PRIu64 " bytes completed\n", folded.events,
           folded.text_bytes, folded.hash, folded.completed_bytes);
    fprintf(stderr, "%.1f ns per event\n", times[rounds / 2] / (double)folded.events);
    free(stream);
    free(ends);
    free(times);
    return 0;
}
