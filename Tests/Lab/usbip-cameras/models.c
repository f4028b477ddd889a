#include "models.h"

#include <stddef.h>
#include <string.h>

#define SMALL_MJPEG { MJPEG, { { 640, 480, { 30, 15 } }, { 1280, 720, { 30, 15 } } } }

static const struct model models[] = {
    {
        // A good webcam of the kind that studios buy: raw formats slow down as they grow, as on a real USB 2 bus.
        .name = "studio", .product = u"Studio Webcam", .serial = u"LAB#", .product_id = 0x0001, .channels = 2,
        .formats = {
            { MJPEG, { { 1280, 720, { 30, 24, 15 } }, { 1920, 1080, { 30, 24, 15 } }, { 640, 480, { 30, 15 } } } },
            { YUYV, { { 640, 480, { 30, 15 } }, { 1280, 720, { 10, 5 } }, { 1920, 1080, { 5 } } } },
        },
    },
    {
        // A cheap one: no serial number, so that two of them differ by their port alone.
        .name = "cheap", .product = u"Cheap Webcam", .product_id = 0x0002, .channels = 1,
        .formats = {
            { MJPEG, { { 640, 480, { 30, 15 } }, { 1280, 720, { 30, 15 } } } },
            { YUYV, { { 640, 480, { 30, 15 } } } },
        },
    },
    {
        // Its strings are aimed at whoever prints, quotes or builds paths of them, and each is as long as USB permits.
        .name = "hostile", .product_id = 0x0003, .channels = 1, .long_strings = true,
        // Ends a line, clears the screen, sets a window's title and rings; the 8-bit CSI, right-to-left, no surrogate's half.
        .manufacturer = u"Evil\r\n\x1b[2J\x1b]0;owned\x07\x9b" u"31m\u202egro.live\u202c \xd800 ",
        // A line that could be a program's own, quotes of shell, JSON and HTML, a path, formats of printf.
        .product = u"Camera\nName: forged\n\"'`$(reboot)\\<script>alert(1)</script>/../../etc %s%n\t\x7f\b \u00e9\u6444\U0001f3a5",
        .serial = u"\x1b[31m#/../\"\n\xdfff",
        .formats = { { MJPEG, { { 640, 480, { 30, 15 } } } } },
    },
    {
        // Buy two: nothing tells them apart but their ports.
        .name = "twin", .product = u"Twin Webcam", .product_id = 0x0004, .channels = 1, .formats = { SMALL_MJPEG },
    },
    {
        // As twins, and what should tell them apart is the same.
        .name = "clone", .product = u"Clone Webcam", .serial = u"SN0001", .product_id = 0x0005, .channels = 1,
        .formats = { SMALL_MJPEG },
    },
    {
        // It reserves the bus for itself, even for 320x240.
        .name = "greedy", .product = u"Greedy Webcam", .serial = u"LAB#", .product_id = 0x0006, .channels = 1, .greedy = true,
        .formats = { { MJPEG, { { 640, 480, { 30, 15 } }, { 320, 240, { 30, 15 } }, { 1280, 720, { 30, 15 } } } } },
    },
    {
        // The first frames of each stream are corrupt, the first cut short and the second damaged within.
        .name = "firstbad", .product = u"Bad Start Webcam", .serial = u"LAB#", .product_id = 0x0007, .channels = 1,
        .bad_first = true, .formats = { SMALL_MJPEG },
    },
    {
        // It halves its rate in the dark, as all here do, but can be told not to.
        .name = "dark", .product = u"Dark Room Webcam", .serial = u"LAB#", .product_id = 0x0008, .channels = 1,
        .controls = 1 << exposure_mode | 1 << exposure_priority | 1 << exposure_time, .formats = { SMALL_MJPEG },
    },
    {
        // Everything can be adjusted. Nothing survives a replug, and the automatic focus comes back with each stream.
        .name = "controls", .product = u"Adjustable Webcam", .serial = u"LAB#", .product_id = 0x0009, .channels = 1,
        .controls = all_controls, .forgets_focus = true, .formats = { SMALL_MJPEG },
    },
    {
        // Like a Logitech C920: H.264 beside the others.
        .name = "c920", .product = u"Pro Webcam H.264", .serial = u"LAB#", .product_id = 0x000a, .channels = 2,
        .controls = all_controls & ~(1 << focus | 1 << focus_automatic),
        .formats = {
            { YUYV, { { 640, 480, { 30, 15 } }, { 1280, 720, { 10, 5 } } } },
            { H264, { { 640, 480, { 30, 15 } }, { 1280, 720, { 30, 15 } }, { 1920, 1080, { 30, 15 } } } },
            { MJPEG, { { 640, 480, { 30, 15 } }, { 1280, 720, { 30, 15 } }, { 1920, 1080, { 30, 15 } } } },
        },
    },
    {
        // A stick that captures HDMI.
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
