// libsrt provides SRT connections and statistics. The GnuTLS build of libsrt is used, because libavformat and
// libsoup also use GnuTLS. pkg-config provides the location of the libsrt headers.
#pragma once
#include <srt/srt.h>

// Discards log messages of libsrt, which are written to standard error by default. The program prints its own
// messages instead.
static inline void srt_ignore(void *context, int level, const char *file, int line, const char *area, const char *message) {
    (void)context, (void)level, (void)file, (void)line, (void)area, (void)message;
}
static inline void srt_be_silent(void) { srt_setloghandler(NULL, srt_ignore); }
