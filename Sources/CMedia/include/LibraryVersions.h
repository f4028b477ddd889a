// What differs between the versions of FFmpeg in Debian 12 (5.1) and Debian 13 (7.1).
#pragma once
#include <libavutil/frame.h>
#include <libavutil/version.h>

// Whether a decoded frame is a key frame. `AVFrame.key_frame` is deprecated since the flag is there.
static inline int media_is_key(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_KEY) != 0;
#else
    return frame->key_frame != 0;
#endif
}
