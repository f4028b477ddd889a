#pragma once
#include <stdint.h>

/// Fills a plane with what a camera might see: textures of all sizes, shifted by `shift` pixels to the left, and a sensor's
/// noise of up to ±`noise` codes, another for each `seed`.
void media_paint_texture(uint8_t *plane, int stride, int width, int height, int shift, int noise, uint32_t seed);

/// A file in memory that is gone when it is closed: what is written to it costs what the system's pages cost, and no disk's time.
/// Returns a descriptor, or -1.
int media_memory_file(void);
