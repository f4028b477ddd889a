// Required for accept4, MSG_CMSG_CLOEXEC, prlimit, and pthread_setattr_default_np.
#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/sockios.h>
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <fcntl.h>
#include <unistd.h>

int linux_ioctl(int fd, unsigned long request, void *argument) {
    int result;
    do {
        result = ioctl(fd, request, argument);
    } while (result == -1 && errno == EINTR);
    return result;
}

int linux_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

long linux_send_beside(int fd, const void *bytes, unsigned long count, int descriptor) {
    struct iovec piece = {(void *)bytes, count};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *part = CMSG_FIRSTHDR(&message);
        part->cmsg_level = SOL_SOCKET;
        part->cmsg_type = SCM_RIGHTS;
        part->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(part), &descriptor, sizeof(int));
    }
    long sent;
    do {
        sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent;
}

long linux_receive_beside(int fd, void *bytes, unsigned long count, int *descriptor) {
    struct iovec piece = {bytes, count};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(16 * sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *descriptor = -1;
    long received;
    // poll(2) is used because a blocking recvmsg(2) also wakes up each time the other end reads data.
    while ((received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT)) < 0) {
        if (errno == EINTR) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) return received;
        struct pollfd readable = {.fd = fd, .events = POLLIN};
        if (poll(&readable, 1, -1) < 0 && errno != EINTR) return -1;
    }
    for (struct cmsghdr *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
        unsigned long numbers = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (unsigned long index = 0; index < numbers; index++) {
            int number;
            memcpy(&number, CMSG_DATA(part) + index * sizeof(int), sizeof number);
            if (*descriptor < 0) *descriptor = number;
            else close(number);
        }
    }
    return received;
}

int linux_make_memory(const char *name) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0) fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
    return fd;
}

int linux_has_unread(int fd) {
    int count = 0;
    return ioctl(fd, SIOCOUTQ, &count) == 0 && count > 0;
}
