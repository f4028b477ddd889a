#include "models.h"

#include <stddef.h>
#include <string.h>

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
};

const struct model *find_model(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

int format_count(const struct model *model)
{
    int count = 0;
    while (count < 3 && model->formats[count].sizes[0].width)
        count++;
    return count;
}

int size_count(const struct format *format)
{
    int count = 0;
    while (count < 6 && format->sizes[count].width)
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
