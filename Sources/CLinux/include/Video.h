// V4L2: what Swift's importer skips (request codes and format codes are function-like macros) or cannot lay out (packed structs).
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

// The value of one control. `wide` for those of type V4L2_CTRL_TYPE_INTEGER64. Return -1 and set errno on failure.
int linux_get_control(int fd, uint32_t id, int wide, int64_t *value);
int linux_set_control(int fd, uint32_t id, int wide, int64_t value);

// VIDIOC_QUERYMENU: the name of a menu's item (at most 32 bytes with the final 0), or the number of an integer menu's item.
int linux_menu_item(int fd, uint32_t id, uint32_t index, char name[32], int64_t *value);

// Sets an input's timings to those of its source. Returns -1 and sets errno where there is no source or are no timings.
int linux_follow_timings(int fd);

// Makes a metadata node give UVCH (V4L2_META_FMT_UVC), if it does not yet. Returns -1 and sets errno where it cannot.
int linux_give_uvc_headers(int fd);

// memmem(3), which glibc declares for GNU sources only.
const void *linux_memmem(const void *where, size_t count, const void *what, size_t length);
