#include "worker-host/tasks/fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/open.h"
#include "common/base/path.h"

enum { PLAIN_VERSION_MAX = 15 }; /* 6 when this was written; printable text begins far above */

static bool starts(const unsigned char *data, size_t len, const char *text, size_t text_len)
{
    return len >= text_len && memcmp(data, text, text_len) == 0;
}

const char *mgc_fixture_judge_name(const char *path)
{
    static const char *const archives[] = {
        ".tgz", ".tar.gz", ".tar", ".tar.xz", ".tar.zst", ".zip", ".7z", ".xz", ".zst"};
    size_t len = strlen(path);
    for (size_t i = 0; i < sizeof(archives) / sizeof(archives[0]); i++) {
        size_t end = strlen(archives[i]);
        if (len >= end && strcmp(path + len - end, archives[i]) == 0)
            return "is an archive: unpack it and name the file inside";
    }
    return NULL;
}

/* A trace without a container begins with its format's version, a small number, and ends with the
 * end of a call, a 0 (apitrace's docs/FORMAT.markdown). That is no proof, but most cuts show. */
static const char *judge_plain(
    const unsigned char *head, const unsigned char *tail, size_t tail_len)
{
    bool plain = head[0] >= 1 && head[0] <= PLAIN_VERSION_MAX;
    return plain && tail_len && tail[tail_len - 1] != 0 ? "is cut off within a call of the trace"
                                                        : NULL;
}

const char *mgc_fixture_judge(enum mgc_fixture_kind kind, const unsigned char *head,
    size_t head_len, const unsigned char *tail, size_t tail_len)
{
    static const char lfs[] = "version https://git-lfs.github.com/spec/";
    static const char png[] = "\x89PNG\r\n\x1a\n";
    static const char png_end[] = "\0\0\0\0IEND\xae\x42\x60\x82";
    if (head_len == 0)
        return "is empty";
    if (starts(head, head_len, lfs, sizeof(lfs) - 1))
        return "is a Git LFS pointer, not the file itself: git lfs pull brings it";
    if (starts(head, head_len, "PK\3\4", 4) ||
        (head_len >= 262 && memcmp(head + 257, "ustar", 5) == 0))
        return "is an archive: unpack it and name the file inside";
    if (kind == MGC_FIXTURE_TRACE)
        return judge_plain(head, tail, tail_len);
    if (!starts(head, head_len, png, sizeof(png) - 1)) {
        bool begins = head_len < sizeof(png) - 1 && memcmp(png, head, head_len) == 0;
        return begins ? "is cut off" : "is no PNG picture";
    }
    return tail_len == sizeof(png_end) - 1 && memcmp(tail, png_end, sizeof(png_end) - 1) == 0
               ? NULL
               : "is cut off: its last PNG chunk is missing";
}

/* --- the file itself -------------------------------------------------------------------------- */

static bool wrong(const char *path, const char *what, struct mgc_error *err)
{
    return mgc_error_set(err, MGC_E_CONFIG, "\"%.200s\" %s", path, what);
}

static int64_t size_of(FILE *file)
{
    return fseeko(file, 0, SEEK_END) == 0 ? (int64_t)ftello(file) : -1;
}

/* apitrace's container of snappy chunks: "at", then for each chunk its length (32 bits, little end
 * first) and so many bytes. Other containers have no lengths to walk. */
static const char *walk_chunks(FILE *file, int64_t size)
{
    unsigned char head[4];
    if (fseeko(file, 0, SEEK_SET) != 0 || fread(head, 1, 2, file) != 2 ||
        memcmp(head, "at", 2) != 0)
        return NULL;
    for (int64_t at = 2; at != size;) {
        if (size - at < 4 || fseeko(file, at, SEEK_SET) != 0 || fread(head, 1, 4, file) != 4)
            return "is cut off within a chunk of the trace";
        at += 4 + ((int64_t)head[0] | (int64_t)head[1] << 8 | (int64_t)head[2] << 16 |
                      (int64_t)head[3] << 24);
        if (at > size)
            return "is cut off within a chunk of the trace";
    }
    return NULL;
}

static bool check_open(
    const char *path, enum mgc_fixture_kind kind, FILE *file, struct mgc_error *err)
{
    unsigned char head[MGC_FIXTURE_HEAD], tail[MGC_FIXTURE_TAIL];
    size_t tail_len = 0, head_len = fread(head, 1, sizeof(head), file);
    int64_t size = size_of(file);
    if (ferror(file) || size < 0)
        return mgc_error_errno(err, errno ? errno : EIO, "read \"%.200s\"", path);
    if (size >= MGC_FIXTURE_TAIL && fseeko(file, -MGC_FIXTURE_TAIL, SEEK_END) == 0)
        tail_len = fread(tail, 1, sizeof(tail), file);
    const char *what = mgc_fixture_judge(kind, head, head_len, tail, tail_len);
    if (!what && kind == MGC_FIXTURE_TRACE)
        what = walk_chunks(file, size);
    return !what || wrong(path, what, err);
}

bool mgc_fixture_check(const char *path, enum mgc_fixture_kind kind,
    struct mgc_fixture *ret_fixture, struct mgc_error *err)
{
    const char *what = mgc_fixture_judge_name(path);
    if (what)
        return wrong(path, what, err);
    FILE *file = mgc_open_read(path, err);
    if (!file)
        return false;
    bool ok = check_open(path, kind, file, err);
    fclose(file);
    struct mgc_fixture fixture = {0};
    if (!ok || !mgc_sha256_file(path, fixture.sha256, &fixture.bytes, err))
        return false;
    *ret_fixture = fixture;
    return true;
}
