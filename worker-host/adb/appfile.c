#include "worker-host/adb/appfile.h"

#include <stdio.h>
#include <string.h>

#include "common/base/parse.h"
#include "worker-host/adb/part.h"
#include "worker-host/adb/quote.h"
#include "worker-host/adb/shell.h"

enum { ATTEMPTS = 3, STDERR_MAX = 16384 };

/* Exit codes of the script; chosen away from those of sh, run-as and kill. */
enum { EXIT_ABSENT = 81, EXIT_NOT_FILE = 82, EXIT_UNREADABLE = 83, EXIT_READ = 84, EXIT_HASH = 85 };

/* For the device's sh (mksh): only builtins, stat, cat, sha256sum and cksum of toybox. Tests are
 * the shell's own, which run as the app's user and cannot be a broken external "test". */
static const char script[] = "p=$1\n"
                             "[ -e \"$p\" ] || [ -h \"$p\" ] || exit 81\n"
                             "[ -f \"$p\" ] || exit 82\n"
                             "[ -r \"$p\" ] || exit 83\n"
                             "cat \"$p\" || exit 84\n"
                             "s=$(stat -L -c %s \"$p\") || exit 85\n"
                             "echo \"mgc-size $s\" >&2\n"
                             "if h=$(sha256sum <\"$p\" 2>/dev/null); then\n"
                             "  echo \"mgc-sha256 ${h%% *}\" >&2\n"
                             "elif h=$(cksum <\"$p\"); then\n"
                             "  echo \"mgc-cksum ${h%% *}\" >&2\n"
                             "else exit 85; fi\n";

/* POSIX CRC, polynomial 0x04c11db7, four bits at a time. */
static const uint32_t crc_table[16] = {
    0x00000000,
    0x04c11db7,
    0x09823b6e,
    0x0d4326d9,
    0x130476dc,
    0x17c56b6b,
    0x1a864db2,
    0x1e475005,
    0x2608edb8,
    0x22c9f00f,
    0x2f8ad6d6,
    0x2b4bcb61,
    0x350c9b64,
    0x31cd86d3,
    0x3c8ea00a,
    0x384fbdbd,
};

uint32_t mgc_adb_cksum_update(uint32_t crc, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < len; i++) {
        crc ^= (uint32_t)bytes[i] << 24;
        crc = crc << 4 ^ crc_table[crc >> 28];
        crc = crc << 4 ^ crc_table[crc >> 28];
    }
    return crc;
}

uint32_t mgc_adb_cksum_finish(uint32_t crc, uint64_t total_bytes)
{
    for (; total_bytes; total_bytes >>= 8) {
        unsigned char byte = (unsigned char)total_bytes;
        crc = mgc_adb_cksum_update(crc, &byte, 1);
    }
    return ~crc;
}

static void measure_line(const char *line, struct mgc_adb_measure *measure)
{
    int64_t number;
    if (strncmp(line, "mgc-size ", 9) == 0 && mgc_parse_int(line + 9, 0, INT64_MAX, &number)) {
        measure->has_size = true;
        measure->size = (uint64_t)number;
    } else if (strncmp(line, "mgc-sha256 ", 11) == 0 && strlen(line + 11) == 64 &&
               strspn(line + 11, "0123456789abcdef") == 64) {
        measure->has_sha256 = true;
        memcpy(measure->sha256, line + 11, MGC_SHA256_HEX_SIZE);
    } else if (strncmp(line, "mgc-cksum ", 10) == 0 &&
               mgc_parse_int(line + 10, 0, UINT32_MAX, &number)) {
        measure->has_cksum = true;
        measure->cksum = (uint32_t)number;
    }
}

void mgc_adb_measure_parse(const char *text, struct mgc_adb_measure *ret_measure)
{
    *ret_measure = (struct mgc_adb_measure){0};
    while (*text) {
        char line[128];
        size_t len = strcspn(text, "\r\n");
        if (len < sizeof(line)) {
            memcpy(line, text, len);
            line[len] = '\0';
            measure_line(line, ret_measure);
        }
        text += len + strspn(text + len, "\r\n");
    }
}

/* One reading of the file as it arrives. */
struct reading {
    struct mgc_adb_part *part;
    struct mgc_sha256 hash;
    uint32_t crc;
    uint64_t bytes;
    struct mgc_buf err; /* owned */
};

static bool take(
    void *ctx, enum mgc_adb_shell_id id, const char *data, size_t len, struct mgc_error *err)
{
    struct reading *reading = ctx;
    if (id == MGC_ADB_STDERR)
        return mgc_buf_append(&reading->err, data, len) ||
               mgc_error_set(
                   err, MGC_E_NO_MEMORY, "stderr of a file pull passes %d bytes", STDERR_MAX);
    mgc_sha256_update(&reading->hash, data, len);
    reading->crc = mgc_adb_cksum_update(reading->crc, data, len);
    reading->bytes += len;
    return mgc_adb_part_write(reading->part, data, len, err);
}

static bool exit_error(
    int code, const struct reading *reading, const char *what, struct mgc_error *err)
{
    const char *said = mgc_buf_text(&reading->err);
    int said_len = (int)strcspn(said, "\r\n");
    switch (code) {
    case EXIT_NOT_FILE:
        return mgc_error_set(err, MGC_E_FAILED, "%s is not a regular file", what);
    case EXIT_UNREADABLE:
        return mgc_error_set(err, MGC_E_DENIED, "%s may not be read", what);
    case EXIT_READ:
    case EXIT_HASH:
        return mgc_error_set(
            err, MGC_E_IO, "%s: reading on the device failed: %.*s", what, said_len, said);
    default: /* run-as or sh itself */
        return mgc_error_set(
            err, MGC_E_DENIED, "%s: exit code %d on the device: %.*s", what, code, said_len, said);
    }
}

/* Compare what arrived with what the device measured. A mismatch is MGC_E_INTEGRITY. */
static bool prove(
    struct reading *reading, const char *what, struct mgc_adb_appfile *file, struct mgc_error *err)
{
    struct mgc_adb_measure measure;
    unsigned char digest[MGC_SHA256_SIZE];
    mgc_adb_measure_parse(mgc_buf_text(&reading->err), &measure);
    mgc_sha256_final(&reading->hash, digest);
    mgc_sha256_hex(digest, file->sha256);
    file->bytes = reading->bytes;
    file->proof = measure.has_sha256 ? MGC_ADB_PROOF_SHA256 : MGC_ADB_PROOF_CKSUM;
    if (!measure.has_size || (!measure.has_sha256 && !measure.has_cksum))
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "%s: the device gave no size or no hash of it", what);
    if (measure.size != reading->bytes)
        return mgc_error_set(err, MGC_E_INTEGRITY, "%s: %llu bytes arrived, the device has %llu",
            what, (unsigned long long)reading->bytes, (unsigned long long)measure.size);
    bool same = measure.has_sha256
                    ? strcmp(measure.sha256, file->sha256) == 0
                    : measure.cksum == mgc_adb_cksum_finish(reading->crc, reading->bytes);
    return same || mgc_error_set(err, MGC_E_INTEGRITY,
                       "%s: the bytes that arrived have another hash than the device's", what);
}

static bool read_once(struct mgc_adb *adb, const char *serial, const char *command,
    const char *what, struct mgc_adb_part *part, const struct mgc_adb_wait *wait,
    struct mgc_adb_appfile *file, struct mgc_error *err)
{
    struct reading reading = {.part = part, .err = {.max = STDERR_MAX}};
    int code = -1;
    mgc_sha256_init(&reading.hash);
    bool ok = mgc_adb_run_stream(adb, serial, command, NULL, take, &reading, wait, &code, err);
    file->exists = ok && code != EXIT_ABSENT;
    if (file->exists)
        ok = code == 0 ? prove(&reading, what, file, err) : exit_error(code, &reading, what, err);
    mgc_buf_destroy(&reading.err);
    return ok;
}

static bool make_command(
    struct mgc_buf *out, const char *package, const char *path, struct mgc_error *err)
{
    const char *const with[] = {"run-as", package, "sh", "-c", script, "sh", path, NULL};
    if (!mgc_adb_quote_all(out, package ? with : with + 2))
        return mgc_error_set(err, MGC_E_NO_MEMORY, "no memory for a pull of \"%s\"", path);
    return true;
}

bool mgc_adb_appfile_pull(struct mgc_adb *adb, const char *serial, const char *package,
    const char *path, const char *local, const struct mgc_adb_wait *wait,
    struct mgc_adb_appfile *ret_file, struct mgc_error *err)
{
    char what[400];
    struct mgc_error why = {0};
    struct mgc_adb_appfile file = {0};
    struct mgc_adb_part part;
    struct mgc_buf command = {0};
    snprintf(what, sizeof(what), "device %s: \"%.120s\" of %.100s", serial, path,
        package ? package : "the shell's user");
    if (!mgc_adb_part_open(&part, local, err))
        return false;
    bool ok = make_command(&command, package, path, &why);
    for (bool again = ok; again;) {
        file.attempts++;
        ok = read_once(adb, serial, mgc_buf_text(&command), what, &part, wait, &file, &why);
        again = !ok && why.code == MGC_E_INTEGRITY && file.attempts < ATTEMPTS &&
                mgc_adb_part_rewind(&part, &why);
    }
    if (ok && file.exists)
        ok = mgc_adb_part_keep(&part, &why);
    mgc_adb_part_drop(&part);
    mgc_buf_destroy(&command);
    if (ok)
        *ret_file = file;
    else if (err)
        *err = why;
    return ok;
}
