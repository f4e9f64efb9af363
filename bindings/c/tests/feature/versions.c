/* Several copies of the library in one process: one linked, two loaded from files. Each copy has its own symbols and handles, and
 * works while the other copies are in use:  versions FILE OTHER_FILE */

#include "../check.h"

#include <dlfcn.h>

/* The functions of one copy. */
struct copy {
    uint32_t (*abi_version)(void);
    dfold_status (*reader_new)(const dfold_reader_options *, dfold_reader **);
    dfold_status (*reader_feed)(dfold_reader *, const uint8_t *, size_t);
    dfold_status (*reader_poll)(dfold_reader *, dfold_event *);
    dfold_status (*reader_finish)(dfold_reader *, dfold_outcome *);
    void (*reader_free)(dfold_reader *);
    dfold_reader *reader;
};

/* ISO C has no cast from a data pointer to a function. */
static void find(void *library, const char *name, void *place) {
    void *found = dlsym(library, name);
    CHECK(found != NULL);
    memcpy(place, &found, sizeof found);
}

static void load(struct copy *copy, const char *file) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    if (!library) return;
    find(library, "dfold_abi_version", &copy->abi_version);
    find(library, "dfold_reader_new", &copy->reader_new);
    find(library, "dfold_reader_feed", &copy->reader_feed);
    find(library, "dfold_reader_poll", &copy->reader_poll);
    find(library, "dfold_reader_finish", &copy->reader_finish);
    find(library, "dfold_reader_free", &copy->reader_free);
}

static const char EVENT[] = "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hello\"}\n\n";

int main(int argc, char **argv) {
    struct copy copies[3];
    dfold_event events[3];
    dfold_outcome outcome;
    size_t i, half = strlen(EVENT) / 2;
    if (argc != 3) return 2;
    memset(copies, 0, sizeof copies);
    copies[0].abi_version = dfold_abi_version;
    copies[0].reader_new = dfold_reader_new;
    copies[0].reader_feed = dfold_reader_feed;
    copies[0].reader_poll = dfold_reader_poll;
    copies[0].reader_finish = dfold_reader_finish;
    copies[0].reader_free = dfold_reader_free;
    load(&copies[1], argv[1]);
    load(&copies[2], argv[2]);
    if (failures) return 1;
    for (i = 0; i < 3; i++) {
        CHECK(copies[i].abi_version() == DFOLD_ABI_VERSION);
        CHECK(copies[i].reader_new != copies[(i + 1) % 3].reader_new);
        CHECK(copies[i].reader_new(NULL, &copies[i].reader) == DFOLD_OK);
    }
    for (i = 0; i < 3; i++) CHECK(copies[i].reader_feed(copies[i].reader, bytes_of(EVENT), half) == DFOLD_OK);
    for (i = 0; i < 3; i++) CHECK(copies[i].reader_feed(copies[i].reader, bytes_of(EVENT) + half, strlen(EVENT) - half) == DFOLD_OK);
    for (i = 0; i < 3; i++) CHECK(copies[i].reader_poll(copies[i].reader, &events[i]) == DFOLD_OK);
    for (i = 0; i < 3; i++) CHECK(equals(events[i].delta, "Hello"));
    for (i = 0; i < 3; i++) CHECK(copies[i].reader_finish(copies[i].reader, &outcome) == DFOLD_OK && equals(outcome.name, "truncated"));
    for (i = 0; i < 3; i++) copies[i].reader_free(copies[i].reader);
    return report("versions");
}
