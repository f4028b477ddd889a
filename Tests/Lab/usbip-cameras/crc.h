#pragma once
#include <stddef.h>
#include <stdint.h>

// CRC-32 as in zlib, PNG and Ethernet (polynomial 0xedb88320), continuing from a previous CRC (0 at the start).
uint32_t crc32(uint32_t before, const uint8_t *data, size_t size);
