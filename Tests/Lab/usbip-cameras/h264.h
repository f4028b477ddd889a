// A small writer of H.264 (ITU-T H.264, constrained baseline): the code strip's exact pixels above a grey picture.
//
// The strip's macroblocks are raw samples (I_PCM). The rest is predicted: grey in a key picture, copied from the picture before
// in any other. So a picture costs little time, decodes to exactly what was meant, and is as large as a webcam's.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { frames_per_key = 30 };

// What goes into a picture's user data (SEI, as text, so that no start code can be in it; see picture.h).
struct h264_picture {
    int width, height; // multiples of 2
    int strip_rows;    // of pixels
    const uint8_t *luma; // the strip's, for the whole width: 16 to 235
    uint32_t since_start; // pictures since the stream's first; each 30th is a key picture
};

// Writes an access unit with start codes; returns its size.
size_t write_access_unit(const struct h264_picture *picture, const char *user_data, uint8_t *out);
// The CRC-32 of what survives every container: the NAL units without start codes, and without parameter sets and delimiters.
uint32_t access_unit_crc(const uint8_t *data, size_t size);
