// Enlarges one plane of a frame with linear interpolation. In contrast to libyuv, this function preserves the
// positions of all image details. libyuv aligns the centers of the outermost pixels, which shifts details
// near the edges and shifts chroma twice as far as luma.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Returns the size in bytes of the scratch memory that `media_enlarge` needs for rows of `columns` pixels.
size_t media_enlarge_scratch(int columns);

// Scales a plane of `width` by `height` bytes to `columns` by `rows` bytes. The source must have at least one
// byte, and the planes must not overlap.
void media_enlarge(const uint8_t *source, ptrdiff_t source_stride, int width, int height, uint8_t *target, ptrdiff_t target_stride,
                   int columns, int rows, void *scratch);
