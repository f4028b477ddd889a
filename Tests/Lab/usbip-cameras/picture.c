// Encoding a whole 1080p image for each frame would take too much CPU time from the program under test. The background is
// therefore encoded once, in a few poses, with a restart marker after each row of blocks (ITU-T T.81, E.1.4), which makes the
// rows independent of each other. A frame consists of the header, the strip's one row repeated, and the rest of the background.
#include "picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "crc.h"
#include "h264.h"

enum { poses = 8, lit_pose = poses, cells = 64, block_rows = 8, rubbish = 64 };

struct pose {
    uint8_t *head, *tail; // up to and including SOS; from the first background row on
    size_t head_size, tail_size;
};

struct picture_source {
    enum pixel pixel;
    int width, height, camera;
    int strip_rows; // rows of blocks (MJPEG) or pixels
    struct pose pose[poses + 1];
    uint8_t *raw, *lit_raw;
};

struct yuv {
    uint8_t y, u, v;
};

// Gradients and a little grain, so that JPEGs have a webcam's size. A dark bar moves with the pose, and the camera's number tints
// the image. During a flash, it is white in both limited and full range.
static struct yuv background(const struct picture_source *source, int x, int y, int pose)
{
    if (pose == lit_pose)
        return (struct yuv){ 235, 128, 128 };
    uint32_t grain = (uint32_t)(x * 73856093) ^ (uint32_t)(y * 19349663);
    grain = (grain ^ grain >> 13) * 0x5bd1e995u;
    int luma = 70 + 90 * x / source->width + 50 * y / source->height + (int)(grain >> 29) * 2;
    if (x * poses / source->width == pose)
        luma -= 50;
    return (struct yuv){ luma, 128 + (source->camera & 1 ? 30 : -30), 128 + (source->camera & 2 ? 30 : -30) };
}

// Luma of the strip, full width.
static void strip_row(const struct picture_source *source, const struct exposure *exposure, uint8_t *luma)
{
    uint32_t number = exposure->number, time = (uint32_t)(exposure->time_ns / 100000);
    uint8_t code[8] = { 0xac, number >> 16, number >> 8, number, time >> 16, time >> 8, time, 0 };
    for (int i = 1; i < 7; i++)
        code[7] += code[i];
    for (int x = 0; x < source->width; x++) {
        int cell = x * cells / source->width;
        luma[x] = code[cell / 8] & 0x80 >> cell % 8 ? 255 : 0;
    }
}

// --- JPEG

static const uint8_t comment[21] = "LAB1";
enum { comment_number = 5, comment_time = 9, comment_crc = 17 };

// Both parts of a frame must use the same tables, and thus the same parameters: 4:2:2, as in webcams.
static void begin_jpeg(struct jpeg_compress_struct *jpeg, struct jpeg_error_mgr *errors, int width, int height, uint8_t **data,
                       unsigned long *size)
{
    *data = NULL;
    *size = 0;
    jpeg->err = jpeg_std_error(errors);
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, data, size);
    jpeg->image_width = width;
    jpeg->image_height = height;
    jpeg->input_components = 3;
    jpeg->in_color_space = JCS_YCbCr;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, 80, TRUE);
    jpeg->comp_info[0].v_samp_factor = 1;
    jpeg->restart_in_rows = 1;
    jpeg->dct_method = JDCT_IFAST;
    jpeg_start_compress(jpeg, TRUE);
}

// The length of the data up to and including the segment `marker`.
static size_t segments_until(const uint8_t *data, uint8_t marker)
{
    size_t at = 2;
    for (;;) {
        size_t next = at + 2 + (data[at + 2] << 8 | data[at + 3]);
        if (data[at + 1] == marker)
            return next;
        at = next;
    }
}

static struct pose encode_background(const struct picture_source *source, int number)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    uint8_t *data;
    unsigned long size;
    begin_jpeg(&jpeg, &errors, source->width, source->height, &data, &size);
    jpeg_write_marker(&jpeg, JPEG_COM, comment, sizeof comment);
    uint8_t *row = malloc(source->width * 3);
    for (int y = 0; y < source->height; y++) {
        for (int x = 0; x < source->width; x++)
            memcpy(row + 3 * x, (struct yuv[]){ background(source, x, y, number) }, 3);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    free(row);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);

    struct pose pose = { .head = data, .head_size = segments_until(data, 0xda) };
    // In entropy-coded data, a data byte 0xff is followed by 0, so FF D0…D7 can only be a restart marker.
    pose.tail = data + pose.head_size;
    for (int rows = 0; rows < source->strip_rows; pose.tail++)
        if (pose.tail[0] == 0xff && (pose.tail[1] & 0xf8) == 0xd0)
            rows++;
    pose.tail++;
    pose.tail_size = data + size - pose.tail;
    return pose;
}

// Writes the entropy-coded data of one row of blocks to `out`, without a marker; returns the size.
static size_t encode_strip(const struct picture_source *source, const uint8_t *luma, uint8_t *out)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    uint8_t *data;
    unsigned long size;
    uint8_t row[source->width * 3];
    memset(row, 128, sizeof row);
    for (int x = 0; x < source->width; x++)
        row[3 * x] = luma[x];
    begin_jpeg(&jpeg, &errors, source->width, block_rows, &data, &size);
    for (int y = 0; y < block_rows; y++)
        jpeg_write_scanlines(&jpeg, (JSAMPROW[]){ row }, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    size_t head = segments_until(data, 0xda);
    size -= head + 2; // and the end-of-image marker
    memcpy(out, data + head, size);
    free(data);
    return size;
}

static void put_big_endian(uint8_t *at, uint64_t value, int bytes)
{
    while (bytes--) {
        at[bytes] = value;
        value >>= 8;
    }
}

static size_t render_jpeg(struct picture_source *source, const struct exposure *exposure, const uint8_t *luma, uint8_t *frame)
{
    const struct pose *pose = &source->pose[exposure->lit ? lit_pose : exposure->number % poses];
    uint8_t *at = mempcpy(frame, pose->head, pose->head_size);
    uint8_t *row = at;
    size_t row_size = encode_strip(source, luma, row);
    for (int i = 0; i < source->strip_rows; i++) {
        if (i > 0)
            memcpy(at, row, row_size);
        at += row_size;
        *at++ = 0xff;
        *at++ = 0xd0 | i % 8;
    }
    at = mempcpy(at, pose->tail, pose->tail_size);

    uint8_t *mark = frame + segments_until(frame, 0xfe) - sizeof comment;
    mark[4] = source->camera;
    put_big_endian(mark + comment_number, exposure->number, 4);
    put_big_endian(mark + comment_time, exposure->time_ns, 8);
    put_big_endian(mark + comment_crc, crc32(0, frame, at - frame), 4);
    return at - frame;
}

// --- YUYV

static uint8_t *make_raw(const struct picture_source *source, int pose)
{
    uint8_t *raw = malloc(picture_capacity(YUYV, source->width, source->height)), *at = raw;
    for (int y = 0; y < source->height; y++) {
        for (int x = 0; x < source->width; x += 2) {
            struct yuv left = background(source, x, y, pose), right = background(source, x + 1, y, pose);
            *at++ = left.y;
            *at++ = left.u;
            *at++ = right.y;
            *at++ = left.v;
        }
    }
    return raw;
}

// Drivers report no range for YUYV, which implies BT.601 limited range (UVC 1.1, color matching descriptor, 3.9.2.6).
static size_t render_raw(struct picture_source *source, bool lit, const uint8_t *luma, uint8_t *frame)
{
    size_t stride = source->width * 2, size = stride * source->height;
    for (int x = 0; x < source->width; x++) {
        frame[2 * x] = luma[x] ? 235 : 16;
        frame[2 * x + 1] = 128;
    }
    for (int y = 1; y < source->strip_rows; y++)
        memcpy(frame + y * stride, frame, stride);
    size_t strip = source->strip_rows * stride;
    memcpy(frame + strip, (lit ? source->lit_raw : source->raw) + strip, size - strip);
    return size;
}

// --- H.264

static size_t render_h264(const struct picture_source *source, const struct exposure *exposure, uint8_t *luma, uint8_t *frame)
{
    for (int x = 0; x < source->width; x++)
        luma[x] = luma[x] ? 235 : 16; // limited range, as no other is signaled
    struct h264_picture picture = { source->width, source->height, source->strip_rows, luma, exposure->since_start };
    enum { digits = 8 }; // checksum digits
    char text[64];
    snprintf(text, sizeof text, "LAB1 %02x %08x %016llx 00000000", source->camera, exposure->number,
             (unsigned long long)exposure->time_ns);
    size_t size = write_access_unit(&picture, text, frame);
    uint8_t *mark = memmem(frame, size, text, strlen(text)), *crc = mark + strlen(text) - digits;
    snprintf(text, sizeof text, "%08x", access_unit_crc(frame, size));
    memcpy(crc, text, digits);
    return size;
}

// --- all

size_t picture_capacity(enum pixel pixel, int width, int height)
{
    (void)pixel; // compressed frames need far less than two bytes per pixel
    return (size_t)width * height * 2 + rubbish;
}

struct picture_source *make_pictures(enum pixel pixel, int width, int height, int camera)
{
    struct picture_source *source = calloc(1, sizeof *source);
    *source = (struct picture_source){ .pixel = pixel, .width = width, .height = height, .camera = camera };
    source->strip_rows = pixel == MJPEG ? (height / 16 + block_rows - 1) / block_rows : height / 16;
    if (pixel == YUYV) {
        source->raw = make_raw(source, 0);
        source->lit_raw = make_raw(source, lit_pose);
    }
    for (int i = 0; pixel == MJPEG && i <= lit_pose; i++)
        source->pose[i] = encode_background(source, i);
    return source;
}

size_t render_picture(struct picture_source *source, const struct exposure *exposure, uint8_t *frame)
{
    uint8_t luma[source->width];
    strip_row(source, exposure, luma);
    switch (source->pixel) {
    case MJPEG: return render_jpeg(source, exposure, luma, frame);
    case YUYV: return render_raw(source, exposure->lit, luma, frame);
    default: return render_h264(source, exposure, luma, frame);
    }
}

void damage_picture(uint8_t *frame, size_t size)
{
    // Somewhere in the lower half. Skips 0xff, which begins a marker, and the next byte, which is the marker
    // type.
    uint8_t *at = frame + size / 2 + size / 8;
    for (uint8_t *stop = at + size / 16; at < stop; at++)
        if (at[-1] != 0xff && at[0] != 0xff && at[0] != (0xff ^ 0x55))
            *at ^= 0x55;
}

size_t append_rubbish(uint8_t *frame, size_t size)
{
    for (int i = 0; i < rubbish; i++)
        frame[size + i] = i * 37;
    return size + rubbish;
}
