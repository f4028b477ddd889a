// Functions that compute statistics and correlations of pixels or audio samples.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Returns the mean of every `column_step`-th byte of every `row_step`-th row. Steps and dimensions must be at least 1.
double media_mean_byte(const uint8_t *bytes, ptrdiff_t stride, int width, int height, int column_step, int row_step);

// Returns the maximum magnitude of the samples; 0 if there are no samples. NaN counts as silence.
float media_peak(const float *samples, ptrdiff_t count);

// Returns the index of the first sample with a magnitude of at least `level`; -1 if none exists.
ptrdiff_t media_first_above(const float *samples, ptrdiff_t count, float level);

// Mixes interleaved samples to mono by averaging the channels. NaN counts as silence.
void media_mix_channels(const float *samples, float *mixed, int channels, ptrdiff_t count);

// Applies a Hann window to two real signals, and packs them as the real and imaginary parts of complex
// samples.
void media_pack_windowed(const float *first, const float *second, float *packed, ptrdiff_t count);

// Computes the cross-power spectrum conj(first) · second, normalized to magnitude 1, from the Fourier
// transform of two packed real signals (`length` complex numbers). The spectrum is computed for the bins
// first_bin…last_bin and their mirror images. All other bins, and bins that contain only rounding errors, are
// set to 0. The inverse transform of the result is the generalized cross-correlation with phase transform (C.
// Knapp, G. Carter, IEEE Trans. ASSP 24, 1976).
void media_cross_phase(const float *packed, float *cross, ptrdiff_t length, ptrdiff_t first_bin, ptrdiff_t last_bin);

// Copies the real parts of the cross-correlation around lag 0: lags[reach + n] = correlation[n] for n from
// -reach to +reach.
void media_take_lags(const float *correlation, float *lags, ptrdiff_t length, ptrdiff_t reach);

// Adds shifted values to a sum: sum[i] += values[i + shift] for all valid indices.
void media_add_shifted(const float *values, float *sum, ptrdiff_t count, ptrdiff_t shift);

// The first function returns the index of the highest value (the first one if there are several), or -1 if
// there are no values. The second function returns the sum of the squares, or 0 if there are no values.
ptrdiff_t media_highest(const float *values, ptrdiff_t count);
double media_sum_of_squares(const float *values, ptrdiff_t count);

// Returns the delay from 0 to `longest` by which `delayed` follows `samples` best: the maximum of the cross-correlation.
// `delayed` has at least count + longest samples.
ptrdiff_t media_delay(const float *samples, const float *delayed, ptrdiff_t count, ptrdiff_t longest);
