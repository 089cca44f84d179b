/* "MGPipe stats:" lines: the invented example of contract section 5, banners, and broken ones. */
#include "tests/lib/check.h"

#include <string.h>

#include "common/contract/pipe_stats.h"

#define PREFIX "[12:00:05] [Android mgl-srv-apply/INFO]: "
#define EXAMPLE                                                                                    \
    PREFIX "MGPipe stats: frames=120 window=120 draws=176520 draws/f=1471.00 acc=715000 "          \
           "acc/draw=4.05 bytes/f[buf=1.00 tex=0.00 ubog=0.00 ubon=0.00 vtxc=0.00 idxc=0.00 "      \
           "icmd=0.00 pmap=0.00 resid=0.00 csob-blob=0.00 seg=0.00] tex[emit=0 box=0 rect=0 "      \
           "jobs=0] cso[csom=0 csob=0 mpr=0] emit[fbe=0 sve=0 sse=0 sie=0 ctu=0 trp=0 rsp=0 "      \
           "vbs=176520 wrec=5 wrec/f=0.04 maxrec=1808 maxcap=4194304 ringwraps=1 ringpads=2 "      \
           "ringwaits=3] wait[srv=9000 srvpark=12 cli=7 clipark=4] gates[ers=10/2 etl=9/3 "        \
           "eub=9/3 mfp=0/0 mpm=0/0 mdt=0/0]"

static void the_example(void **state)
{
    struct mgc_pipe_line line;
    (void)state;
    assert_int_equal(mgc_pipe_line_parse(EXAMPLE, &line, NULL), MGC_PIPE_LINE_STATS);
    static const int64_t expected[MGC_PIPE_LINE_KEY_COUNT] = {
        120, 176520, 715000, 5, 120, 1808, 4194304, 1, 2, 3, 9000, 12, 7, 4};
    for (int i = 0; i < MGC_PIPE_LINE_KEY_COUNT; i++) {
        assert_true(line.has[i]);
        assert_int_equal(line.values[i], expected[i]);
    }
    assert_true(line.has_draws_per_frame && line.draws_per_frame == 1471);
}

static const struct {
    const char *text;
    enum mgc_pipe_line_kind kind;
} lines[] = {
    {PREFIX "MGPipe stats: counters ON (MOBILEGL_PIPE_STATS), summary every 120 frames",
        MGC_PIPE_LINE_BANNER},
    {PREFIX "MGPipe stats: wrote JSON dump to /data/x.json", MGC_PIPE_LINE_BANNER},
    {PREFIX "MGPipe: Fatal{RingOverrun}", MGC_PIPE_LINE_NONE}, {"", MGC_PIPE_LINE_NONE},
    {"MGPipe stats: frames=1", MGC_PIPE_LINE_STATS},
    {"MGPipe stats: frames=1 new=x later[a=1 b=2]\r", MGC_PIPE_LINE_STATS},
    {"MGPipe stats: frames=0 window=0 draws=0 draws/f=n/a bytes[buf=0]", MGC_PIPE_LINE_STATS},
    {"MGPipe stats: frames=x", MGC_PIPE_LINE_BAD}, {"MGPipe stats: frames=-1", MGC_PIPE_LINE_BAD},
    {"MGPipe stats: frames=1 draws=99999999999999999999", MGC_PIPE_LINE_BAD},
    {"MGPipe stats: frames=1 wait[srv=", MGC_PIPE_LINE_BAD}, /* cut off */
};

static void other_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct mgc_pipe_line line;
        struct mgc_error err = {0};
        enum mgc_pipe_line_kind kind = mgc_pipe_line_parse(lines[i].text, &line, &err);
        if (kind != lines[i].kind)
            fail_msg("'%s': %d (%s)", lines[i].text, (int)kind, err.text);
        assert_int_equal(err.code != MGC_OK, kind == MGC_PIPE_LINE_BAD);
    }
}

static void no_ratio_is_absent(void **state)
{
    struct mgc_pipe_line line;
    (void)state;
    assert_int_equal(mgc_pipe_line_parse("MGPipe stats: frames=0 draws/f=n/a", &line, NULL),
        MGC_PIPE_LINE_STATS);
    assert_false(line.has_draws_per_frame);
    assert_false(line.has[MGC_PIPE_LINE_SRV]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_example), cmocka_unit_test(other_lines),
        cmocka_unit_test(no_ratio_is_absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
