// What a camera model is: data. A new webcam is a new entry in models.c.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <uchar.h>

enum pixel { MJPEG, YUYV };

struct size {
    uint16_t width, height;
    uint8_t rates[4]; // frames a second, the first is the default; 0 ends the list
};

struct format {
    enum pixel pixel;
    struct size sizes[6]; // width 0 ends the list
};

struct model {
    const char *name;    // on the command line
    // What it says of itself on the bus, at most 126 units, for that is what a descriptor holds (USB 2.0, 9.6.7).
    const char16_t *manufacturer; // NULL: "Multicam Lab"
    const char16_t *product;
    const char16_t *serial; // '#' stands for the camera's number in four digits; NULL: it has none
    bool long_strings;      // all three are filled up to their most
    uint16_t product_id;
    uint8_t channels; // of its microphone
    struct format formats[3]; // without sizes: the end
};

const struct model *find_model(const char *name);
int format_count(const struct model *model);
int size_count(const struct format *format);
int rate_count(const struct size *size);
