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

// sendmsg(2) with a descriptor beside the first byte (SCM_RIGHTS, unix(7)); -1 for none. Restarts after a signal; raises none.
// Returns the bytes sent, or -1 with errno.
long linux_send_beside(int fd, const void *bytes, unsigned long count, int descriptor);

// recvmsg(2). A descriptor that comes along goes to *descriptor, closed on exec; -1 for none. Of several the first counts, and the
// others are closed. Restarts after a signal. Returns the bytes received, 0 at the end, or -1 with errno.
long linux_receive_beside(int fd, void *bytes, unsigned long count, int *descriptor);

// Whether the other end of a Unix stream socket has yet to read what was sent (SIOCOUTQ, linux/sockios.h). 0 where the socket fails, too.
int linux_has_unread(int fd);

// pipe2(2), both ends closed on exec. Returns -1 and sets errno on failure.
int linux_pipe(int ends[2]);

// memfd_create(2): memory without a name, closed on exec, which grows and never shrinks: who maps it needs not fear SIGBUS when
// another process has it, too. Returns -1 and sets errno on failure.
int linux_make_memory(const char *name);

// PulseAudio
static const uint32_t linux_PA_INVALID_INDEX = PA_INVALID_INDEX;
static const uint32_t linux_PA_VOLUME_NORM = PA_VOLUME_NORM;
