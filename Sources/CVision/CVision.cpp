#include "CVision.h"

// dlib's configuration requests BLAS and LAPACK, whose headers and link names differ between distributions. The small
// matrices of the trackers don't need them.
#include <dlib/algs.h>
#include <dlib/test_for_odr_violations.h>
#undef DLIB_USE_BLAS
#undef DLIB_USE_LAPACK
#include <dlib/image_processing/frontal_face_detector.h>
#include <dlib/image_processing/correlation_tracker.h>
#include <dlib/image_transforms.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>
#include <vector>
#include <zbar.h>

namespace {

using image_type = dlib::array2d<unsigned char>;

void copy(const vision_image &image, image_type &target) {
    target.set_size(image.height, image.width);
    for (int32_t row = 0; row < image.height; row++) {
        std::memcpy(&target[row][0], image.pixels + (ptrdiff_t)row * image.stride, (size_t)image.width);
    }
}

// Halves an image by averaging 2 x 2 pixels.
void halve(const vision_image &image, image_type &target) {
    const int32_t width = image.width / 2, height = image.height / 2;
    target.set_size(height, width);
    for (int32_t row = 0; row < height; row++) {
        const uint8_t *upper = image.pixels + (ptrdiff_t)(2 * row) * image.stride;
        const uint8_t *lower = upper + image.stride;
        unsigned char *out = &target[row][0];
        for (int32_t column = 0; column < width; column++) {
            out[column] = (unsigned char)((upper[2 * column] + upper[2 * column + 1] + lower[2 * column]
                + lower[2 * column + 1] + 2) / 4);
        }
    }
}

bool is_usable(const vision_image &image) { return image.pixels && image.width >= 16 && image.height >= 16; }

} // namespace

struct vision_faces {
    dlib::frontal_face_detector detector = dlib::get_frontal_face_detector();
    image_type image;
    image_type doubled;
};

vision_faces *vision_make_faces(void) {
    try {
        return new vision_faces;
    } catch (...) {
        return nullptr;
    }
}

void vision_free_faces(vision_faces *faces) { delete faces; }

int32_t vision_find_faces(
    vision_faces *faces, vision_image image, double scale, double threshold, vision_box *found, int32_t room) {
    if (!is_usable(image)) { return 0; }
    try {
        std::vector<std::pair<double, dlib::rectangle>> results;
        if (scale >= 2) {
            copy(image, faces->image);
            faces->doubled.set_size(2 * image.height, 2 * image.width);
            dlib::resize_image(faces->image, faces->doubled, dlib::interpolate_bilinear());
            faces->detector(faces->doubled, results, threshold);
        } else if (scale <= 0.5) {
            halve(image, faces->image);
            faces->detector(faces->image, results, threshold);
        } else {
            copy(image, faces->image);
            faces->detector(faces->image, results, threshold);
        }
        const double factor = scale >= 2 ? 0.5 : scale <= 0.5 ? 2.0 : 1.0;
        int32_t count = 0;
        for (const auto &result : results) {
            if (count == room) { break; }
            const dlib::rectangle &place = result.second;
            found[count++] = vision_box{
                (double)place.left() * factor, (double)place.top() * factor, (double)place.width() * factor,
                (double)place.height() * factor, result.first};
        }
        return count;
    } catch (...) {
        return -1;
    }
}

struct vision_tracker {
    dlib::correlation_tracker tracker{5, 4, 16, 1.02};
    image_type image;
};

vision_tracker *vision_make_tracker(vision_image image, vision_box box) {
    if (!is_usable(image) || box.width < 8 || box.height < 8) { return nullptr; }
    vision_tracker *made = nullptr;
    try {
        made = new vision_tracker;
        copy(image, made->image);
        made->tracker.start_track(
            made->image, dlib::drectangle(box.x, box.y, box.x + box.width, box.y + box.height));
        return made;
    } catch (...) {
        delete made;
        return nullptr;
    }
}

void vision_free_tracker(vision_tracker *tracker) { delete tracker; }

int32_t vision_track(vision_tracker *tracker, vision_image image, vision_box *box) {
    if (!is_usable(image)) { return -1; }
    try {
        copy(image, tracker->image);
        const double confidence = tracker->tracker.update(tracker->image);
        const dlib::drectangle place = tracker->tracker.get_position();
        *box = vision_box{place.left(), place.top(), place.width(), place.height(), confidence};
        return 0;
    } catch (...) {
        return -1;
    }
}

struct vision_codes {
    zbar::zbar_image_scanner_t *scanner;
    std::vector<uint8_t> pixels;
};

vision_codes *vision_make_codes(void) {
    vision_codes *made = nullptr;
    try {
        made = new vision_codes{zbar::zbar_image_scanner_create(), {}};
    } catch (...) {
        return nullptr;
    }
    if (!made->scanner) {
        delete made;
        return nullptr;
    }
    zbar::zbar_set_verbosity(0);
    zbar::zbar_image_scanner_set_config(made->scanner, zbar::ZBAR_NONE, zbar::ZBAR_CFG_ENABLE, 0);
    for (auto kind : {zbar::ZBAR_QRCODE, zbar::ZBAR_EAN13, zbar::ZBAR_CODE128}) {
        zbar::zbar_image_scanner_set_config(made->scanner, kind, zbar::ZBAR_CFG_ENABLE, 1);
    }
    // Without this setting, zbar guesses an encoding and mistakes most UTF-8 for Shift JIS.
    zbar::zbar_image_scanner_set_config(made->scanner, zbar::ZBAR_QRCODE, zbar::ZBAR_CFG_BINARY, 1);
    return made;
}

void vision_free_codes(vision_codes *codes) {
    if (!codes) { return; }
    zbar::zbar_image_scanner_destroy(codes->scanner);
    delete codes;
}

int32_t vision_read_codes(vision_codes *codes, vision_image image, vision_code_handler handler, void *context) {
    if (!is_usable(image)) { return 0; }
    try {
        codes->pixels.resize((size_t)image.width * (size_t)image.height);
    } catch (...) {
        return -1;
    }
    for (int32_t row = 0; row < image.height; row++) {
        std::memcpy(
            codes->pixels.data() + (size_t)row * (size_t)image.width,
            image.pixels + (ptrdiff_t)row * image.stride, (size_t)image.width);
    }
    zbar::zbar_image_t *wrapped = zbar::zbar_image_create();
    if (!wrapped) { return -1; }
    // "Y800" as a little-endian code of four characters
    zbar::zbar_image_set_format(wrapped, 0x30303859);
    zbar::zbar_image_set_size(wrapped, (unsigned)image.width, (unsigned)image.height);
    zbar::zbar_image_set_data(wrapped, codes->pixels.data(), codes->pixels.size(), nullptr);
    zbar::zbar_scan_image(codes->scanner, wrapped);
    int32_t count = 0;
    for (const zbar::zbar_symbol_t *symbol = zbar::zbar_image_first_symbol(wrapped); symbol;
         symbol = zbar::zbar_symbol_next(symbol)) {
        int32_t kind;
        switch (zbar::zbar_symbol_get_type(symbol)) {
            case zbar::ZBAR_QRCODE: kind = vision_qr; break;
            case zbar::ZBAR_EAN13: kind = vision_ean13; break;
            case zbar::ZBAR_CODE128: kind = vision_code128; break;
            default: continue;
        }
        double left = image.width, top = image.height, right = 0, bottom = 0;
        for (unsigned index = 0; index < zbar::zbar_symbol_get_loc_size(symbol); index++) {
            const double x = zbar::zbar_symbol_get_loc_x(symbol, index), y = zbar::zbar_symbol_get_loc_y(symbol, index);
            left = std::min(left, x), right = std::max(right, x), top = std::min(top, y), bottom = std::max(bottom, y);
        }
        const vision_box box{
            left, top, std::max(right - left, 1.0), std::max(bottom - top, 1.0),
            (double)zbar::zbar_symbol_get_quality(symbol)};
        handler(
            context, kind, (const uint8_t *)zbar::zbar_symbol_get_data(symbol),
            zbar::zbar_symbol_get_data_length(symbol), box);
        count++;
    }
    zbar::zbar_image_destroy(wrapped);
    return count;
}

double vision_difference(vision_image first, vision_image second, vision_box box) {
    const int32_t left = (int32_t)std::max(box.x, 0.0), top = (int32_t)std::max(box.y, 0.0);
    const int32_t right = (int32_t)std::min(box.x + box.width, (double)std::min(first.width, second.width));
    const int32_t bottom = (int32_t)std::min(box.y + box.height, (double)std::min(first.height, second.height));
    if (right <= left || bottom <= top) { return 0; }
    int64_t sum = 0;
    for (int32_t row = top; row < bottom; row++) {
        const uint8_t *a = first.pixels + (ptrdiff_t)row * first.stride;
        const uint8_t *b = second.pixels + (ptrdiff_t)row * second.stride;
        for (int32_t column = left; column < right; column++) { sum += std::abs(a[column] - b[column]); }
    }
    return (double)sum / ((double)(right - left) * (double)(bottom - top));
}

void vision_rotate(vision_image image, int32_t degrees, uint8_t *target) {
    for (int32_t row = 0; row < image.height; row++) {
        const uint8_t *line = image.pixels + (ptrdiff_t)row * image.stride;
        for (int32_t column = 0; column < image.width; column++) {
            size_t place;
            switch (degrees) {
                case 90: place = (size_t)column * (size_t)image.height + (size_t)(image.height - 1 - row); break;
                case 180:
                    place = (size_t)(image.height - 1 - row) * (size_t)image.width + (size_t)(image.width - 1 - column);
                    break;
                case 270: place = (size_t)(image.width - 1 - column) * (size_t)image.height + (size_t)row; break;
                default: place = (size_t)row * (size_t)image.width + (size_t)column; break;
            }
            target[place] = line[column];
        }
    }
}
