#include "models.h"

#include <stddef.h>
#include <string.h>

#define SMALL_MJPEG { MJPEG, { { 640, 480, { 30, 15 } }, { 1280, 720, { 30, 15 } } } }

static const struct model models[] = {
    {
        // A good studio webcam. The rate of raw formats decreases with their size, as on a real USB 2 bus.
        .name = "studio", .product = u"Studio Webcam", .serial = u"LAB#", .product_id = 0x0001, .channels = 2,
        .formats = {
            { MJPEG, { { 1280, 720, { 30, 24, 15 } }, { 1920, 1080, { 30, 24, 15 } }, { 640, 480, { 30, 15 } } } },
            { YUYV, { { 640, 480, { 30, 15 } }, { 1280, 720, { 10, 5 } }, { 1920, 1080, { 5 } } } },
        },
    },
    {
        // A cheap webcam without a serial number: two of them differ only by port.
        .name = "cheap", .product = u"Cheap Webcam", .product_id = 0x0002, .channels = 1,
        .formats = {
            { MJPEG, { { 640, 480, { 30, 15 } }, { 1280, 720, { 30, 15 } } } },
            { YUYV, { { 640, 480, { 30, 15 } } } },
        },
    },
    {
        // Hostile strings for programs that print or quote them or build paths from them, each of the maximum
        // USB length.
        .name = "hostile", .product_id = 0x0003, .channels = 1, .long_strings = true,
        // Ends a line, clears the screen, sets a window title and rings the bell; the 8-bit CSI, right-to-left override, an
        // unpaired surrogate.
        .manufacturer = u"Evil\r\n\x1b[2J\x1b]0;owned\x07\x9b" u"31m\u202egro.live\u202c \xd800 ",
        // A line that imitates a program's output; shell, JSON and HTML quotes; a path; printf formats.
        .product = u"Camera\nName: forged\n\"'`$(reboot)\\<script>alert(1)</script>/../../etc %s%n\t\x7f\b \u00e9\u6444\U0001f3a5",
        .serial = u"\x1b[31m#/../\"\n\xdfff",
        .formats = { { MJPEG, { { 640, 480, { 30, 15 } } } } },
    },
    {
        // Meant to be used in pairs: only their ports distinguish them.
        .name = "twin", .product = u"Twin Webcam", .product_id = 0x0004, .channels = 1, .formats = { SMALL_MJPEG },
    },
    {
        // Like twins, with identical serial numbers.
        .name = "clone", .product = u"Clone Webcam", .serial = u"SN0001", .product_id = 0x0005, .channels = 1,
        .formats = { SMALL_MJPEG },
    },
    {
        // Reserves the whole bus, even for 320x240.
        .name = "greedy", .product = u"Greedy Webcam", .serial = u"LAB#", .product_id = 0x0006, .channels = 1, .greedy = true,
        .formats = { { MJPEG, { { 640, 480, { 30, 15 } }, { 320, 240, { 30, 15 } }, { 1280, 720, { 30, 15 } } } } },
    },
    {
        // The first frames of each stream are corrupt: the first is truncated, the second has damaged content.
        .name = "firstbad", .product = u"Bad Start Webcam", .serial = u"LAB#", .product_id = 0x0007, .channels = 1,
        .bad_first = true, .formats = { SMALL_MJPEG },
    },
    {
        // Halves its rate in the dark, as all models here do, but this behavior can be disabled.
        .name = "dark", .product = u"Dark Room Webcam", .serial = u"LAB#", .product_id = 0x0008, .channels = 1,
        .controls = 1 << exposure_mode | 1 << exposure_priority | 1 << exposure_time, .formats = { SMALL_MJPEG },
    },
    {
        // Everything is adjustable. A replug resets all controls, and each stream start returns the focus to automatic.
        .name = "controls", .product = u"Adjustable Webcam", .serial = u"LAB#", .product_id = 0x0009, .channels = 1,
        .controls = all_controls, .forgets_focus = true, .formats = { SMALL_MJPEG },
    },
    {
        // Like a Logitech C920: H.264 in addition to the other formats.
        .name = "c920", .product = u"Pro Webcam H.264", .serial = u"LAB#", .product_id = 0x000a, .channels = 2,
        .controls = all_controls & ~(1 << focus | 1 << focus_automatic),
        .formats = {
            { YUYV, { { 640, 480, { 30, 15 } }, { 1280, 720, { 10, 5 } } } },
            { H264, { { 640, 480, { 30, 15 } }, { 1280, 720, { 30, 15 } }, { 1920, 1080, { 30, 15 } } } },
            { MJPEG, { { 640, 480, { 30, 15 } }, { 1280, 720, { 30, 15 } }, { 1920, 1080, { 30, 15 } } } },
        },
    },
    {
        // An HDMI capture stick.
        .name = "capture", .product = u"HDMI Capture", .product_id = 0x000b, .channels = 2, .follows_signal = true,
        .formats = {
            { MJPEG, { { 1920, 1080, { 30 } }, { 1280, 720, { 30 } } } },
            { YUYV, { { 1920, 1080, { 5 } }, { 1280, 720, { 10 } } } },
        },
    },
};
#undef SMALL_MJPEG

const struct model *find_model(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

int format_count(const struct format *formats)
{
    int count = 0;
    while (count < most_formats && formats[count].sizes[0].width)
        count++;
    return count;
}

int size_count(const struct format *format)
{
    int count = 0;
    while (count < most_sizes && format->sizes[count].width)
        count++;
    return count;
}

int rate_count(const struct size *size)
{
    int count = 0;
    while (count < 4 && size->rates[count])
        count++;
    return count;
}
