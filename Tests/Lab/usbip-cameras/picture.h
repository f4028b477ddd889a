// What the cameras see: a moving test picture whose every frame says which it is, twice.
//
// In the pixels: the top sixteenth is a strip of 64 equal cells, black 0, white 1: 8 bits 10101100, 24 bits frame number,
// 24 bits time of exposure in 0.1 ms modulo 2^24, 8 bits sum of these six bytes. It survives scaling and encoding. (The same
// strip as that of multicam's virtual cameras.)
//
// A picture that a flash fell into is white below the strip, but in H.264.
//
// In a JPEG's comment segment, for tracks that claim to be copies (all numbers big-endian):
//     FF FE 00 17  "LAB1"  camera:8  number:32  CLOCK_MONOTONIC of exposure in ns:64  CRC-32 of the whole JPEG:32
// The checksum is that of the JPEG with these last four bytes zero, without what follows its end.
//
// In H.264, user data (SEI of type 5) of "multicam-lab-pic" in place of the UUID and then text, all numbers hexadecimal:
//     LAB1 CC NNNNNNNN TTTTTTTTTTTTTTTT CCCCCCCC
// camera, number, time of exposure, and the CRC-32 of the picture's NAL units without start codes or lengths and without
// parameter sets and delimiters, which containers move about; with these last eight digits '0'.
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
    uint32_t since_start; // the frames of this stream before it: some have to be key pictures
    bool lit;
};

// Renders one frame into `frame`, which holds at least picture_capacity() bytes; returns its size.
size_t render_picture(struct picture_source *source, const struct exposure *exposure, uint8_t *frame);
size_t picture_capacity(enum pixel pixel, int width, int height);
// Damages what is between the markers, and no marker.
void damage_picture(uint8_t *frame, size_t size);
// Some bytes after the end that no decoder minds; returns the new size.
size_t append_rubbish(uint8_t *frame, size_t size);
