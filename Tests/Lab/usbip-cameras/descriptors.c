// USB descriptors of the camera (USB 2.0, 9.6; UVC 1.1, 3; USB Audio 1.0, 4).
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "camera.h"

const uint16_t alternate_payload[] = { 0, 192, 512, 1024, 2 * 800, 2 * 1024, 3 * 1024 };

enum { // terminals and units: arbitrary IDs, unique within each function
    video_output = 2, microphone_terminal = 1, sound_output = 2, // in addition to the IDs in controls.h
};
enum { manufacturer_string = 1, product_string, serial_string };

struct writer {
    uint8_t *start, *at;
};

static void u8(struct writer *w, uint8_t value) { *w->at++ = value; }
static void u16(struct writer *w, uint16_t value) { u8(w, value); u8(w, value >> 8); }
static void u32(struct writer *w, uint32_t value) { u16(w, value); u16(w, value >> 16); }

static void bytes(struct writer *w, const void *data, size_t size)
{
    memcpy(w->at, data, size);
    w->at += size;
}
#define BYTES(w, ...) bytes(w, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

// A length field that is patched later.
static uint8_t *later(struct writer *w) { u16(w, 0); return w->at - 2; }
static void patch(struct writer *w, uint8_t *where, const uint8_t *start)
{
    size_t size = w->at - start;
    where[0] = size;
    where[1] = size >> 8;
}

static void association(struct writer *w, int first, uint8_t class, uint8_t subclass)
{
    BYTES(w, 8, 0x0b, first, 2, class, subclass, 0, 0);
}

static void interface(struct writer *w, int number, int alternate, int endpoint_count, uint8_t class, uint8_t subclass)
{
    BYTES(w, 9, 0x04, number, alternate, endpoint_count, class, subclass, 0, 0);
}

static void video_frame(struct writer *w, const struct format *format, int index)
{
    static const uint8_t subtype[] = { [MJPEG] = 0x07, [YUYV] = 0x05, [H264] = 0x11 };
    const struct size *size = &format->sizes[index];
    int rates = rate_count(size);
    uint32_t raw_size = (uint32_t)size->width * size->height * 2;
    BYTES(w, 26 + 4 * rates, 0x24, subtype[format->pixel], index + 1, 0);
    u16(w, size->width);
    u16(w, size->height);
    u32(w, raw_size * 8 * size->rates[rates - 1]); // minimum and maximum bits per second
    u32(w, raw_size * 8 * size->rates[0]);
    if (format->pixel != H264)
        u32(w, raw_size); // largest frame
    u32(w, 10000000 / size->rates[0]);
    u8(w, rates);
    if (format->pixel == H264)
        u32(w, 0); // bytes per line: not applicable
    for (int i = 0; i < rates; i++)
        u32(w, 10000000 / size->rates[i]);
}

// A format's GUID is its FourCC followed by a constant suffix (UVC 1.1, uncompressed payload, table 2-1).
static void guid(struct writer *w, const char *code)
{
    bytes(w, code, 4);
    BYTES(w, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71);
}

static void video_format(struct writer *w, const struct format *format, int index)
{
    int sizes = size_count(format);
    switch (format->pixel) {
    case MJPEG: // UVC 1.1, MJPEG payload, table 3-1
        BYTES(w, 11, 0x24, 0x06, index + 1, sizes, 0, 1, 0, 0, 0, 0);
        break;
    case YUYV: // uncompressed payload, table 3-1
        BYTES(w, 27, 0x24, 0x04, index + 1, sizes);
        guid(w, "YUY2");
        BYTES(w, 16, 1, 0, 0, 0, 0);
        break;
    case H264: // frame-based payload, table 3-1
        BYTES(w, 28, 0x24, 0x10, index + 1, sizes);
        guid(w, "H264");
        BYTES(w, 16, 1, 0, 0, 0, 0, 1); // variable size
        break;
    }
    for (int i = 0; i < sizes; i++)
        video_frame(w, format, i);
    BYTES(w, 6, 0x24, 0x0d, 1, 1, 4); // color matching: BT.709 primaries and transfer, BT.601 matrix, as reported by sRGB webcams
}

static void video_function(struct writer *w, const struct camera *camera)
{
    uint32_t controls = camera->model->controls, terminal_bits = control_bits(controls, camera_terminal);
    uint32_t unit_bits = control_bits(controls, processing_unit);
    association(w, video_control, 0x0e, 0x03);
    interface(w, video_control, 0, 0, 0x0e, 0x01);
    uint8_t *start = w->at;
    BYTES(w, 13, 0x24, 0x01, 0x10, 0x01); // UVC 1.1
    uint8_t *total = later(w);
    u32(w, camera_clock_hz);
    BYTES(w, 1, video_streaming);
    BYTES(w, 18, 0x24, 0x02, camera_terminal, 0x01, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 3, terminal_bits, terminal_bits >> 8,
          terminal_bits >> 16);
    if (unit_bits)
        BYTES(w, 12, 0x24, 0x05, processing_unit, camera_terminal, 0, 0, 2, unit_bits, unit_bits >> 8, 0, 0);
    BYTES(w, 9, 0x24, 0x03, video_output, 0x01, 0x01, 0, unit_bits ? processing_unit : camera_terminal, 0);
    patch(w, total, start);

    interface(w, video_streaming, 0, 0, 0x0e, 0x02);
    start = w->at;
    int formats = format_count(camera->formats);
    BYTES(w, 13 + formats, 0x24, 0x01, formats);
    total = later(w);
    BYTES(w, 0x80 | video_endpoint, 0, video_output, 0, 0, 0, 1);
    for (int i = 0; i < formats; i++)
        u8(w, 0);
    for (int i = 0; i < formats; i++)
        video_format(w, &camera->formats[i], i);
    patch(w, total, start);

    for (int i = 1; i <= video_alternates; i++) {
        int transactions = (alternate_payload[i] + 1023) / 1024;
        interface(w, video_streaming, i, 1, 0x0e, 0x02);
        BYTES(w, 7, 0x05, 0x80 | video_endpoint, 0x05); // isochronous, asynchronous
        u16(w, alternate_payload[i] / transactions | (transactions - 1) << 11);
        u8(w, 1); // every microframe
    }
}

static void sound_function(struct writer *w, const struct model *model)
{
    uint8_t channels = model->channels, channel_map = channels == 2 ? 0x03 : 0x00;
    association(w, sound_control, 0x01, 0x02);
    interface(w, sound_control, 0, 0, 0x01, 0x01);
    uint8_t *start = w->at;
    BYTES(w, 9, 0x24, 0x01, 0x00, 0x01); // USB Audio 1.0
    uint8_t *total = later(w);
    BYTES(w, 1, sound_streaming);
    BYTES(w, 12, 0x24, 0x02, microphone_terminal, 0x01, 0x02, 0, channels, channel_map, 0, 0, 0);
    BYTES(w, 9, 0x24, 0x03, sound_output, 0x01, 0x01, 0, microphone_terminal, 0);
    patch(w, total, start);

    interface(w, sound_streaming, 0, 0, 0x01, 0x02);
    interface(w, sound_streaming, 1, 1, 0x01, 0x02);
    BYTES(w, 7, 0x24, 0x01, sound_output, 1, 0x01, 0x00); // PCM
    BYTES(w, 11, 0x24, 0x02, 1, channels, 2, 16, 1, (uint8_t)sound_rate, (uint8_t)(sound_rate >> 8), sound_rate >> 16);
    BYTES(w, 9, 0x05, 0x80 | sound_endpoint, 0x05);
    u16(w, (sound_rate / 1000 + 1) * 2 * channels);
    BYTES(w, 4, 0, 0); // 2^(4-1) microframes: every millisecond
    BYTES(w, 7, 0x25, 0x01, 0, 0, 0, 0);
}

static void device(struct writer *w, const struct model *model)
{
    BYTES(w, 18, 0x01, 0x00, 0x02, 0xef, 0x02, 0x01, 64); // USB 2.0; functions are described by interface association
    u16(w, 0x1209); // pid.codes, where product IDs 1 to 16 are for private testing
    u16(w, model->product_id);
    BYTES(w, 0x00, 0x01, manufacturer_string, product_string, model->serial ? serial_string : 0, 1);
}

static void configuration(struct writer *w, const struct camera *camera)
{
    BYTES(w, 9, 0x02);
    uint8_t *total = later(w);
    BYTES(w, interfaces, 1, 0, 0x80, 250); // bus-powered, 500 mA
    video_function(w, camera);
    sound_function(w, camera->model);
    patch(w, total, w->start);
}

static int string(struct writer *w, const struct camera *camera, int index)
{
    enum { most_units = 126 };
    const struct model *model = camera->model;
    const char16_t *text;
    switch (index) {
    case 0: BYTES(w, 4, 0x03, 0x09, 0x04); return 0; // only English
    case manufacturer_string: text = model->manufacturer ? model->manufacturer : u"Multicam Lab"; break;
    case product_string: text = model->product; break;
    case serial_string: text = model->serial; break;
    default: return -EPIPE;
    }
    if (!text)
        return -EPIPE;
    uint8_t *start = w->at, *end = start + 2 + 2 * most_units;
    BYTES(w, 0, 0x03);
    for (; *text && w->at < end; text++) {
        if (index == serial_string && *text == u'#') {
            char digits[8];
            snprintf(digits, sizeof digits, "%04d", camera->number);
            for (const char *digit = digits; *digit; digit++)
                u16(w, *digit);
        } else
            u16(w, *text);
    }
    while (model->long_strings && w->at < end)
        u16(w, 0x9577); // three bytes in UTF-8, to overflow buffers counted in bytes
    start[0] = w->at - start;
    return 0;
}

int write_descriptor(const struct camera *camera, int type, int index, uint8_t *out)
{
    struct writer w = { out, out };
    switch (type) {
    case 0x01: device(&w, camera->model); break;
    case 0x02: configuration(&w, camera); break;
    case 0x03:
        if (string(&w, camera, index) < 0)
            return -EPIPE;
        break;
    default: return -EPIPE; // including the device qualifier: there is no other speed
    }
    return w.at - out;
}
