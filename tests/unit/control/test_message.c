#include "coordinator/control/message.h"

#include <string.h>

#include "tests/lib/check.h"

static bool parse_request(const char *line, enum mgc_control_request *ret, struct mgc_error *err)
{
    *err = (struct mgc_error){0};
    return mgc_control_request_parse(line, strlen(line), ret, err);
}

static void requests_survive_the_way(void **state)
{
    for (int i = MGC_CONTROL_HOSTS; i <= MGC_CONTROL_CANCEL; i++) {
        struct mgc_buf line = {0};
        struct mgc_error err;
        enum mgc_control_request got;
        assert_true(mgc_control_put_request(&line, (enum mgc_control_request)i));
        assert_int_equal(line.data[line.len - 1], '\n');
        line.data[line.len - 1] = '\0';
        assert_true(parse_request(line.data, &got, &err));
        assert_int_equal(got, i);
        mgc_buf_destroy(&line);
    }
}

static void the_bytes_are_these(void **state)
{
    struct mgc_buf line = {0};
    struct mgc_error why;
    mgc_control_put_request(&line, MGC_CONTROL_WATCH);
    mgc_control_put_answer(&line, json_pack("{s:i}", "pid", 7));
    mgc_control_put_answer(&line, json_pack("{s:s}", "event", "tick"));
    mgc_error_set(&why, MGC_E_BUSY, "a \"b\"\xff");
    mgc_control_put_refusal(&line, &why);
    assert_string_equal(mgc_buf_text(&line),
        "{\"request\":\"watch\"}\n"
        "{\"pid\":7,\"ok\":true}\n"
        "{\"event\":\"tick\"}\n"
        "{\"ok\":false,\"code\":\"busy\",\"text\":\"a \\\"b\\\"?\"}\n");
    mgc_buf_destroy(&line);
}

static void bad_requests_are_refused(void **state)
{
    enum mgc_control_request got;
    struct mgc_error err;
    assert_false(parse_request("", &got, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    assert_false(parse_request("[]", &got, &err));
    assert_non_null(strstr(err.text, "'request' is missing"));
    assert_false(parse_request("{\"request\":1}", &got, &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    assert_false(parse_request("{\"request\":\"shutdown\"}", &got, &err));
    assert_int_equal(err.code, MGC_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "'shutdown'"));
    assert_true(parse_request("{\"request\":\"hosts\",\"new\":[1]}", &got, &err));
}

static json_t *parse_answer(const char *line, struct mgc_error *err)
{
    *err = (struct mgc_error){0};
    return mgc_control_answer_parse(line, strlen(line), err);
}

static void answers_are_told_apart(void **state)
{
    struct mgc_error err;
    json_t *doc = parse_answer("{\"ok\":true,\"pid\":7}", &err);
    assert_non_null(doc);
    json_decref(doc);
    doc = parse_answer("{\"event\":\"tick\"}", &err);
    assert_non_null(doc);
    json_decref(doc);
    assert_null(parse_answer("{\"ok\":false,\"code\":\"busy\",\"text\":\"later\"}", &err));
    assert_int_equal(err.code, MGC_E_BUSY);
    assert_string_equal(err.text, "later");
    assert_null(parse_answer("{\"ok\":false,\"code\":\"new\"}", &err));
    assert_int_equal(err.code, MGC_E_FAILED);
    assert_null(parse_answer("{\"pid\":7}", &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
    assert_null(parse_answer("{\"ok\":tr", &err));
    assert_int_equal(err.code, MGC_E_PROTOCOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_survive_the_way),
        cmocka_unit_test(the_bytes_are_these),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(answers_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
