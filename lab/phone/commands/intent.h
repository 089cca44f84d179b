/* The arguments that `am` turns into an intent. Pure. */
#ifndef MGC_LAB_PHONE_COMMANDS_INTENT_H
#define MGC_LAB_PHONE_COMMANDS_INTENT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/error.h"

enum { MGL_INTENT_EXTRAS_MAX = 56 };

struct mgl_intent {
    const char *action;   /* NULL: none; all text is borrowed from argv */
    const char *data;     /* URI */
    char package[128];    /* "" without component */
    char class_name[256]; /* as given, may begin with '.' */
    struct {
        char type; /* 's' string, 'z' boolean, 'i' int, 'l' long, 'f' float, 'd' double, 'n' null */
        const char *key, *value;
    } extras[MGL_INTENT_EXTRAS_MAX];
    size_t extra_count;
    bool wait; /* -W */
    bool stop; /* -S: end the package first */
};

/* argv[0..argc) are the words after the subcommand. The sentence of err is Android's. */
bool mgl_intent_parse(int argc, char **argv, struct mgl_intent *ret_intent, struct mgc_error *err);

/* "Intent { act=... cmp=pkg/.Class (has extras) }" */
void mgl_intent_print(const struct mgl_intent *intent, struct mgc_buf *out);
/* "pkg/.Class", short where it can be. */
void mgl_intent_print_component(const struct mgl_intent *intent, struct mgc_buf *out);
/* Class with the package put before a leading '.'. */
void mgl_intent_full_class(const struct mgl_intent *intent, char *ret_class, size_t size);

#endif
