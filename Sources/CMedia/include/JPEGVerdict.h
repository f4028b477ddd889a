// Detects JPEGs with missing blocks. The TurboJPEG API isn't sufficient for this purpose: it reports only the
// last warning, so a harmless warning can hide a serious one.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Returns whether a JPEG is damaged. The function reads the whole image, which takes about half as long as
// decoding it. Extra bytes before a marker, a missing end-of-image marker, missing Huffman tables, and
// unusual version numbers don't count as damage.
int media_jpeg_is_damaged(const uint8_t *bytes, size_t count);
