// Processes eight bytes at a time, because checksums cover a quarter of a megabyte per frame.
#include "crc.h"

#include <string.h>

uint32_t crc32(uint32_t before, const uint8_t *data, size_t size)
{
    static uint32_t table[8][256];
    if (!table[0][1]) {
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t crc = i;
            for (int bit = 0; bit < 8; bit++)
                crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
            table[0][i] = crc;
        }
        for (int slice = 1; slice < 8; slice++)
            for (int i = 0; i < 256; i++)
                table[slice][i] = table[slice - 1][i] >> 8 ^ table[0][table[slice - 1][i] & 0xff];
    }
    uint32_t crc = ~before;
    for (; size >= 8; size -= 8, data += 8) {
        uint32_t low, high;
        memcpy(&low, data, 4);
        memcpy(&high, data + 4, 4);
        low ^= crc;
        crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^ table[4][low >> 24] ^
              table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^ table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
    }
    while (size--)
        crc = crc >> 8 ^ table[0][(crc ^ *data++) & 0xff];
    return ~crc;
}
