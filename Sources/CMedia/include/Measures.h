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

// The mean of the channels of interleaved samples. What is no number counts as silence.
void media_mix_channels(const float *samples, float *mixed, int channels, ptrdiff_t count);

// Two real signals as the real and imaginary parts of complex samples, each under a Hann window.
void media_pack_windowed(const float *first, const float *second, float *packed, ptrdiff_t count);

// From the transform of two real signals packed so (`length` complex numbers): conj(first) · second at every frequency, all of
// magnitude 1, for the bins first_bin…last_bin and their mirror images; 0 elsewhere, and where there is nothing but rounding. Its inverse transform is the generalised
// cross-correlation with phase transform (C. Knapp, G. Carter, IEEE Trans. ASSP 24, 1976).
void media_cross_phase(const float *packed, float *cross, ptrdiff_t length, ptrdiff_t first_bin, ptrdiff_t last_bin);

// The real parts around lag 0 of such a correlation: lags[reach + n] = correlation[n] for -reach … +reach.
void media_take_lags(const float *correlation, float *lags, ptrdiff_t length, ptrdiff_t reach);

// sum[i] += values[i + shift], where there is one.
void media_add_shifted(const float *values, float *sum, ptrdiff_t count, ptrdiff_t shift);

// Where the highest of some values is, the first of equal ones; and the sum of their squares. Of none: -1 and 0.
ptrdiff_t media_highest(const float *values, ptrdiff_t count);
double media_sum_of_squares(const float *values, ptrdiff_t count);
