// libsrt: SRT's connections and statistics. The build of GnuTLS, which is also what libavformat and libsoup use. pkg-config says where its
// headers are.
#pragma once
#include <srt/srt.h>

// libsrt writes to standard error by itself; this program says what is the matter in its own words.
static inline void srt_ignore(void *context, int level, const char *file, int line, const char *area, const char *message) {
    (void)context, (void)level, (void)file, (void)line, (void)area, (void)message;
}
static inline void srt_be_silent(void) { srt_setloghandler(NULL, srt_ignore); }
