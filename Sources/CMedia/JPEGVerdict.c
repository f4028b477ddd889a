#include "JPEGVerdict.h"
#include <setjmp.h>
#include <stdio.h>
// Must follow stdio.h, because it uses FILE.
#include <jpeglib.h>
#include <jerror.h>

struct judge {
    struct jpeg_error_mgr base;  // Must be first: libjpeg passes back a pointer to this member.
    jmp_buf damaged;
    const uint8_t *bytes;
    size_t count;
};

// Maximum number of extra bytes before a marker that don't count as damage. The Logitech cameras C270 and
// C910 insert 1 to 10 bytes before nearly every restart marker (github.com: opencv/opencv #9477,
// Motion-Project/motion #65, libavg/libavg #782). If the decoder has lost synchronization, dozens of bytes
// are left over.
enum { most_left_over = 16 };

// Returns whether the `length` bytes before the end-of-image marker have the same value. Some encoders pad
// images with such bytes to fill a transfer.
static int is_fill(const struct judge *judge, size_t length) {
    size_t end = judge->count;
    while (end >= 2 && !(judge->bytes[end - 2] == 0xFF && judge->bytes[end - 1] == JPEG_EOI)) end--;
    if (end < length + 2) return 0;
    const uint8_t *fill = judge->bytes + end - 2 - length;
    for (size_t i = 1; i < length; i++)
        if (fill[i] != fill[0]) return 0;
    return 1;
}

static void stop(j_common_ptr info) { longjmp(((struct judge *)info->err)->damaged, 1); }

// Handles a warning of libjpeg. The warnings for which this function returns (see jerror.h) don't affect the
// image. All other warnings indicate lost blocks and stop decoding.
static void weigh(j_common_ptr info, int level) {
    if (level >= 0) return;  // A trace message.
    struct judge *judge = (struct judge *)info->err;
    const int *parameters = judge->base.msg_parm.i;
    switch (judge->base.msg_code) {
    case JWRN_JFIF_MAJOR: case JWRN_ADOBE_XFORM: return;
    // Only the end-of-image marker is missing. If blocks were missing too, libjpeg would report
    // JWRN_HIT_MARKER.
    case JWRN_JPEG_EOF: return;
    case JWRN_EXTRANEOUS_DATA:
        if (parameters[0] <= most_left_over) return;
        if (parameters[1] == JPEG_EOI && is_fill(judge, (size_t)parameters[0])) return;
    }
    stop(info);
}

int media_jpeg_is_damaged(const uint8_t *bytes, size_t count) {
    struct jpeg_decompress_struct jpeg;
    struct judge judge = {.bytes = bytes, .count = count};
    jpeg.err = jpeg_std_error(&judge.base);
    judge.base.error_exit = stop;
    judge.base.emit_message = weigh;
    if (setjmp(judge.damaged)) {
        jpeg_destroy_decompress(&jpeg);
        return 1;
    }
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, bytes, count);
    jpeg_read_header(&jpeg, TRUE);
    // libjpeg reads all entropy-coded data at any scale. The scale 1/8 avoids the inverse DCT.
    jpeg.scale_num = 1;
    jpeg.scale_denom = 8;
    jpeg.out_color_space = jpeg.jpeg_color_space;
    jpeg.do_fancy_upsampling = FALSE;
    jpeg_start_decompress(&jpeg);
    JSAMPARRAY row = jpeg.mem->alloc_sarray((j_common_ptr)&jpeg, JPOOL_IMAGE,
                                            jpeg.output_width * (JDIMENSION)jpeg.output_components, 1);
    while (jpeg.output_scanline < jpeg.output_height) jpeg_read_scanlines(&jpeg, row, 1);
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return 0;
}
