// V4L2 definitions that Swift can't import directly: request and format codes, which are function-like
// macros, and packed structs.
#pragma once
#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>

static const unsigned long linux_VIDIOC_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long linux_VIDIOC_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long linux_VIDIOC_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long linux_VIDIOC_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long linux_VIDIOC_S_FMT = VIDIOC_S_FMT;
static const unsigned long linux_VIDIOC_G_PARM = VIDIOC_G_PARM;
static const unsigned long linux_VIDIOC_S_PARM = VIDIOC_S_PARM;
static const unsigned long linux_VIDIOC_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long linux_VIDIOC_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long linux_VIDIOC_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long linux_VIDIOC_QBUF = VIDIOC_QBUF;
static const unsigned long linux_VIDIOC_DQBUF = VIDIOC_DQBUF;
static const unsigned long linux_VIDIOC_STREAMON = VIDIOC_STREAMON;
static const unsigned long linux_VIDIOC_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long linux_VIDIOC_SUBSCRIBE_EVENT = VIDIOC_SUBSCRIBE_EVENT;
static const unsigned long linux_VIDIOC_DQEVENT = VIDIOC_DQEVENT;
static const unsigned long linux_VIDIOC_G_INPUT = VIDIOC_G_INPUT;
static const unsigned long linux_VIDIOC_ENUMINPUT = VIDIOC_ENUMINPUT;

static const uint32_t linux_CTRL_FLAG_NEXT_CTRL = V4L2_CTRL_FLAG_NEXT_CTRL;
static const uint32_t linux_CID_CAMERA_ORIENTATION = V4L2_CID_CAMERA_ORIENTATION;
static const uint32_t linux_CID_CAMERA_SENSOR_ROTATION = V4L2_CID_CAMERA_SENSOR_ROTATION;

// Gets or sets the value of one control. `wide` must be nonzero for controls of type
// V4L2_CTRL_TYPE_INTEGER64. Both functions return -1 and set errno on failure.
int linux_get_control(int fd, uint32_t id, int wide, int64_t *value);
int linux_set_control(int fd, uint32_t id, int wide, int64_t value);

// Queries a menu item with VIDIOC_QUERYMENU. Gets the name of the item (at most 32 bytes including the
// terminating 0), or the value of an integer menu item.
int linux_menu_item(int fd, uint32_t id, uint32_t index, char name[32], int64_t *value);

// Sets the digital video timings of an input to the detected timings of the connected source. Returns -1 and
// sets errno if no timings were detected.
int linux_follow_timings(int fd);

// Sets the format of a metadata device node to UVCH (V4L2_META_FMT_UVC) if necessary. Returns -1 and sets
// errno on failure.
int linux_give_uvc_headers(int fd);

// Calls memmem(3), which glibc declares only if _GNU_SOURCE is defined.
const void *linux_memmem(const void *where, size_t count, const void *what, size_t length);
