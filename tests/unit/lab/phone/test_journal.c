#include "tests/lib/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/plat/file.h"
#include "lab/phone/journal.h"

static void writes_lines_of_json(void **state)
{
    char dir[] = "/tmp/mglab-journal-XXXXXX", path[64];
    const struct mgl_journal_key keys[] = {
        {"process", ":mglsrv", 0}, {"command", "a\"b\\c\n", 0}, {"pid", NULL, 71}, {0}};
    struct mgc_buf text = {0};
    assert_non_null(mkdtemp(dir));
    int fd = mgl_journal_open(dir, NULL);
    assert_true(fd >= 0);
    mgl_journal_write(fd, 81423117000, "app-start", keys);
    mgl_journal_write(fd, 0, "phone-start", NULL);
    mgl_journal_write(-1, 0, "nowhere", NULL);
    close(fd);
    snprintf(path, sizeof(path), "%s/journal.jsonl", dir);
    assert_true(mgc_file_read(path, 4096, &text, NULL));
    assert_string_equal(mgc_buf_text(&text),
        "{\"mono_ms\": 81423.117, \"event\": \"app-start\", \"process\": \":mglsrv\", "
        "\"command\": \"a?b?c?\", \"pid\": 71}\n"
        "{\"mono_ms\": 0.000, \"event\": \"phone-start\"}\n");
    mgc_buf_destroy(&text);
    fd = mgl_journal_open(dir, NULL); /* begins anew */
    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), 0);
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void names_what_it_cannot_open(void **state)
{
    struct mgc_error err;
    assert_int_equal(mgl_journal_open("/nonexistent", &err), -1);
    assert_non_null(strstr(err.text, "/nonexistent/journal.jsonl"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_lines_of_json),
        cmocka_unit_test(names_what_it_cannot_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
