#define _GNU_SOURCE // memfd_create
#include "TestMaterial.h"

#include <sys/mman.h>

// Returns a pseudorandom number that depends only on the position and the octave. The number is computed with
// the finalizer of MurmurHash3 (Austin Appleby, public domain).
static uint32_t scatter(uint32_t x, uint32_t y, uint32_t octave)
{
    uint32_t hash = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ octave * 0xc2b2ae3du;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

// Interpolates between the values at the four corners of a cell that is 2^octave pixels wide and high. The
// result is in the range 0 to 255, in units of 1/16.
static int value(int x, int y, int octave)
{
    int size = 1 << octave, column = x >> octave, row = y >> octave, right = x & (size - 1), down = y & (size - 1);
    int corners[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            corners[i][j] = scatter(column + j, row + i, octave) & 0xff;
    int upper = corners[0][0] * (size - right) + corners[0][1] * right;
    int lower = corners[1][0] * (size - right) + corners[1][1] * right;
    return ((long)upper * (size - down) + (long)lower * down) * 16 >> 2 * octave;
}

void media_paint_texture(uint8_t *plane, int stride, int width, int height, int shift, int noise, uint32_t seed)
{
    // The spectral power of photographs falls with the square of the spatial frequency (Field 1987). Each
    // octave therefore has half the amplitude of the next coarser octave.
    enum { finest = 2, coarsest = 7 };
    uint32_t state = seed * 2654435761u + 1;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int sum = 0;
            for (int octave = finest; octave <= coarsest; octave++)
                sum += value(x + shift, y, octave) >> (coarsest + 1 - octave);
            state = state * 1664525u + 1013904223u;
            int grain = (int)((state >> 16) % (uint32_t)(2 * noise + 1)) - noise;
            int code = sum / 16 + grain;
            plane[y * stride + x] = code < 0 ? 0 : code > 255 ? 255 : code;
        }
}

int media_memory_file(void) { return memfd_create("measurement", MFD_CLOEXEC); }
