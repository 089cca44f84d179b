/* write_cells DIR: a cell of each arm as the coordinator leaves it, DIR/openra/ARM-r1, for the test
 * of the old scripts' reading. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/path.h"
#include "common/plat/file.h"
#include "coordinator/legacy/legacy.h"
#include "tests/lib/check.h"
#include "tests/unit/verify/fixture.h"

#define LINE "[12:00:01] [Android MobileGLTraceRe/INFO]: "

static void take_over(const char *from, const char *into)
{
    struct mgc_dir_names names;
    assert_true(mgc_dir_list(from, &names, NULL));
    for (size_t i = 0; i < names.count; i++) {
        char source[MGC_PATH_MAX], target[MGC_PATH_MAX];
        assert_true(mgc_path_join(source, sizeof(source), from, names.names[i]));
        assert_true(mgc_path_join(target, sizeof(target), into, names.names[i]));
        assert_true(mgc_file_copy(source, target, 0644, NULL));
    }
    mgc_dir_names_destroy(&names);
}

static void write_cell(const char *root, const char *arm)
{
    struct fixture f;
    char dir[MGC_PATH_MAX];
    fixture_make_matrix(&f, MGC_MODE_BENCHMARK, arm);
    f.attempt.end_ns = INT64_C(9700000000);
    mgc_fields_set_str(fixture_facts(&f, "replay"), "am_output", "Starting: Intent { act=x }\n");
    for (int frame = 1; frame <= 2; frame++) {
        char line[256];
        snprintf(line, sizeof(line),
            LINE "P65LinkMetrics kind=frame frame=%d wait_replies=3 stage_bytes=10", frame);
        fixture_append(&f, "mobilegl.client.log", line);
        fixture_append(&f, "logcat.txt", line);
    }
    fixture_put(&f, "pipestats.client.json", "{\"frames\": 0, \"calls\": {\"wire-records\": 40}}");
    fixture_put(&f, "pipestats.server.json", "{\"frames\": 4, \"calls\": {\"draws\": 8}}");
    fixture_judge(&f);
    snprintf(dir, sizeof(dir), "%s/openra/%s-r1", root, arm);
    assert_true(mgc_dir_make(dir, 0755, NULL));
    assert_true(mgc_legacy_write(&f.attempt, &f.verdict, f.dir, NULL));
    take_over(f.dir, dir);
    fixture_destroy(&f);
}

int main(int argc, char **argv)
{
    static const char *const arms[] = {"monolith", "inproc", "shm", "tcp"};
    for (int i = 0; argc == 2 && i < 4; i++)
        write_cell(argv[1], arms[i]);
    return argc == 2 ? 0 : 2;
}
