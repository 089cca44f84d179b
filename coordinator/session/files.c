/* What the link tells the session: files that came, into the manifests, or did not; and the end. */
#include <string.h>

#include "common/base/clock.h"
#include "coordinator/session/session_private.h"

void mgc_session_disk_failed(struct session *session, const struct mgc_error *err)
{
    if (session->disk.code == MGC_OK)
        session->disk = *err;
}

static void on_ending(void *user)
{
    struct session *session = user;
    session->ending = 0;
    mgc_session_finish(session);
}

/* Not from within what the link is at. */
static void seat_over(void *user)
{
    struct session *session = user;
    session->ending = mgc_loop_add_timer(session->fleet->loop, mgc_mono_ns(), on_ending, session);
}

/* Directory of an attempt as people find it below the run's. */
static const char *in_run(const struct session *session, const char *dir)
{
    size_t len = strlen(session->dir.path);
    return strncmp(dir, session->dir.path, len) == 0 && dir[len] == '/' ? dir + len + 1 : dir;
}

/* The manifest of an attempt that has ended is on disk; one that is being made is in memory. */
static struct mgc_manifest *manifest_of(struct session *session, const char *dir, bool *ret_owned)
{
    struct place *places[] = {&session->setup, &session->current};
    *ret_owned = false;
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(places[i]->dir, dir) == 0 && places[i]->manifest)
            return places[i]->manifest;
    }
    *ret_owned = true;
    return mgc_manifest_load(dir);
}

/* One that is in memory only is written with its verdict. */
static void update_manifest(struct session *session, const char *dir, const struct mgc_step *step,
    const struct mgc_msg_result *result, const struct mgc_error *storage)
{
    struct mgc_error err = {0};
    bool owned;
    struct mgc_manifest *manifest = manifest_of(session, dir, &owned);
    bool ok = manifest && (result ? mgc_manifest_add(manifest, step, result, storage)
                                  : mgc_manifest_add_missing(manifest, step, storage->text));
    if (ok && (owned || mgc_manifest_is_written(dir)) && !mgc_manifest_write(manifest, dir, &err))
        mgc_session_disk_failed(session, &err);
    if (!ok || err.code != MGC_OK)
        mgc_results_note(session->results, "%s: the files of step %s are not in its manifest%s%s",
            in_run(session, dir), step->id, err.code ? ": " : "", err.text);
    if (owned)
        mgc_manifest_free(manifest);
}

static void seat_stored(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const struct mgc_error *storage, bool late)
{
    struct session *session = user;
    const char *quarantined = mgc_fields_get_str(&result->facts, "quarantined");
    update_manifest(session, dir, step, result, storage);
    if (quarantined)
        mgc_results_note(session->results,
            "%s: step %s leaves binary files that hold a secret, so they stay at the worker: %s",
            in_run(session, dir), step->id, quarantined);
    if (late && result->artifact_count)
        mgc_results_note(session->results, "%s: %zu file%s of step %s came after its attempt%s%s",
            in_run(session, dir), result->artifact_count, result->artifact_count == 1 ? "" : "s",
            step->id, storage->code ? ", not all of them whole: " : "", storage->text);
    if (storage->code == MGC_E_NO_SPACE)
        mgc_session_disk_failed(session, storage);
}

static void seat_missing(void *user, const struct mgc_step *step, const char *dir,
    const struct mgc_msg_result *result, const char *why)
{
    struct session *session = user;
    struct mgc_error missing;
    mgc_error_set(&missing, MGC_E_LOST, "missing: %s", why);
    update_manifest(session, dir, step, result, &missing);
    mgc_results_note(session->results, "%s: files of step %s are missing: %s", in_run(session, dir),
        step->id, why);
}

const struct mgc_seat_ops mgc_session_seat_ops = {
    .stored = seat_stored,
    .missing = seat_missing,
    .over = seat_over,
};
