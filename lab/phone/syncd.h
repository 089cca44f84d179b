/* The file service itself: blocking, on one connected socket, in a process of its own that has the
 * shell's uid, so that the kernel decides what adb may touch. */
#ifndef MGC_LAB_PHONE_SYNCD_H
#define MGC_LAB_PHONE_SYNCD_H

/* Serve until QUIT, end of stream or a protocol error; returns the process's exit code. */
int mgl_syncd_run(int fd);

#endif
