/* What the phone calls itself, everywhere: nobody may take it for a real one. */
#ifndef MGC_LAB_PHONE_IDENTITY_H
#define MGC_LAB_PHONE_IDENTITY_H

#define MGL_MODEL        "lab phone"
#define MGL_MANUFACTURER "mgcoord"
#define MGL_DEVICE       "labphone"
#define MGL_SERIALNO     "mglab0001" /* of a phone that was given no other */
#define MGL_FINGERPRINT  "mgcoord/labphone/labphone:16/LAB/mglab:userdebug/test-keys"

#if defined(__aarch64__)
#define MGL_ABI "arm64-v8a"
#elif defined(__x86_64__)
#define MGL_ABI "x86_64"
#else
#define MGL_ABI "unknown"
#endif

#endif
