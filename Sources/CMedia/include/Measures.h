// Figures of many pixels or samples at once.
#pragma once
#include <stddef.h>
#include <stdint.h>

// The mean of every `column_step`-th byte of every `row_step`-th row. Steps and sides are at least 1.
double media_mean_byte(const uint8_t *bytes, ptrdiff_t stride, int width, int height, int column_step, int row_step);

// The greatest magnitude of some samples; 0 of none. What is no number counts as silence.
float media_peak(const float *samples, ptrdiff_t count);

// The first sample whose magnitude is at least `level`; -1 where there is none.
ptrdiff_t media_first_above(const float *samples, ptrdiff_t count, float level);
