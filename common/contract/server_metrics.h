/* What the render server's apply thread and the client's pacing log: P65ServerMetrics,
 * P65ServerFrame, P65ClientPace (contract section 5). Pure; any log prefix is passed over.
 */
#ifndef MGC_CONTRACT_SERVER_METRICS_H
#define MGC_CONTRACT_SERVER_METRICS_H

#include <stdbool.h>
#include <stdint.h>

enum mgc_p65_line { MGC_P65_NONE, MGC_P65_OK, MGC_P65_BAD };

struct mgc_server_metrics {
    int64_t frame;
    bool valid; /* the first frame is not */
    int64_t wall_ns, apply_thread_cpu_ns;
};
enum mgc_p65_line mgc_server_metrics_parse(const char *line, struct mgc_server_metrics *ret);

/* Off unless MOBILEGL_SERVER_FRAME_STATS asks for it. The line's MB/s divides by reading time that
 * includes waiting for the client. */
struct mgc_server_frame {
    int64_t frame, records;
    double apply_ms, wall_ms, outside_ms;
    int64_t read_bytes, recv_count, read_count;
    double recv_ms, total_ms;
};
enum mgc_p65_line mgc_server_frame_parse(const char *line, struct mgc_server_frame *ret);

/* Only the number of presents is documented; the rest of the line is ignored. */
enum mgc_p65_line mgc_client_pace_parse(const char *line, int64_t *ret_present);

#endif
