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

// accept4(2). The new descriptor is closed on exec and nonblocking. Returns -1 and sets errno on failure.
int linux_accept(int fd);

// sendmsg(2) with a descriptor attached to the first byte (SCM_RIGHTS, unix(7)); no descriptor is attached if it is -1.
// Restarts after a signal and never raises SIGPIPE. Returns the number of bytes sent, or -1 with errno set.
long linux_send_beside(int fd, const void *bytes, unsigned long count, int descriptor);

// recvmsg(2). A received descriptor is closed on exec and stored in *descriptor; -1 if none was received. If
// there are several, the first is used and the others are closed. Restarts after a signal. Returns the number
// of bytes received, 0 at the end of the stream, or -1 with errno set.
long linux_receive_beside(int fd, void *bytes, unsigned long count, int *descriptor);

// Returns whether the other end of a Unix stream socket has unread data (SIOCOUTQ, linux/sockios.h). Also
// returns 0 if the socket fails.
int linux_has_unread(int fd);

// memfd_create(2): anonymous memory, closed on exec, which can grow but not shrink. Because of that, another process
// can't cause a SIGBUS in a process that maps the memory. Returns -1 and sets errno on failure.
int linux_make_memory(const char *name);

// PulseAudio
static const uint32_t linux_PA_INVALID_INDEX = PA_INVALID_INDEX;
static const uint32_t linux_PA_VOLUME_NORM = PA_VOLUME_NORM;
