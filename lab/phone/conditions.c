#include "lab/phone/conditions.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/plat/file.h"
#include "lab/knob/knob.h"

enum { BASE_MAX = 256, CONDITIONS_MAX = 480 }; /* the host worker reads lines of 511 bytes */

static void put_base(const char *faults, struct mgc_buf *out)
{
    char path[PATH_MAX + 16];
    struct mgc_buf text = {0};
    snprintf(path, sizeof(path), "%s/../conditions", faults);
    if (mgc_file_read(path, BASE_MAX, &text, NULL))
        mgc_buf_append(out, mgc_buf_text(&text), strcspn(mgc_buf_text(&text), "\n"));
    mgc_buf_destroy(&text);
}

static void put_fault(const char *name, struct mgc_buf *out)
{
    struct mgl_knob knob;
    if (name[0] == '.' || !mgl_knob_get(name, &knob)) /* a draft, or gone meanwhile */
        return;
    if (out->len + strlen(name) + strlen(knob.value) > CONDITIONS_MAX)
        return;
    mgc_buf_printf(out, " %s", name);
    if (strcmp(knob.value, "1") != 0)
        mgc_buf_printf(out, "=%s", knob.value);
    mgc_buf_puts(out, knob.once ? " (once)" : "");
}

void mgl_conditions(struct mgc_buf *out)
{
    char dir[PATH_MAX];
    struct mgc_dir_names names = {0};
    if (!mgl_knob_dir(dir, sizeof(dir)) || !mgc_dir_list(dir, &names, NULL)) {
        mgc_buf_puts(out, "no lab around this phone");
        return;
    }
    put_base(dir, out);
    mgc_buf_puts(out, out->len ? ", " : "");
    mgc_buf_puts(out, names.count ? "faults" : "no faults");
    for (size_t i = 0; i < names.count; i++)
        put_fault(names.names[i], out);
    mgc_dir_names_destroy(&names);
}
