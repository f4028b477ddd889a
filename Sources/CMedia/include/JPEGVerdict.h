// Detects JPEGs with missing blocks. turbojpeg reports only the last of its warnings, so a harmless warning can hide a
// serious one.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Reads the whole image, in about half the time that decoding takes. Extra bytes before a marker, a missing
// end-of-image marker, missing Huffman tables, and unusual version numbers don't count as damage.
int media_jpeg_is_damaged(const uint8_t *bytes, size_t count);
