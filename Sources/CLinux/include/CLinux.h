// Kernel and system interfaces that Swift can't import directly.
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

// Calls ioctl(2), and repeats the call if a signal interrupts it. Returns -1 and sets errno on failure.
int linux_ioctl(int fd, unsigned long request, void *argument);

// Accepts a connection with accept4(2). The new descriptor is nonblocking and has the close-on-exec flag.
// Returns -1 and sets errno on failure.
int linux_accept(int fd);

// Sends bytes with sendmsg(2), and passes a descriptor together with the first byte (SCM_RIGHTS, unix(7))
// unless `descriptor` is -1. The call is repeated if a signal interrupts it, and never raises SIGPIPE.
// Returns the number of bytes sent, or -1 with errno set.
long linux_send_beside(int fd, const void *bytes, unsigned long count, int descriptor);

// Receives bytes with recvmsg(2). A received descriptor gets the close-on-exec flag and is stored in
// *descriptor, which is set to -1 if no descriptor was received. If several descriptors were received, all
// but the first are closed. The call is repeated if a signal interrupts it. Returns the number of bytes
// received, 0 at the end of the stream, or -1 with errno set.
long linux_receive_beside(int fd, void *bytes, unsigned long count, int *descriptor);

// Returns whether the other end of a Unix stream socket hasn't yet read all data sent to it (SIOCOUTQ,
// linux/sockios.h). Returns 0 if the state can't be determined.
int linux_has_unread(int fd);

// Creates anonymous shared memory with memfd_create(2). The descriptor has the close-on-exec flag. The memory
// can grow but not shrink, so another process can't cause a SIGBUS in a process that maps the memory. Returns
// -1 and sets errno on failure.
int linux_make_memory(const char *name);

// Constants of PulseAudio.
static const uint32_t linux_PA_INVALID_INDEX = PA_INVALID_INDEX;
static const uint32_t linux_PA_VOLUME_NORM = PA_VOLUME_NORM;
