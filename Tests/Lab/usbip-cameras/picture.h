// The cameras' image: a moving test pattern with two copies of the frame number.
//
// In the pixels: the top sixteenth is a strip of 64 equal cells, black 0, white 1: 8 bits 10101100, 24 bits frame number, 24 bits
// exposure time in 0.1 ms modulo 2^24, 8 bits sum of these six bytes. It survives scaling and encoding. (multicam's virtual
// cameras use the same strip.)
//
// A frame exposed during a flash is white below the strip, except in H.264.
//
// In a JPEG's comment segment, to verify copied tracks (all numbers big-endian):
//     FF FE 00 17  "LAB1"  camera:8  number:32  CLOCK_MONOTONIC of exposure in ns:64  CRC-32 of the whole JPEG:32
// The checksum is computed over the JPEG with these last four bytes zero, excluding trailing bytes.
//
// In H.264, user data (SEI of type 5) with "multicam-lab-pic" instead of the UUID, followed by text, all numbers hexadecimal:
//     LAB1 CC NNNNNNNN TTTTTTTTTTTTTTTT CCCCCCCC
// camera, number, exposure time, and the CRC-32 of the frame's NAL units without start codes or lengths and without parameter
// sets and delimiters, which containers relocate. For the checksum, these last eight digits are '0'.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models.h"

struct picture_source;

struct picture_source *make_pictures(enum pixel pixel, int width, int height, int camera);
struct exposure {
    uint32_t number;
    int64_t time_ns;
    uint32_t since_start; // index of the frame in this stream, to place key frames
    bool lit;
};

// Renders one frame into `frame`, which holds at least picture_capacity() bytes; returns its size.
size_t render_picture(struct picture_source *source, const struct exposure *exposure, uint8_t *frame);
size_t picture_capacity(enum pixel pixel, int width, int height);
// Damages the data between the markers and keeps the markers intact.
void damage_picture(uint8_t *frame, size_t size);
// Appends bytes after the end, which decoders ignore; returns the new size.
size_t append_rubbish(uint8_t *frame, size_t size);
