#include "common/task/secrets.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

static bool add(struct mgc_secrets *secrets, const char *text)
{
    if (!*text)
        return true;
    if (secrets->count == MGC_SECRETS_MAX)
        return false;
    char *copy = strdup(text);
    if (!copy)
        return false;
    size_t len = strlen(text);
    secrets->items[secrets->count].text = copy;
    secrets->items[secrets->count].len = len;
    secrets->count++;
    if (len > secrets->longest)
        secrets->longest = len;
    secrets->starts[(unsigned char)*text] = true;
    return true;
}

bool mgc_secrets_init(struct mgc_secrets *secrets, const struct mgc_fields *from)
{
    *secrets = (struct mgc_secrets){0};
    for (size_t i = 0; i < from->count; i++) {
        const struct mgc_value *value = &from->items[i].value;
        if (value->type == MGC_VALUE_STRING && !add(secrets, value->string)) {
            mgc_secrets_destroy(secrets);
            return false;
        }
    }
    return true;
}

void mgc_secrets_destroy(struct mgc_secrets *secrets)
{
    if (!secrets)
        return;
    for (size_t i = 0; i < secrets->count; i++) {
        mgc_wipe(secrets->items[i].text, secrets->items[i].len);
        free(secrets->items[i].text);
    }
    *secrets = (struct mgc_secrets){0};
}

/* Length of the longest secret that begins at data[0]; 0: none. */
static size_t match(const struct mgc_secrets *secrets, const char *data, size_t len)
{
    size_t best = 0;
    if (len == 0 || !secrets->starts[(unsigned char)*data])
        return 0;
    for (size_t i = 0; i < secrets->count; i++) {
        size_t want = secrets->items[i].len;
        if (want > best && want <= len && memcmp(data, secrets->items[i].text, want) == 0)
            best = want;
    }
    return best;
}

bool mgc_secrets_in_text(const struct mgc_secrets *secrets, const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i < len; i++) {
        if (match(secrets, text + i, len - i))
            return true;
    }
    return false;
}

void mgc_secrets_mask_text(const struct mgc_secrets *secrets, char *text)
{
    if (!mgc_secrets_in_text(secrets, text))
        return;
    size_t len = strlen(text);
    struct mgc_masker masker;
    struct mgc_buf out = {0};
    mgc_masker_init(&masker, secrets);
    if (mgc_masker_feed(&masker, text, len, &out) && mgc_masker_end(&masker, &out))
        memcpy(text, out.data, len);
    else
        memset(text, '*', len); /* no memory: better nothing than the secret */
    mgc_masker_destroy(&masker);
    mgc_buf_destroy(&out);
}

void mgc_secrets_mask_fields(const struct mgc_secrets *secrets, struct mgc_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (fields->items[i].value.type == MGC_VALUE_STRING)
            mgc_secrets_mask_text(secrets, fields->items[i].value.string);
    }
}

void mgc_masker_init(struct mgc_masker *masker, const struct mgc_secrets *secrets)
{
    *masker = (struct mgc_masker){.secrets = secrets};
}

void mgc_masker_destroy(struct mgc_masker *masker)
{
    if (!masker)
        return;
    mgc_wipe(masker->pending.data, masker->pending.data ? masker->pending.len : 0);
    mgc_buf_destroy(&masker->pending);
}

/* Decide the first `count` pending bytes. Whether a byte is masked is known once every start up to
 * it was looked at, and a start can be looked at once `longest` bytes from it are here. */
static bool decide(struct mgc_masker *masker, size_t count, struct mgc_buf *out)
{
    char *data = masker->pending.data;
    size_t len = masker->pending.len;
    size_t plain = 0; /* start of a run that goes out as it is */
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        size_t found = match(masker->secrets, data + i, len - i);
        masker->count += found != 0;
        if (i + found > masker->covered && found)
            masker->covered = i + found;
        if (i >= masker->covered)
            continue;
        if (out)
            ok = ok && mgc_buf_append(out, data + plain, i - plain) && mgc_buf_putc(out, '*');
        plain = i + 1;
    }
    if (out)
        ok = ok && mgc_buf_append(out, data + plain, count - plain);
    mgc_buf_consume(&masker->pending, count);
    masker->covered = masker->covered > count ? masker->covered - count : 0;
    return ok;
}

bool mgc_masker_feed(struct mgc_masker *masker, const void *data, size_t len, struct mgc_buf *out)
{
    if (len == 0)
        return true;
    if (memchr(data, '\0', len))
        masker->has_nul = true;
    if (masker->secrets->longest == 0) /* nothing to look for, as with most tasks */
        return !out || mgc_buf_append(out, data, len);
    if (!mgc_buf_append(&masker->pending, data, len))
        return false;
    size_t keep = masker->secrets->longest ? masker->secrets->longest - 1 : 0;
    if (masker->pending.len <= keep)
        return true;
    return decide(masker, masker->pending.len - keep, out);
}

bool mgc_masker_end(struct mgc_masker *masker, struct mgc_buf *out)
{
    return masker->pending.len == 0 || decide(masker, masker->pending.len, out);
}
