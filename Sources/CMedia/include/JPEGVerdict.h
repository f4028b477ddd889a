// Whether a JPEG lacks blocks. turbojpeg tells only the last of its warnings, and a harmless one may hide a harmful one.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Reads all of the picture, for about half the time of decoding it. Bytes too many before a marker, a missing end of image,
// missing Huffman tables and odd version numbers are no damage.
int media_jpeg_is_damaged(const uint8_t *bytes, size_t count);
