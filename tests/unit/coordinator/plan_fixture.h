/* A directory of its own with site.yaml in it, and an environment that the test makes up. */
#ifndef MGC_TESTS_PLAN_FIXTURE_H
#define MGC_TESTS_PLAN_FIXTURE_H

#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/plat/file.h"
#include "coordinator/plan/load.h"

struct fixture {
    char dir[64];
    struct mgc_buf site; /* text of data/site.yaml */
    struct mgc_problems problems;
    const char *env[16]; /* "NAME=value", NULL-ended */
};

static inline const char *fixture_getenv(const char *name, void *user)
{
    const struct fixture *fixture = user;
    size_t len = strlen(name);
    for (size_t i = 0; fixture->env[i]; i++) {
        if (strncmp(fixture->env[i], name, len) == 0 && fixture->env[i][len] == '=')
            return fixture->env[i] + len + 1;
    }
    return NULL;
}

static inline void fixture_read(const char *name, struct mgc_buf *text)
{
    char path[512];
    struct mgc_error err;
    const char *data = getenv("MGC_TEST_DATA");
    assert_non_null(data);
    snprintf(path, sizeof(path), "%s/%s", data, name);
    assert_true(mgc_file_read(path, 1 << 20, text, &err));
}

static inline void fixture_write(const char *name, const char *text)
{
    struct mgc_error err;
    assert_true(mgc_file_write(name, text, strlen(text), 0644, &err));
}

static inline int fixture_setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    fixture_read("site.yaml", &fixture->site);
    strcpy(fixture->dir, "/tmp/mgc-plan-XXXXXX");
    assert_non_null(mkdtemp(fixture->dir));
    assert_int_equal(chdir(fixture->dir), 0);
    fixture_write("site.yaml", mgc_buf_text(&fixture->site));
    *state = fixture;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(chdir("/"), 0);
    assert_true(mgc_dir_remove(fixture->dir, NULL));
    mgc_buf_destroy(&fixture->site);
    free(fixture);
    return 0;
}

static inline struct mgc_plan_request fixture_request(struct fixture *fixture)
{
    fixture->problems = (struct mgc_problems){0};
    return (struct mgc_plan_request){
        .plan = "crosshost",
        .getenv = fixture_getenv,
        .getenv_user = fixture,
        .run_id = "20261130T135200Z-crosshost-k3f9",
        .token = "0123456789abcdef0123456789abcdef",
        .problems = &fixture->problems,
    };
}

/* Load, and fail the test with what is wrong. */
static inline void fixture_load(
    const struct mgc_plan_request *request, struct mgc_site *ret_site, struct mgc_plan *ret_plan)
{
    struct mgc_error err;
    if (!mgc_plan_load(request, ret_site, ret_plan, &err))
        fail_msg("%s", err.text);
}

#endif
