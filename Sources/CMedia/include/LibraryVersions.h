// Wrappers that hide the differences between FFmpeg 5.1 (Debian 12) and FFmpeg 7.1 (Debian 13).
#pragma once
#include <libavcodec/version.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libavutil/version.h>

// Returns whether a decoded frame is a key frame. `AVFrame.key_frame` is deprecated in FFmpeg versions that
// have `AV_FRAME_FLAG_KEY`.
static inline int media_is_key(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_KEY) != 0;
#else
    return frame->key_frame != 0;
#endif
}

// Returns the 3×3 display matrix of a stream; NULL if the stream doesn't have one. `av_stream_get_side_data`
// is deprecated in FFmpeg versions in which the codec parameters contain the matrix.
static inline const int32_t *media_stream_matrix(const AVStream *stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
    const AVPacketSideData *data =
        av_packet_side_data_get(stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
#else
    size_t size = 0;
    const uint8_t *data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return data && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
#endif
}
