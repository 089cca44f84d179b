/* The three standard streams, which a program may be started without. */
#ifndef MGC_PLAT_STREAMS_H
#define MGC_PLAT_STREAMS_H

/* Open /dev/null for each of stdin, stdout and stderr that is closed. Otherwise the next file or
 * socket gets that number, and what is printed ends up in it. And a file that becomes larger than
 * the user's limit is an error of that write, not the end of the program. First thing in main(). */
#ifdef _WIN32
static inline void mgc_streams_open(void)
{
    /* Streams are handles there; no file takes their place. */
}
#else
void mgc_streams_open(void);
#endif

#endif
