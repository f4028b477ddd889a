#pragma once
#include <stdint.h>

/// Fills a plane with an image that resembles a camera frame. The image contains textures of all sizes,
/// shifted by `shift` pixels to the left, and sensor noise of up to ±`noise` code values that depends on
/// `seed`.
void media_paint_texture(uint8_t *plane, int stride, int width, int height, int shift, int noise, uint32_t seed);

/// Creates a file in memory that is deleted when it is closed. Writing to the file doesn't access a disk.
/// Returns a descriptor, or -1 on failure.
int media_memory_file(void);
