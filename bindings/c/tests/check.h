/* Shared helpers of the C tests: a check that continues after a failure, and a comparison of views with text. */

#ifndef DFOLD_TEST_CHECK_H
#define DFOLD_TEST_CHECK_H

#include <deltafold.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            failures++;                                                       \
        }                                                                     \
    } while (0)

static inline int equals(dfold_bytes view, const char *text) {
    return view.len == strlen(text) && memcmp(view.data, text, view.len) == 0;
}

/* Bytes of a C string, for the functions that take a pointer and a length. */
static inline const uint8_t *bytes_of(const char *text) { return (const uint8_t *)text; }

static inline int report(const char *name) {
    if (failures == 0) {
        printf("%s: ok\n", name);
    }
    return failures == 0 ? 0 : 1;
}

#endif
