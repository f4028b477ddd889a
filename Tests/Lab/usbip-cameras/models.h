// What a camera model is: data. A new webcam is a new entry in models.c.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <uchar.h>

#include "controls.h"

enum pixel { MJPEG, YUYV, H264 };
enum { most_formats = 3, most_sizes = 6 };

struct size {
    uint16_t width, height;
    uint8_t rates[4]; // frames a second, the first is the default; 0 ends the list
};

struct format {
    enum pixel pixel;
    struct size sizes[most_sizes]; // width 0 ends the list
};

struct model {
    const char *name; // on the command line
    // What it says of itself on the bus, at most 126 units, for that is what a descriptor holds (USB 2.0, 9.6.7).
    const char16_t *manufacturer; // NULL: "Multicam Lab"
    const char16_t *product;
    const char16_t *serial; // '#' stands for the camera's number in four digits; NULL: it has none
    uint16_t product_id;
    bool long_strings;      // all three are filled up to their most

    uint8_t channels; // of its microphone
    struct format formats[most_formats]; // without sizes: the end
    uint32_t controls; // bit n: it has controls[n] (see controls.h)
    bool forgets_focus;  // its focus is automatic again with each stream
    bool greedy;         // reserves all that the bus has, whatever the format
    bool bad_first;      // the first two frames of each stream are corrupt
    bool follows_signal; // it captures what another device sends, and offers only the size of that
};

const struct model *find_model(const char *name);
int format_count(const struct format *formats);
int size_count(const struct format *format);
int rate_count(const struct size *size);
