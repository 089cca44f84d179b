/* Compiler attributes whose spelling depends on the system. */
#ifndef MGC_BASE_ATTR_H
#define MGC_BASE_ATTR_H

/* The compiler checks arguments against the format in place `fmt`; `first` is the place of the
 * first argument, 0 for a va_list. On Windows plain "printf" would mean the formats of Microsoft's
 * own runtime; we print with mingw's, which are the C standard's. */
#ifdef _WIN32
#define MGC_PRINTF(fmt, first) __attribute__((format(gnu_printf, fmt, first)))
#else
#define MGC_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#endif

#endif
