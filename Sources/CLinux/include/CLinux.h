// Kernel and system interfaces that Swift's importer skips.
#pragma once
#include <errno.h>
#include <libudev.h>
#include <libv4lconvert.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <pulse/pulseaudio.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "Video.h"

// ioctl(2) that restarts after a signal. Returns -1 and sets errno on failure.
int linux_ioctl(int fd, unsigned long request, void *argument);

// accept4(2): the new descriptor is closed on exec and never blocks. Returns -1 and sets errno on failure.
int linux_accept(int fd);

// PulseAudio
static const uint32_t linux_PA_INVALID_INDEX = PA_INVALID_INDEX;
static const uint32_t linux_PA_VOLUME_NORM = PA_VOLUME_NORM;
