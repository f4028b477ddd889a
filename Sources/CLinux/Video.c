#define _GNU_SOURCE
#include "CLinux.h"
#include <string.h>

static int one_control(int fd, unsigned long request, struct v4l2_ext_control *control) {
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = control};
    return linux_ioctl(fd, request, &controls);
}

int linux_get_control(int fd, uint32_t id, int wide, int64_t *value) {
    struct v4l2_ext_control control = {.id = id};
    int result = one_control(fd, VIDIOC_G_EXT_CTRLS, &control);
    *value = wide ? control.value64 : control.value;
    return result;
}

int linux_set_control(int fd, uint32_t id, int wide, int64_t value) {
    struct v4l2_ext_control control = {.id = id};
    if (wide)
        control.value64 = value;
    else
        control.value = (int32_t)value;
    return one_control(fd, VIDIOC_S_EXT_CTRLS, &control);
}

int linux_menu_item(int fd, uint32_t id, uint32_t index, char name[32], int64_t *value) {
    struct v4l2_querymenu item = {.id = id, .index = index};
    int result = linux_ioctl(fd, VIDIOC_QUERYMENU, &item);
    memcpy(name, item.name, 32);
    name[31] = 0;
    *value = item.value;
    return result;
}

const void *linux_memmem(const void *where, size_t count, const void *what, size_t length) {
    return memmem(where, count, what, length);
}

int linux_follow_timings(int fd) {
    struct v4l2_dv_timings timings = {0};
    if (linux_ioctl(fd, VIDIOC_QUERY_DV_TIMINGS, &timings) != 0)
        return -1;
    return linux_ioctl(fd, VIDIOC_S_DV_TIMINGS, &timings);
}

int linux_give_uvc_headers(int fd) {
    // This function is in C because Swift can't import packed structs. The format is queried first, because
    // setting a format, even the current one, fails if video buffers are allocated.
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_META_CAPTURE};
    if (linux_ioctl(fd, VIDIOC_G_FMT, &format) != 0)
        return -1;
    if (format.fmt.meta.dataformat == V4L2_META_FMT_UVC)
        return 0;
    format.fmt.meta.dataformat = V4L2_META_FMT_UVC;
    if (linux_ioctl(fd, VIDIOC_S_FMT, &format) != 0)
        return -1;
    if (format.fmt.meta.dataformat == V4L2_META_FMT_UVC)
        return 0;
    errno = ENOTSUP;
    return -1;
}
