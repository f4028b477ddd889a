#include "h264.h"

#include <stdbool.h>
#include <string.h>

#include "crc.h"

enum { slice_other = 1, slice_key = 5, sei = 6, sequence_parameters = 7, picture_parameters = 8, delimiter = 9 };
enum { block = 16 };

// --- bits of one NAL unit

struct nal {
    uint8_t *start, *at; // `at`: the byte being filled
    int free;            // remaining bits of that byte, 1 to 8
};

// Starts a NAL unit at `out`, after a start code.
static struct nal begin(uint8_t *out, int importance, int type)
{
    memcpy(out, (uint8_t[]){ 0, 0, 0, 1, importance << 5 | type, 0 }, 6);
    return (struct nal){ .start = out, .at = out + 5, .free = 8 };
}

static void bits(struct nal *nal, uint32_t value, int count)
{
    while (count--) {
        if (nal->free == 0) {
            *++nal->at = 0;
            nal->free = 8;
        }
        *nal->at |= (value >> count & 1) << --nal->free;
    }
}

// Exp-Golomb codes (9.1).
static void ue(struct nal *nal, uint32_t value)
{
    int length = 32 - __builtin_clz(value + 1);
    bits(nal, 0, length - 1);
    bits(nal, value + 1, length);
}

static void align_with_zeros(struct nal *nal) { nal->free = 0; }

static void bytes(struct nal *nal, const void *data, size_t size)
{
    memcpy(nal->at + 1, data, size); // requires byte alignment
    nal->at += size;
}

// Ends the payload, adds emulation prevention bytes (7.4.1.1), and returns the end.
static uint8_t *end(struct nal *nal)
{
    bits(nal, 1, 1);
    uint8_t *stop = nal->at + 1;
    int zeros = 0;
    for (uint8_t *at = nal->start + 5; at < stop; at++) {
        if (zeros >= 2 && *at <= 3) {
            memmove(at + 1, at, stop++ - at);
            *at++ = 3;
            zeros = 0;
        }
        zeros = *at == 0 ? zeros + 1 : 0;
    }
    return stop;
}

// --- parameter sets (7.3.2.1, 7.3.2.2)

static uint8_t *write_parameters(const struct h264_picture *picture, int columns, int rows, uint8_t *out)
{
    struct nal nal = begin(out, 3, sequence_parameters);
    bits(&nal, 66, 8);       // baseline
    bits(&nal, 0xc0, 8);     // constrained: no baseline-only tools, so main decoders can read it
    bits(&nal, 40, 8);       // level 4.0: 1080p at 30
    ue(&nal, 0);             // ID
    ue(&nal, 4);             // frame_num has 8 bits
    ue(&nal, 2);             // output order equals decoding order
    ue(&nal, 1);             // reference frames
    bits(&nal, 0, 1);        // no gaps in frame_num
    ue(&nal, columns - 1);
    ue(&nal, rows - 1);
    bits(&nal, 3, 2);        // frames only; direct_8x8_inference
    int right = columns * block - picture->width, bottom = rows * block - picture->height;
    bits(&nal, right || bottom, 1);
    if (right || bottom) {   // in units of two pixels
        ue(&nal, 0);
        ue(&nal, right / 2);
        ue(&nal, 0);
        ue(&nal, bottom / 2);
    }
    bits(&nal, 0, 1);        // no VUI
    out = end(&nal);

    nal = begin(out, 3, picture_parameters);
    ue(&nal, 0);
    ue(&nal, 0);             // uses sequence parameter set 0
    bits(&nal, 0, 2);        // CAVLC
    ue(&nal, 0);             // one slice group
    ue(&nal, 0);             // one reference in each list
    ue(&nal, 0);
    bits(&nal, 0, 3);        // no weighted prediction
    ue(&nal, 0);             // QP 26 (coded as 0), for slices
    ue(&nal, 0);
    ue(&nal, 0);             // chroma QP equals luma QP
    bits(&nal, 4, 3);        // slices have deblocking parameters
    return end(&nal);
}

static uint8_t *write_user_data(const char *text, uint8_t *out)
{
    static const char owner[] = "multicam-lab-pic"; // instead of a UUID, 16 bytes
    struct nal nal = begin(out, 0, sei);
    size_t size = 16 + strlen(text);
    bits(&nal, 5, 8);        // user data, unregistered
    bits(&nal, size, 8);
    align_with_zeros(&nal);
    bytes(&nal, owner, 16);
    bytes(&nal, text, size - 16);
    return end(&nal);
}

// --- slices (7.3.3)

static struct nal begin_slice(const struct h264_picture *picture, int first_block, uint8_t *out)
{
    uint32_t since_key = picture->since_start % frames_per_key;
    struct nal nal = begin(out, 3, since_key ? slice_other : slice_key);
    ue(&nal, first_block);
    ue(&nal, since_key ? 5 : 7); // all slices of the picture are P, or all I
    ue(&nal, 0);
    bits(&nal, since_key, 8);    // frame_num
    if (since_key) {
        bits(&nal, 0, 2);        // default number of references, in default order
        bits(&nal, 0, 1);        // sliding window reference marking
    } else {
        ue(&nal, picture->since_start / frames_per_key & 1); // differs between neighboring key frames
        bits(&nal, 0, 2);        // output enabled, no long-term reference
    }
    ue(&nal, 0);                 // QP from the parameter sets
    ue(&nal, 1);                 // not deblocked
    return nal;
}

static uint8_t *write_strip(const struct h264_picture *picture, int columns, int strip_blocks, uint8_t *out)
{
    bool is_key = picture->since_start % frames_per_key == 0;
    struct nal nal = begin_slice(picture, 0, out);
    uint8_t raw[block * block * 3 / 2]; // 256 luma, then twice 64 chroma samples
    memset(raw, 128, sizeof raw);
    for (int y = 0; y < strip_blocks; y++) {
        for (int x = 0; x < columns; x++) {
            for (int row = 0; row < block; row++) {
                bool in_strip = y * block + row < picture->strip_rows;
                for (int i = 0; i < block; i++) {
                    int column = x * block + i;
                    raw[row * block + i] = in_strip && column < picture->width ? picture->luma[column] : 128;
                }
            }
            if (!is_key)
                ue(&nal, 0);             // no skipped macroblocks before it
            ue(&nal, is_key ? 25 : 30);  // I_PCM
            align_with_zeros(&nal);
            bytes(&nal, raw, sizeof raw);
        }
    }
    return end(&nal);
}

// A separate slice, predicted independently of the strip.
static uint8_t *write_rest(const struct h264_picture *picture, int columns, int rows, int strip_blocks, uint8_t *out)
{
    int count = columns * (rows - strip_blocks);
    struct nal nal = begin_slice(picture, columns * strip_blocks, out);
    if (picture->since_start % frames_per_key) {
        ue(&nal, count);         // all skipped: unchanged
    } else {
        for (int i = 0; i < count; i++) {
            ue(&nal, 3);         // Intra_16x16, DC prediction from neighbors (128 without any), no coefficients
            ue(&nal, 0);         // same mode for chroma
            ue(&nal, 0);         // unchanged QP
            bits(&nal, 1, 1);    // no DC coefficients either
        }
    }
    return end(&nal);
}

size_t write_access_unit(const struct h264_picture *picture, const char *user_data, uint8_t *out)
{
    int columns = (picture->width + block - 1) / block, rows = (picture->height + block - 1) / block;
    int strip_blocks = (picture->strip_rows + block - 1) / block;
    uint8_t *at = out;
    if (picture->since_start % frames_per_key == 0)
        at = write_parameters(picture, columns, rows, at);
    at = write_user_data(user_data, at);
    at = write_strip(picture, columns, strip_blocks, at);
    return write_rest(picture, columns, rows, strip_blocks, at) - out;
}

uint32_t access_unit_crc(const uint8_t *data, size_t size)
{
    static const uint8_t start_code[] = { 0, 0, 0, 1 };
    uint32_t crc = 0;
    for (const uint8_t *at = data, *stop = data + size; at < stop;) {
        const uint8_t *unit = at + sizeof start_code;
        const uint8_t *next = memmem(unit, stop - unit, start_code, sizeof start_code);
        at = next ? next : stop;
        int type = *unit & 0x1f;
        if (type != sequence_parameters && type != picture_parameters && type != delimiter)
            crc = crc32(crc, unit, at - unit);
    }
    return crc;
}
