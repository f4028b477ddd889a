// Camera models as data. To add a webcam, add an entry to models.c.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <uchar.h>

#include "controls.h"

enum pixel { MJPEG, YUYV, H264 };
enum { most_formats = 3, most_sizes = 6 };

struct size {
    uint16_t width, height;
    uint8_t rates[4]; // frames per second, the first is the default; 0 ends the list
};

struct format {
    enum pixel pixel;
    struct size sizes[most_sizes]; // width 0 ends the list
};

struct model {
    const char *name; // on the command line
    // USB strings, at most 126 units each, the capacity of a descriptor (USB 2.0, 9.6.7).
    const char16_t *manufacturer; // NULL: "Multicam Lab"
    const char16_t *product;
    const char16_t *serial; // '#' is replaced by the camera's number in four digits; NULL: no serial number
    uint16_t product_id;
    bool long_strings;      // all three are padded to the maximum length

    uint8_t channels; // of the microphone
    struct format formats[most_formats]; // no sizes: end of list
    uint32_t controls; // bit n: controls[n] exists (see controls.h)
    bool forgets_focus;  // each stream start returns the focus to automatic
    bool greedy;         // reserves all bus bandwidth, in any format
    bool bad_first;      // the first two frames of each stream are corrupt
    bool follows_signal; // captures another device's signal and offers only its size
};

const struct model *find_model(const char *name);
int format_count(const struct format *formats);
int size_count(const struct format *format);
int rate_count(const struct size *size);
