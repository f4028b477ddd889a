// A small H.264 writer (ITU-T H.264, constrained baseline): the exact pixels of the code strip above a gray background.
//
// The strip's macroblocks are raw samples (I_PCM). The rest is predicted: gray in a key frame, copied from the previous frame in
// all others. Frames are therefore cheap to make, decode exactly, and have the size of a webcam's frames.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { frames_per_key = 30 };

// Content of a frame's user data (SEI; text, so that it can't contain a start code; see picture.h).
struct h264_picture {
    int width, height; // multiples of 2
    int strip_rows;    // in pixels
    const uint8_t *luma; // luma of the strip, full width: 16 to 235
    uint32_t since_start; // frames since the start of the stream; every 30th is a key frame
};

// Writes an access unit with start codes; returns its size.
size_t write_access_unit(const struct h264_picture *picture, const char *user_data, uint8_t *out);
// The CRC-32 of the content that every container preserves: NAL units without start codes, parameter sets and delimiters.
uint32_t access_unit_crc(const uint8_t *data, size_t size);
