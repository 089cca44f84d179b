#include "coordinator/verify/documents.h"

#include "common/base/buf.h"
#include "common/base/path.h"
#include "common/plat/file.h"

static bool read_file(
    const char *dir, const char *name, size_t max, struct mgc_buf *data, struct mgc_error *err)
{
    char path[MGC_PATH_MAX];
    if (!mgc_path_join(path, sizeof(path), dir, name) || !mgc_file_exists(path))
        return false;
    mgc_file_read(path, max, data, err);
    return true;
}

void mgc_documents_read(struct mgc_documents *docs, const char *dir)
{
    struct mgc_buf data = {0};
    *docs = (struct mgc_documents){0};
    docs->result_present =
        read_file(dir, "result.json", MGC_RESULT_MAX_BYTES, &data, &docs->result_error);
    if (docs->result_present && docs->result_error.code == MGC_OK)
        mgc_result_parse(data.data, data.len, &docs->result, &docs->result_error);
    mgc_buf_clear(&data);
    docs->benchmark_present =
        read_file(dir, "benchmark.json", MGC_BENCHMARK_MAX_BYTES, &data, &docs->benchmark_error);
    if (docs->benchmark_present && docs->benchmark_error.code == MGC_OK)
        mgc_benchmark_parse(data.data, data.len, &docs->benchmark, &docs->benchmark_error);
    mgc_buf_destroy(&data);
}

void mgc_documents_destroy(struct mgc_documents *docs)
{
    if (!docs)
        return;
    mgc_result_destroy(&docs->result);
    mgc_benchmark_destroy(&docs->benchmark);
    *docs = (struct mgc_documents){0};
}
