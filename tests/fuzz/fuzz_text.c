/* The small text parsers: numbers, durations, paths, the clock plant, /proc/PID/stat. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "common/base/path.h"
#include "common/plat/unix/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1); /* exact size, so that a read past the end is seen */
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int64_t number;
    uint64_t hex;
    double real;
    bool flag;
    struct mgc_clock_plant plant;
    struct mgc_procfs_stat stat;
    if (mgc_parse_int(text, -5, 5, &number) && (number < -5 || number > 5))
        abort();
    if (mgc_parse_duration_ms(text, &number) && number < 0)
        abort();
    if (mgc_path_is_safe(text) && (text[0] == '/' || strstr(text, "..") == text))
        abort();
    mgc_parse_hex64(text, &hex);
    mgc_parse_double(text, &real);
    mgc_parse_bool(text, &flag);
    mgc_clock_plant_parse(text, &plant, NULL);
    mgc_procfs_stat_parse(text, &stat);
    free(text);
    return 0;
}
