#include "coordinator/verify/server_read.h"

#include "common/contract/server_metrics.h"

void mgc_server_read_take(struct mgc_server_read *read, const char *line)
{
    struct mgc_server_frame frame;
    if (mgc_server_frame_parse(line, &frame) != MGC_P65_OK ||
        read->bytes > INT64_MAX - frame.read_bytes)
        return;
    read->told = true;
    read->bytes += frame.read_bytes;
    read->read_ms += frame.total_ms;
}

void mgc_server_read_metrics(struct mgc_fields *metrics, const struct mgc_server_read *read)
{
    if (!read->told)
        return;
    mgc_fields_set_int(metrics, "server_read_bytes", read->bytes);
    if (read->read_ms > 0)
        mgc_fields_set_double(
            metrics, "server_read_mb_s", (double)read->bytes / 1e3 / read->read_ms);
}
