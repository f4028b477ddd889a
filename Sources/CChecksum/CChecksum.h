// FFmpeg's CRC functions, for the CRC-32 of ZIP archives.
#pragma once
#include <libavutil/crc.h>
