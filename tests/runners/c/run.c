/* The C runner; the protocol is in tests/runners/README.md. */

#include <deltafold.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_text(const char *name, dfold_bytes text) {
    size_t i;
    printf("\"%s\":\"", name);
    for (i = 0; i < text.len; i++) {
        unsigned char byte = text.data[i];
        if (byte == '"' || byte == '\\') {
            printf("\\%c", byte);
        } else if (byte < 0x20) {
            printf("\\u%04x", byte);
        } else {
            putchar(byte);
        }
    }
    printf("\",");
}

static void show(const dfold_signal *signal) {
    putchar('{');
    show_text("event", signal->event);
    show_text("data", signal->data);
    show_text("id", signal->id);
    if (signal->has_retry) {
        printf("\"retry\":%" PRIu64 ",", signal->retry);
    } else {
        printf("\"retry\":null,");
    }
    printf("\"offset\":%" PRIu64 "}\n", signal->offset);
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

/* Turns the hexadecimal text into bytes in its own place and returns how many. */
static size_t unhex(char *text) {
    size_t len = 0;
    for (; text[2 * len] != '\0'; len++) {
        text[len] = (char)(digit(text[2 * len]) << 4 | digit(text[2 * len + 1]));
    }
    return len;
}

static void feed(dfold_sse **decoder, char *hex) {
    size_t len = unhex(hex), at = 0;
    dfold_signal signal;
    dfold_status status;
    while ((status = dfold_sse_next(*decoder, (const uint8_t *)hex, len, &at, &signal)) == DFOLD_OK) {
        if (signal.kind == DFOLD_SIGNAL_FRAME) {
            show(&signal);
        }
    }
    if (status != DFOLD_NO_MORE) {
        printf("{\"error\":\"%d\",\"offset\":0}\n", (int)status);
        dfold_sse_free(*decoder);
        *decoder = NULL;
    }
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    dfold_sse *decoder = NULL;
    while ((len = getline(&line, &room, stdin)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "sse") == 0) {
            dfold_sse_free(decoder);
            decoder = NULL;
            if (dfold_sse_new(&decoder) != DFOLD_OK) return 1;
        } else if (strncmp(line, "feed", 4) == 0) {
            if (decoder) feed(&decoder, line + (line[4] == ' ' ? 5 : 4));
        } else if (strcmp(line, "end") == 0) {
            dfold_sse_free(decoder);
            decoder = NULL;
            puts("{\"end\":true}");
            fflush(stdout);
        } else {
            return 2;
        }
    }
    dfold_sse_free(decoder);
    free(line);
    return 0;
}
