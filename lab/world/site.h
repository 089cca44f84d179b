/* The site file of a lab. Pure. */
#ifndef MGC_LAB_SITE_H
#define MGC_LAB_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "lab/world/fixtures.h"
#include "lab/world/layout.h"
#include "lab/world/roster.h"

struct mgc_lab_site {
    const struct mgc_lab_layout *layout;
    const struct mgc_lab_fixtures *fixtures;
    const char *client;                  /* replay client, absolute path */
    const char *library;                 /* libMobileGL.so, absolute path */
    int64_t heartbeat_ms;                /* 0: the product's default stands */
    int64_t silence_ms;                  /* 0: as above */
    const struct mgc_lab_roster *roster; /* of a lab in loopback mode: no route */
};

/* Append the file's text; false when memory ran out. */
bool mgc_lab_site_print(const struct mgc_lab_site *site, struct mgc_buf *out);

#endif
