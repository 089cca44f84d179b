/* Runs as they come out of a session: the phone's lane, two arms, three rounds, and one picture. */
#ifndef MGC_TESTS_HISTORY_FIXTURE_H
#define MGC_TESTS_HISTORY_FIXTURE_H

#include "common/base/path.h"
#include "coordinator/history/history.h"

enum { FIXTURE_ARMS = 2, FIXTURE_ROUNDS = 3 };

struct history_fixture {
    struct mgc_plan plan; /* strings are literals or in here: not to be destroyed */
    struct mgc_cell *cells;
    char (*ids)[32];
    char run_id[64];
    struct mgc_results results;
};

/* Run `n` (0 to 99): begins n days after a fixed one; its numbers are `ms` per frame, with the
 * noise of each round. */
void history_fixture_make(struct history_fixture *fixture, int n, double ms);
/* The same with that many rounds: for runs that take a while to write. */
void history_fixture_make_long(struct history_fixture *fixture, int n, double ms, int rounds);
/* The same, with the second arm across hosts ("crosshost-c1"): each of its cells between two link
 * tests that saw `link`; what is NAN there they did not. */
void history_fixture_make_across(
    struct history_fixture *fixture, int n, double ms, const struct mgc_link_look *link);
void history_fixture_destroy(struct history_fixture *fixture);
/* Say of all cells what their apk, library, trace ... is. */
void history_fixture_set(struct history_fixture *fixture, const char *metric, const char *value);
/* One more setting of the run; MGC_FACT_PIPE_STATS has its usual one already. */
/* To be called after its plan was changed: what the results took from it is taken again. */
void history_fixture_replan(struct history_fixture *fixture);
void history_fixture_setting(struct history_fixture *fixture, const char *key, const char *value);

/* An empty directory of this test's own, and the path of a history in it. */
void history_dir_make(char ret_dir[MGC_PATH_MAX], char ret_path[MGC_PATH_MAX]);
void history_dir_remove(const char *dir);

/* Open for writing, keep it, close. */
void history_add(const char *path, const struct history_fixture *fixture,
    enum mgc_history_origin origin, bool expect_new);
/* What a query says of the file, by SQLite itself. */
long long history_ask(const char *path, const char *sql);
void history_do(const char *path, const char *sql);

#endif
