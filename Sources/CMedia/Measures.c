#include "Measures.h"
#include <math.h>

double media_mean_byte(const uint8_t *bytes, ptrdiff_t stride, int width, int height, int column_step, int row_step) {
    uint64_t sum = 0;
    for (int row = 0; row < height; row += row_step) {
        const uint8_t *line = bytes + row * stride;
        uint32_t part = 0;  // A row has at most 65 536 bytes, so the sum is at most 2²⁴.
        for (int x = 0; x < width; x += column_step) part += line[x];
        sum += part;
    }
    int64_t columns = (width + column_step - 1) / column_step, rows = (height + row_step - 1) / row_step;
    return (double)sum / (double)(columns * rows);
}

float media_peak(const float *samples, ptrdiff_t count) {
    float peak = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        float magnitude = fabsf(samples[i]);
        peak = magnitude > peak ? magnitude : peak;
    }
    return peak;
}

ptrdiff_t media_first_above(const float *samples, ptrdiff_t count, float level) {
    for (ptrdiff_t i = 0; i < count; i++)
        if (fabsf(samples[i]) >= level) return i;
    return -1;
}

void media_mix_channels(const float *samples, float *mixed, int channels, ptrdiff_t count) {
    for (ptrdiff_t i = 0; i < count; i++) {
        float sum = 0;
        for (int c = 0; c < channels; c++) sum += samples[i * channels + c];
        mixed[i] = isfinite(sum) ? sum / (float)channels : 0;
    }
}

void media_pack_windowed(const float *first, const float *second, float *packed, ptrdiff_t count) {
    const double turn = 6.283185307179586 / (double)count;
    for (ptrdiff_t i = 0; i < count; i++) {
        float weight = (float)(0.5 - 0.5 * cos(turn * ((double)i + 0.5)));
        packed[2 * i] = first[i] * weight;
        packed[2 * i + 1] = second[i] * weight;
    }
}

void media_cross_phase(const float *packed, float *cross, ptrdiff_t length, ptrdiff_t first_bin, ptrdiff_t last_bin) {
    for (ptrdiff_t i = 0; i < 2 * length; i++) cross[i] = 0;
    float greatest = 0;
    for (ptrdiff_t k = first_bin; k <= last_bin; k++) {
        const float *z = packed + 2 * k, *mirror = packed + 2 * (length - k);
        // The even part of the transform is the spectrum of the first signal, and the odd part is i times the
        // spectrum of the second signal.
        float first_re = z[0] + mirror[0], first_im = z[1] - mirror[1];
        float second_re = z[1] + mirror[1], second_im = mirror[0] - z[0];
        float re = first_re * second_re + first_im * second_im, im = first_re * second_im - first_im * second_re;
        cross[2 * k] = re;
        cross[2 * k + 1] = im;
        float magnitude = hypotf(re, im);
        if (magnitude > greatest) greatest = magnitude;
    }
    // Components that are 80 dB below the maximum in both signals are rounding errors.
    float least = greatest * 1e-8f;
    for (ptrdiff_t k = first_bin; k <= last_bin; k++) {
        float magnitude = hypotf(cross[2 * k], cross[2 * k + 1]);
        float scale = magnitude > least ? 1 / magnitude : 0;
        cross[2 * (length - k)] = cross[2 * k] *= scale;
        cross[2 * (length - k) + 1] = -(cross[2 * k + 1] *= scale);
    }
}

void media_take_lags(const float *correlation, float *lags, ptrdiff_t length, ptrdiff_t reach) {
    for (ptrdiff_t lag = -reach; lag <= reach; lag++)
        lags[reach + lag] = correlation[2 * (lag < 0 ? lag + length : lag)];
}

void media_add_shifted(const float *values, float *sum, ptrdiff_t count, ptrdiff_t shift) {
    ptrdiff_t from = shift < 0 ? -shift : 0, to = shift > 0 ? count - shift : count;
    for (ptrdiff_t i = from; i < to; i++) sum[i] += values[i + shift];
}

ptrdiff_t media_highest(const float *values, ptrdiff_t count) {
    ptrdiff_t place = count > 0 ? 0 : -1;
    for (ptrdiff_t i = 1; i < count; i++)
        if (values[i] > values[place]) place = i;
    return place;
}

double media_sum_of_squares(const float *values, ptrdiff_t count) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < count; i++) sum += (double)values[i] * values[i];
    return sum;
}

ptrdiff_t media_delay(const float *samples, const float *delayed, ptrdiff_t count, ptrdiff_t longest) {
    ptrdiff_t best = 0;
    float maximum = -1;
    for (ptrdiff_t delay = 0; delay <= longest; delay++) {
        float sum = 0;
        for (ptrdiff_t i = 0; i < count; i++) sum += samples[i] * delayed[i + delay];
        if (sum > maximum) {
            maximum = sum;
            best = delay;
        }
    }
    return best;
}
