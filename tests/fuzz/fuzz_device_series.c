/* device-state.csv as it comes from a worker. */
#include <stddef.h>
#include <stdint.h>

#include "coordinator/verify/device_series.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mgc_series series;
    size_t first, end;
    if (!mgc_series_parse((const char *)data, size, &series, NULL))
        return 0;
    int64_t value, sum = 0;
    for (size_t row = 0; row <= series.row_count; row++) {
        for (size_t column = 0; column <= series.column_count; column++)
            sum ^= mgc_series_get(&series, row, column, &value) ? value : 0;
    }
    mgc_series_window(&series, sum & INT64_C(0xffffffff), INT64_C(1) << 40, &first, &end);
    mgc_series_destroy(&series);
    return 0;
}
