#include "common/wire/reader.h"

#include <stdint.h>

#include "common/wire/msg.h"

struct walk {
    const unsigned char *data;
    size_t len;
    size_t at;
    size_t items;
    size_t left[MGC_WIRE_DEPTH_MAX]; /* values still due in each open container */
    size_t depth;
};

/* What a type byte announces. Source: the msgpack specification, "Formats". */
struct announced {
    size_t length_bytes; /* width of the length or count field that follows */
    size_t payload;      /* plain bytes that follow, where the type byte alone tells */
    size_t per_count;    /* containers: values per counted entry (array 1, map 2); else 0 */
    size_t count;        /* containers: count, where the type byte alone tells */
    bool known;
};

static struct announced describe_fixed(unsigned char type)
{
    if (type <= 0x7f || type >= 0xe0) /* small integers */
        return (struct announced){.known = true};
    if (type <= 0x8f)
        return (struct announced){.known = true, .per_count = 2, .count = type & 0x0f};
    if (type <= 0x9f)
        return (struct announced){.known = true, .per_count = 1, .count = type & 0x0f};
    return (struct announced){.known = true, .payload = type & 0x1f}; /* fixstr, up to 0xbf */
}

static struct announced describe(unsigned char type)
{
    if (type <= 0xbf || type >= 0xe0)
        return describe_fixed(type);
    switch (type) {
    case 0xc0: /* nil */
    case 0xc2: /* false */
    case 0xc3: /* true */
        return (struct announced){.known = true};
    case 0xc4: /* bin 8, 16, 32 */
    case 0xc5:
    case 0xc6:
        return (struct announced){.known = true, .length_bytes = (size_t)1 << (type - 0xc4)};
    case 0xca: /* float 32, 64 */
    case 0xcb:
        return (struct announced){.known = true, .payload = (size_t)4 << (type - 0xca)};
    case 0xcc: /* uint 8, 16, 32, 64 */
    case 0xcd:
    case 0xce:
    case 0xcf:
        return (struct announced){.known = true, .payload = (size_t)1 << (type - 0xcc)};
    case 0xd0: /* int 8, 16, 32, 64 */
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return (struct announced){.known = true, .payload = (size_t)1 << (type - 0xd0)};
    case 0xd9: /* str 8, 16, 32 */
    case 0xda:
    case 0xdb:
        return (struct announced){.known = true, .length_bytes = (size_t)1 << (type - 0xd9)};
    case 0xdc: /* array 16, 32 */
    case 0xdd:
        return (struct announced){
            .known = true, .per_count = 1, .length_bytes = (size_t)2 << (type - 0xdc)};
    case 0xde: /* map 16, 32 */
    case 0xdf:
        return (struct announced){
            .known = true, .per_count = 2, .length_bytes = (size_t)2 << (type - 0xde)};
    default: /* 0xc1 is never used; extensions have no place in our messages */
        return (struct announced){.known = false};
    }
}

static size_t bytes_left(const struct walk *walk)
{
    return walk->len - walk->at;
}

static bool truncated(const struct walk *walk, struct mgc_error *err)
{
    return mgc_error_set(
        err, MGC_E_PROTOCOL, "frame ends inside the value at byte %zu of %zu", walk->at, walk->len);
}

static bool read_length(struct walk *walk, size_t width, size_t *ret, struct mgc_error *err)
{
    if (bytes_left(walk) < width)
        return truncated(walk, err);
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | walk->data[walk->at++];
    *ret = (size_t)value;
    return true;
}

static bool open_container(struct walk *walk, size_t count, size_t per_count, struct mgc_error *err)
{
    /* Every value takes a byte at least; divided, so that nothing can overflow. */
    if (count > bytes_left(walk) / per_count)
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "%zu entries are declared before byte %zu, but only %zu bytes follow", count, walk->at,
            bytes_left(walk));
    if (walk->depth == MGC_WIRE_DEPTH_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL, "nested deeper than %d levels at byte %zu",
            MGC_WIRE_DEPTH_MAX, walk->at);
    walk->left[walk->depth++] = count * per_count;
    return true;
}

static bool walk_value(struct walk *walk, struct mgc_error *err)
{
    if (bytes_left(walk) == 0)
        return truncated(walk, err);
    if (++walk->items > MGC_WIRE_ITEMS_MAX)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "more than %d values in one frame", MGC_WIRE_ITEMS_MAX);
    unsigned char type = walk->data[walk->at];
    struct announced what = describe(type);
    if (!what.known)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "type byte 0x%02x at byte %zu is not allowed", type, walk->at);
    walk->at++;
    size_t length = what.per_count ? what.count : what.payload;
    if (what.length_bytes && !read_length(walk, what.length_bytes, &length, err))
        return false;
    if (what.per_count)
        return open_container(walk, length, what.per_count, err);
    if (length > bytes_left(walk))
        return truncated(walk, err);
    walk->at += length;
    return true;
}

static void close_finished(struct walk *walk)
{
    while (walk->depth && walk->left[walk->depth - 1] == 0)
        walk->depth--;
}

static bool is_map(unsigned char type)
{
    return (type & 0xf0) == 0x80 || type == 0xde || type == 0xdf;
}

bool mgc_wire_check(const void *data, size_t len, struct mgc_error *err)
{
    struct walk walk = {.data = data, .len = len};
    if (len == 0 || len > MGC_WIRE_HEADER_MAX)
        return mgc_error_set(err, MGC_E_PROTOCOL, "header frame has %zu bytes, expected 1 to %d",
            len, MGC_WIRE_HEADER_MAX);
    if (!is_map(walk.data[0]))
        return mgc_error_set(err, MGC_E_PROTOCOL,
            "header frame starts with byte 0x%02x, expected a map", walk.data[0]);
    do {
        if (walk.depth)
            walk.left[walk.depth - 1]--;
        if (!walk_value(&walk, err))
            return false;
        close_finished(&walk);
    } while (walk.depth);
    if (walk.at != len)
        return mgc_error_set(
            err, MGC_E_PROTOCOL, "%zu bytes follow the end of the map", len - walk.at);
    return true;
}
