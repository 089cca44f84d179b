/* Where the device program is to be on a phone, and the scripts that look, install and remove.
 * Scripts are for the device's sh; the readers of what they print are pure. */
#ifndef MGC_HOST_HELPER_PLACE_H
#define MGC_HOST_HELPER_PLACE_H

#include "common/base/buf.h"
#include "worker-host/helper/program.h"
#include "worker-host/tasks/common.h"

/* The shell's place is the first, with an empty package. */
struct mgc_helper_place_state {
    char package[256];
    bool there;     /* with the right hash, before us */
    bool runs;      /* it said the right version there */
    char said[160]; /* what came instead */
};

struct mgc_helper_places {
    struct mgc_helper_place_state items[1 + MGC_HOST_PACKAGES_MAX];
    size_t count;
    char abi[32]; /* ro.product.cpu.abi */
};

/* The shell's place and one per package of the comma list (may be NULL), which has been checked. */
void mgc_helper_places_fill(struct mgc_helper_places *ret_places, const char *packages);

/* Append commands that print the ABI and which of the programs are where, with their hashes:
 * "mgc:abi ABI", "mgc:has PACKAGE NAME SHA256" ("-" for the shell). */
bool mgc_helper_look_script(struct mgc_buf *out, const struct mgc_helper_places *places,
    const struct mgc_helper_programs *programs);
void mgc_helper_look_read(struct mgc_helper_places *places, const char *text,
    const struct mgc_helper_programs *programs, const char *abi);

/* Append commands that prove the file in the shell's place, copy it to where it is not, and let it
 * say its version everywhere: "mgc:runs PACKAGE TEXT". */
bool mgc_helper_install_script(struct mgc_buf *out, const struct mgc_helper_places *places,
    const struct mgc_helper_program *program);
void mgc_helper_install_read(struct mgc_helper_places *places, const char *text);

/* Append commands that remove the program from the shell's place (when `shell`) and from each
 * package of the comma list; exit code 89 and a line on stderr per one that stays. */
bool mgc_helper_remove_script(
    struct mgc_buf *out, const char *name, bool shell, const char *packages);

#endif
