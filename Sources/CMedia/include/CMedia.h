// Imports FFmpeg, libebur128, libjpeg-turbo, libyuv, and cairo, including definitions that Swift can't import
// directly, such as function-like macros and casts.
#pragma once
#include "Enlarging.h"
#include "JPEGVerdict.h"
#include "LibraryVersions.h"
#include "Measures.h"
#include "Messages.h"
#include "SoundChain.h"
#include "TestMaterial.h"
#include "Words.h"
#include <ebur128.h>
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/tx.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>
#include <libyuv.h>
#include <turbojpeg.h>

static const int64_t ff_no_timestamp = AV_NOPTS_VALUE;
static const int32_t ff_end_of_file = AVERROR_EOF;
static const int32_t ff_stream_not_found = AVERROR_STREAM_NOT_FOUND;
static const int32_t ff_invalid_data = AVERROR_INVALIDDATA;
static const int32_t ff_try_again = AVERROR(EAGAIN);
static const int32_t ff_external = AVERROR_EXTERNAL;
static const int32_t ff_exit = AVERROR_EXIT;
static const int32_t ff_unauthorized = AVERROR_HTTP_UNAUTHORIZED;
static const int32_t ff_forbidden = AVERROR_HTTP_FORBIDDEN;
static const int32_t ff_not_found = AVERROR_HTTP_NOT_FOUND;
static const int32_t ff_protocol_not_found = AVERROR_PROTOCOL_NOT_FOUND;

static const int32_t ff_seek_backward = AVSEEK_FLAG_BACKWARD;

static inline int32_t ff_error_from_errno(int32_t e) { return AVERROR(e); }

// Allocates all planes of a decoded frame in one buffer, so that the frame can be shared as one block of
// memory. For unsupported formats and codecs, the default buffers of libavcodec are used. Set this function
// as the `get_buffer2` callback of a codec context.
int media_buffer_in_one_piece(AVCodecContext *context, AVFrame *frame, int flags);

// Calls sws_scale for a whole frame with three output planes. This wrapper exists because Swift can't safely
// pass an array that is part of a struct.
static inline int media_scale(struct SwsContext *s, const AVFrame *f, uint8_t *y, int y_stride, uint8_t *u, int u_stride,
                              uint8_t *v, int v_stride) {
    uint8_t *planes[4] = {y, u, v, NULL};
    int strides[4] = {y_stride, u_stride, v_stride, 0};
    return sws_scale(s, (const uint8_t *const *)f->data, f->linesize, 0, f->height, planes, strides);
}

static inline int media_is_rgb(int format) {
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);
    return d && (d->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL));
}

// Returns the 3×3 display matrix of a decoded frame; NULL if the frame doesn't have one.
static inline const int32_t *media_display_matrix(const AVFrame *f) {
    const AVFrameSideData *data = av_frame_get_side_data(f, AV_FRAME_DATA_DISPLAYMATRIX);
    return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
}

// Returns the Exif orientation of a decoded image as text; NULL if the image doesn't have one.
static inline const char *media_exif_orientation(const AVFrame *f) {
    const AVDictionaryEntry *entry = av_dict_get(f->metadata, "Orientation", NULL, 0);
    return entry ? entry->value : NULL;
}

static inline int media_convert_sound(SwrContext *s, uint8_t **out, int count, const AVFrame *in) {
    return swr_convert(s, out, count, (const uint8_t **)in->extended_data, in->nb_samples);
}

// Returns whether a pixel format uses full range, either by name (such as yuvj420p) or by convention
// (grayscale).
static inline int media_is_full_range(int format) {
    const AVPixFmtDescriptor *d = av_pix_fmt_desc_get(format);
    switch (format) {
    case AV_PIX_FMT_YUVJ411P: case AV_PIX_FMT_YUVJ420P: case AV_PIX_FMT_YUVJ422P: case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ444P: return 1;
    default: return d && d->nb_components <= 2 && !(d->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL));
    }
}

// Coefficients for converting 8-bit code values from one color description to another:
//
// - Y' = luma · Y + luma_cb · (Cb − 128) + luma_cr · (Cr − 128) + luma_offset
// - Cb' = cb_cb · (Cb − 128) + cb_cr · (Cr − 128) + 128, and the same for Cr'
//
// Factors are in units of 2⁻¹⁴ and have a magnitude below 2. The offset is in units of 2⁻⁵ of a code value.
struct media_color_map {
    int16_t luma, luma_cb, luma_cr, luma_offset;
    int16_t cb_cb, cb_cr, cr_cb, cr_cr;
};

// Converts the colors of a rectangle in place. The chroma planes have half the width, rounded up. The height
// of the chroma planes is half the height, rounded up, if `vertical_shift` is 1, and the full height if
// `vertical_shift` is 0.
void media_convert_color(uint8_t *y, ptrdiff_t y_stride, uint8_t *u, ptrdiff_t u_stride, uint8_t *v, ptrdiff_t v_stride,
                         int width, int height, int vertical_shift, const struct media_color_map *map);

// Paints the luma plane of a slate. The background has the luma `ground`; the border has the luma `mark`. If
// `bars` is nonzero, diagonal bars with the luma `mark` are painted across the center.
void media_paint_slate(uint8_t *y, ptrdiff_t stride, int width, int height, uint8_t ground, uint8_t mark, int bars);

// Extracts one channel from interleaved samples.
void media_deinterleave(const float *samples, float *channel, int index, int channels, int count);

// Clips samples to ±1. NaN becomes silence.
void media_clip(const float *samples, float *clipped, ptrdiff_t count);

// Returns whether the byte `first` is directly followed by the byte `second` anywhere in the data. The search
// starts at the end.
int media_has_pair(const void *bytes, ptrdiff_t count, uint8_t first, uint8_t second);

// Resamples interleaved audio. Call this function with a NULL input to flush the resampler.
static inline int media_resample(SwrContext *s, uint8_t *out, int capacity, const uint8_t *in, int count) {
    return swr_convert(s, &out, capacity, in ? &in : NULL, count);
}

