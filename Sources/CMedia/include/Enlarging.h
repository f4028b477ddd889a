// Enlarging one plane of a frame with linear interpolation, as libyuv does, but so that the middle of the frame and all else stays in its
// place: libyuv puts the middles of the outermost pixels over each other, which shifts what lies near the edges, colour twice as far.
#pragma once
#include <stddef.h>
#include <stdint.h>

// The memory that `media_enlarge` needs for rows of so many columns, in bytes.
size_t media_enlarge_scratch(int columns);

// Scales a plane of `width` by `height` bytes, both at least 1, to `columns` by `rows`. The planes must not overlap.
void media_enlarge(const uint8_t *source, ptrdiff_t source_stride, int width, int height, uint8_t *target, ptrdiff_t target_stride,
                   int columns, int rows, void *scratch);
