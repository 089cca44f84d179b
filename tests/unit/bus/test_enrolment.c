/* The text of an enrolment file; pure. Files and directories are in test_keys.c. */
#include "tests/lib/check.h"

#include <string.h>

#include "common/bus/keys.h"

/* Test keys of libzmq's manual page zmq_curve(7). */
#define PUBLIC "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
#define SECRET "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
#define OTHER  "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"

#define HEAD    "name = wsl-1\nrole = wsl\ncoordinator = " OTHER "\n"
#define PAIR    "public = " PUBLIC "\nsecret = " SECRET "\n"
#define ADDRESS "address = tcp://127.0.0.1:40700\n"

static void test_enrolment(void **state)
{
    struct mgc_enrolment e;
    struct mgc_error err = {0};
    const char *text = "# a comment\r\n\n  " HEAD PAIR ADDRESS "address=tcp://[::1]:40700\n"
                       "\taddress\t=  tcp://pc:9  \r\n";
    if (!mgc_enrolment_parse(text, "x.enrol", &e, &err))
        fail_msg("%s", err.text);
    assert_string_equal(e.name, "wsl-1");
    assert_string_equal(e.role, "wsl");
    assert_string_equal(e.coordinator_key, OTHER);
    assert_string_equal(e.own.public_key, PUBLIC);
    assert_string_equal(e.own.secret_key, SECRET);
    assert_int_equal(e.address_count, 3);
    assert_string_equal(e.addresses[1], "tcp://[::1]:40700");
    assert_string_equal(e.addresses[2], "tcp://pc:9");
    mgc_enrolment_destroy(&e);
    assert_string_equal(e.own.secret_key, "");
    mgc_enrolment_destroy(NULL);
}

static const struct {
    const char *text;
    const char *says;
} bad[] = {
    {"", "x.enrol: no line 'name = ...', expected one"},
    {HEAD PAIR, "x.enrol: no line 'address = ...', expected at least one"},
    {"# c\n\nname wsl\n", "x.enrol:3: expected 'name = value'"},
    {"colour = red\n", "x.enrol:1: 'colour' is not known here"},
    {"name = WSL\n", "x.enrol:1: name: expected 1 to 63 characters of a-z, 0-9 and '-'"},
    {"name =\n", "x.enrol:1: name: expected 1 to 63"},
    {"name = a\nname = b\n", "x.enrol:2: name: expected at most 1 time"},
    {"role = phone\n", "x.enrol:1: role: expected 'host' or 'wsl', found 'phone'"},
    {"secret = short\n", "x.enrol:1: secret: expected a key of 40 characters in Z85"},
    {"secret = ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n", "x.enrol:1: secret: expected a key of"},
    {"secret = \xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
     "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\n",
        "x.enrol:1: secret: expected a key of"},
    {"address = pc:1\n", "x.enrol:1: address: expected tcp://HOST:PORT, found 'pc:1'"},
    {HEAD "public = " OTHER "\nsecret = " SECRET "\n" ADDRESS,
        "x.enrol: 'secret' does not belong to 'public'"},
    {HEAD PAIR "address = tcp://127.0.0.1:4070",
        "x.enrol:6: the file is cut off: its last line has no end"},
    {ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS ADDRESS,
        "x.enrol:9: address: expected at most 8 times"},
};

static void test_errors_name_file_line_and_key(void **state)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct mgc_enrolment e;
        struct mgc_error err = {0};
        if (mgc_enrolment_parse(bad[i].text, "x.enrol", &e, &err))
            fail_msg("case %zu was accepted", i);
        assert_int_equal(err.code, MGC_E_CONFIG);
        if (strncmp(err.text, bad[i].says, strlen(bad[i].says)) != 0)
            fail_msg("case %zu says \"%s\", expected \"%s\"", i, err.text, bad[i].says);
        assert_null(strstr(err.text, SECRET)); /* a secret is never quoted */
        assert_string_equal(e.own.secret_key, "");
    }
}

static void test_long_line(void **state)
{
    char text[2000];
    struct mgc_enrolment e;
    struct mgc_error err = {0};
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_false(mgc_enrolment_parse(text, "x.enrol", &e, &err));
    assert_non_null(strstr(err.text, "x.enrol:1: expected a line below"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enrolment),
        cmocka_unit_test(test_errors_name_file_line_and_key),
        cmocka_unit_test(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
