#include "Measures.h"
#include <math.h>

double media_mean_byte(const uint8_t *bytes, ptrdiff_t stride, int width, int height, int column_step, int row_step) {
    uint64_t sum = 0;
    for (int row = 0; row < height; row += row_step) {
        const uint8_t *line = bytes + row * stride;
        uint32_t part = 0;  // A row has at most 65 536 bytes: 2²⁴ at most.
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
