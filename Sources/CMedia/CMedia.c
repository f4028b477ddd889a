#include "CMedia.h"
#include <string.h>

int media_buffer_in_one_piece(AVCodecContext *context, AVFrame *frame, int flags) {
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
    if (context->codec_type != AVMEDIA_TYPE_VIDEO || !format || (format->flags & AV_PIX_FMT_FLAG_HWACCEL) ||
        (format->flags & AV_PIX_FMT_FLAG_PAL) || !(context->codec->capabilities & AV_CODEC_CAP_DR1))
        return avcodec_default_get_buffer2(context, frame, flags);
    // Decoders may write beyond the edges of the frame, up to whole macroblocks and the width of a vector
    // register.
    int width = frame->width, height = frame->height, strides[AV_NUM_DATA_POINTERS];
    avcodec_align_dimensions2(context, &width, &height, strides);
    enum { alignment = 64 };
    int size = av_image_get_buffer_size(frame->format, width, height, alignment);
    if (size < 0) return size;
    AVBufferRef *memory = av_buffer_alloc((size_t)size + 2 * alignment);
    if (!memory) return AVERROR(ENOMEM);
    int filled = av_image_fill_arrays(frame->data, frame->linesize, memory->data, frame->format, width, height, alignment);
    if (filled < 0) {
        av_buffer_unref(&memory);
        return filled;
    }
    frame->buf[0] = memory;
    frame->extended_data = frame->data;
    return 0;
}

// Multiplies a sample, scaled by 2⁷, by a factor, scaled by 2¹⁴. The result is the high half of the 32-bit
// product, in units of 2⁻⁵ of a code value. In vectorized loops, each multiplication is a single `pmulhw`
// instruction.
static inline int16_t part(int16_t sample, int16_t factor) { return (int16_t)(((int32_t)sample * factor) >> 16); }

static inline uint8_t code(int16_t parts) {
    int16_t value = parts >> 5;
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

enum { block = 512, rounding = 16 };

// Functions with this attribute are compiled for AVX2 and for baseline x86-64, and the loader selects the
// version. The AVX2 version is four times as fast. The attribute isn't used with ThreadSanitizer, because the
// selection code runs before the sanitizer is initialized.
#define FOR_EACH_PROCESSOR
#if defined(__x86_64__) && defined(__clang__)
#if !__has_feature(thread_sanitizer)
#undef FOR_EACH_PROCESSOR
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#endif
#endif

// Converts a row of chroma samples, and computes the amount that each chroma sample adds to the luma of its
// two pixels.
FOR_EACH_PROCESSOR static void convert_chroma(uint8_t *restrict u, uint8_t *restrict v, int16_t *restrict addition, int count,
                           const struct media_color_map *restrict map) {
    struct media_color_map m = *map;
    for (int i = 0; i < count; i++) {
        int16_t cb = (int16_t)((u[i] - 128) * 128), cr = (int16_t)((v[i] - 128) * 128);
        int16_t sum = (int16_t)(part(cb, m.luma_cb) + part(cr, m.luma_cr) + m.luma_offset);
        addition[2 * i] = sum;
        addition[2 * i + 1] = sum;
        // The added 1 compensates for the mean truncation error of two products, in units of 2⁻⁵ of a code
        // value.
        u[i] = code((int16_t)(part(cb, m.cb_cb) + part(cr, m.cb_cr) + 128 * 32 + rounding + 1));
        v[i] = code((int16_t)(part(cb, m.cr_cb) + part(cr, m.cr_cr) + 128 * 32 + rounding + 1));
    }
}

FOR_EACH_PROCESSOR static void convert_luma(uint8_t *restrict y, const int16_t *restrict addition, int count, int16_t factor) {
    for (int i = 0; i < count; i++) y[i] = code((int16_t)(part((int16_t)(y[i] * 128), factor) + addition[i]));
}

void media_convert_color(uint8_t *y, ptrdiff_t y_stride, uint8_t *u, ptrdiff_t u_stride, uint8_t *v, ptrdiff_t v_stride,
                         int width, int height, int vertical_shift, const struct media_color_map *map) {
    int16_t addition[2 * block];
    struct media_color_map m = *map;
    // The added 1 compensates for the mean truncation error of three products.
    m.luma_offset = (int16_t)(m.luma_offset + rounding + 1);
    for (int row = 0; row < height; row += 1 << vertical_shift) {
        uint8_t *cb = u + (row >> vertical_shift) * u_stride, *cr = v + (row >> vertical_shift) * v_stride;
        int rows = vertical_shift && row + 1 < height ? 2 : 1;
        for (int x = 0; x < width; x += 2 * block) {
            int pixels = width - x < 2 * block ? width - x : 2 * block;
            convert_chroma(cb + x / 2, cr + x / 2, addition, (pixels + 1) / 2, &m);
            for (int r = 0; r < rows; r++) convert_luma(y + (row + r) * y_stride + x, addition, pixels, m.luma);
        }
    }
}

void media_paint_slate(uint8_t *y, ptrdiff_t stride, int width, int height, uint8_t ground, uint8_t mark, int bars) {
    int shorter = width < height ? width : height;
    int frame = shorter / 24 + 1, period = shorter / 6 + 2;
    for (int row = 0; row < height; row++, y += stride) {
        memset(y, row < frame || row >= height - frame ? mark : ground, (size_t)width);
        memset(y, mark, (size_t)(frame < width ? frame : width));
        memset(y + (width > frame ? width - frame : 0), mark, (size_t)(frame < width ? frame : width));
        if (!bars || row < height * 2 / 5 || row >= height - height * 2 / 5) continue;
        for (int x = width / 4; x < width - width / 4; x++)
            if ((x + row) % period < period / 2) y[x] = mark;
    }
}

void media_deinterleave(const float *samples, float *channel, int index, int channels, int count) {
    for (int i = 0; i < count; i++) channel[i] = samples[(ptrdiff_t)i * channels + index];
}

void media_clip(const float *restrict samples, float *restrict clipped, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        float sample = samples[i];
        clipped[i] = sample > 1 ? 1 : sample < -1 ? -1 : sample == sample ? sample : 0;
    }
}

int media_has_pair(const void *bytes, ptrdiff_t count, uint8_t first, uint8_t second) {
    const uint8_t *b = bytes;
    for (ptrdiff_t i = count - 1; i > 0; i--)
        if (b[i] == second && b[i - 1] == first) return 1;
    return 0;
}
