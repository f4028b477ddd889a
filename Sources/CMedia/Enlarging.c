#include "Enlarging.h"
#include <libyuv.h>
#include <string.h>
#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

// Positions in the source are in units of 2⁻³² pixel. The center of target pixel i is at the source position
// (i + ½) · source / target − ½, where `source` and `target` are the sizes in pixels.
static inline int64_t step(int from, int to) { return ((int64_t)from << 32) / to; }
static inline int64_t beginning(int64_t step) { return step / 2 - ((int64_t)1 << 31); }

enum { parts = 128, half = 64, shift = 7 };

// Returns the weight of the second of two adjacent source pixels, in units of 1/128.
static inline int share(int64_t place) { return (int)((uint32_t)place >> (32 - shift)); }

// Parameters for scaling a row of `width` pixels to `count` pixels.
struct row {
    int width, count;
    int64_t step, begin;
};

// Computes the target pixels `from` to `to` of a row, one by one.
static void stretch(const struct row *row, const uint8_t *source, uint8_t *target, int from, int to) {
    int64_t place = row->begin + from * row->step, last = (int64_t)(row->width - 1) << 32;
    for (int i = from; i < to; i++, place += row->step) {
        int64_t inside = place < 0 ? 0 : place > last ? last : place;
        const uint8_t *pair = source + (inside >> 32);
        int second = share(inside);
        target[i] = second ? (uint8_t)((pair[0] * (parts - second) + pair[1] * second + half) >> shift) : pair[0];
    }
}

#if defined(__x86_64__)
// Parameters for computing eight target pixels: the positions of their source pixels within a group of 16
// source pixels, and the weights of the source pixels.
struct eight {
    uint8_t places[16], shares[16];
    int first;
};

// Computes the parameters for groups of eight target pixels, starting at pixel `from`. Ends before the first
// group whose source pixels are outside the row.
static int describe(const struct row *row, int from, struct eight *eights) {
    int count = 0;
    for (int i = from; i + 8 <= row->count; i += 8, count++) {
        struct eight *eight = eights + count;
        int64_t place = row->begin + i * row->step;
        eight->first = (int)(place >> 32);
        if (eight->first + 16 > row->width) break;
        for (int k = 0; k < 8; k++, place += row->step) {
            int pair = (int)(place >> 32) - eight->first;
            eight->places[2 * k] = (uint8_t)pair;
            eight->places[2 * k + 1] = (uint8_t)(pair + 1);
            eight->shares[2 * k] = (uint8_t)(parts - share(place));
            eight->shares[2 * k + 1] = (uint8_t)share(place);
        }
    }
    return count;
}

__attribute__((target("ssse3"))) static void stretch_eights(const struct eight *eights, int count, const uint8_t *source,
                                                           uint8_t *target) {
    // The multiplication instruction requires one signed and one unsigned operand, so pixels are converted to
    // signed values.
    const __m128i sign = _mm_set1_epi8((char)0x80), rounding = _mm_set1_epi16(half);
    for (int i = 0; i < count; i++) {
        __m128i pixels = _mm_loadu_si128((const __m128i *)(source + eights[i].first));
        __m128i pairs = _mm_shuffle_epi8(_mm_xor_si128(pixels, sign), _mm_loadu_si128((const __m128i *)eights[i].places));
        __m128i sums = _mm_maddubs_epi16(_mm_loadu_si128((const __m128i *)eights[i].shares), pairs);
        sums = _mm_srai_epi16(_mm_add_epi16(sums, rounding), shift);
        _mm_storel_epi64((__m128i *)(target + 8 * i), _mm_xor_si128(_mm_packs_epi16(sums, sums), sign));
    }
}
#endif

size_t media_enlarge_scratch(int columns) {
    size_t size = 2 * (size_t)columns + 64;
#if defined(__x86_64__)
    size += (size_t)(columns / 8 + 1) * sizeof(struct eight);
#endif
    return size;
}

void media_enlarge(const uint8_t *source, ptrdiff_t source_stride, int width, int height, uint8_t *target, ptrdiff_t target_stride,
                   int columns, int rows, void *scratch) {
    struct row row = {.width = width, .count = columns, .step = step(width, columns)};
    row.begin = beginning(row.step);
    uint8_t *kept = scratch;
    int from = 0, eight_count = 0;
#if defined(__x86_64__)
    struct eight *eights = (struct eight *)((uint8_t *)scratch + ((2 * (size_t)columns + 63) & ~(size_t)63));
    // Vectorization requires that the source pixels of eight target pixels are within 16 source pixels.
    if (columns != width && row.step <= (int64_t)7 << 30 && __builtin_cpu_supports("ssse3")) {
        while (from < columns && row.begin + from * row.step < 0) from++;
        eight_count = describe(&row, from, eights);
    }
#endif
    int held[2] = {-1, -1};
    int64_t down = step(height, rows), place = beginning(down);
    for (int y = 0; y < rows; y++, place += down) {
        int64_t last = (int64_t)(height - 1) << 32, inside = place < 0 ? 0 : place > last ? last : place;
        int first = (int)(inside >> 32), second = share(inside);
        const uint8_t *lines[2];
        for (int k = 0; k < (second ? 2 : 1); k++) {
            int line = first + k;
            const uint8_t *own = source + line * source_stride;
            uint8_t *stretched = kept + (size_t)(line & 1) * (size_t)columns;
            lines[k] = columns == width ? own : stretched;
            if (columns == width || held[line & 1] == line) continue;
            held[line & 1] = line;
            stretch(&row, own, stretched, 0, from);
#if defined(__x86_64__)
            stretch_eights(eights, eight_count, own, stretched + from);
#endif
            stretch(&row, own, stretched, from + 8 * eight_count, columns);
        }
        uint8_t *out = target + y * target_stride;
        if (second) InterpolatePlane(lines[0], 0, lines[1], 0, out, 0, columns, 1, second * 256 / parts);
        else memcpy(out, lines[0], (size_t)columns);
    }
}
