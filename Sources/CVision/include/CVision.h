// Detectors for faces and codes in gray images. dlib detects and tracks faces, and zbar reads codes. Only
// multicam-vision links these libraries. Every function is safe to call with any pixels; C++ exceptions never
// leave this file.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A gray image, which the callee only reads.
struct vision_image {
    const uint8_t *pixels;
    int32_t width;
    int32_t height;
    /// Bytes from one row to the next.
    int32_t stride;
};

/// A rectangle in pixels of the image, with the detector's confidence.
struct vision_box {
    double x;
    double y;
    double width;
    double height;
    double confidence;
};

/// Detects frontal faces with dlib's HOG detector, whose model is part of dlib.
struct vision_faces;
struct vision_faces *vision_make_faces(void);
void vision_free_faces(struct vision_faces *faces);

/// Finds faces of at least about 80 / `scale` pixels.
///
/// - `scale`: 0.5, 1, or 2: the image is halved or doubled before the search.
/// - `threshold`: Lowest confidence of a face. 0 is dlib's default; higher values find fewer faces.
/// Returns the number of faces, at most `room`; -1 if memory allocation fails.
int32_t vision_find_faces(
    struct vision_faces *faces, struct vision_image image, double scale, double threshold,
    struct vision_box *found, int32_t room);

/// Follows one object from image to image with dlib's correlation tracker.
struct vision_tracker;
/// Returns a tracker for the object in a box of the image, or NULL if memory allocation fails.
struct vision_tracker *vision_make_tracker(struct vision_image image, struct vision_box box);
void vision_free_tracker(struct vision_tracker *tracker);
/// Finds the object in the next image. `box` receives its place; its confidence is the peak-to-side-lobe ratio of
/// the correlation, about 5 to 20 if the object was found. Returns 0, or -1 if memory allocation fails.
int32_t vision_track(struct vision_tracker *tracker, struct vision_image image, struct vision_box *box);

/// Reads QR codes, EAN-13, and Code 128 with zbar.
struct vision_codes;
struct vision_codes *vision_make_codes(void);
void vision_free_codes(struct vision_codes *codes);

enum vision_code_kind { vision_qr = 0, vision_ean13 = 1, vision_code128 = 2 };

/// Receives one code: its kind, payload, the box around it, and the quality that zbar reports.
typedef void (*vision_code_handler)(
    void *context, int32_t kind, const uint8_t *payload, size_t length, struct vision_box box);

/// Reads all codes of an image. Returns the number of codes, or -1 if memory allocation fails.
int32_t vision_read_codes(
    struct vision_codes *codes, struct vision_image image, vision_code_handler handler, void *context);

/// Returns the mean difference of two boxes of equal size in two images of equal size, 0…255.
double vision_difference(struct vision_image first, struct vision_image second, struct vision_box box);

/// Rotates an image clockwise by 0, 90, 180, or 270 degrees into `target`, which has no padding.
void vision_rotate(struct vision_image image, int32_t degrees, uint8_t *target);

#ifdef __cplusplus
}
#endif
