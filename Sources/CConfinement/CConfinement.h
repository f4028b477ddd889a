// Functions and constants that permanently restrict a process: Landlock limits file access, and seccomp
// limits system calls. libseccomp provides the system call numbers. The C library doesn't provide functions
// for Landlock, and linux/landlock.h in Debian 12 lacks some Landlock constants.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/socket.h>
#include <unistd.h>

// Mirrors the kernel's struct landlock_ruleset_attr. Older kernels accept the structure if the fields that
// they don't know are 0.
struct landlock_rules {
    uint64_t files;
    uint64_t ports;
    uint64_t scopes;
};

// Mirrors the kernel's struct landlock_path_beneath_attr.
struct landlock_folder {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

// Mirrors the kernel's struct landlock_net_port_attr.
struct landlock_port {
    uint64_t allowed;
    uint64_t port;
};

// Returns the Landlock version of the kernel, or -1 with errno set if the kernel doesn't support Landlock.
static inline int landlock_version(void) { return (int)syscall(444, NULL, (size_t)0, 1U); }

// Calls landlock_create_ruleset(2). Returns a descriptor, or -1 with errno set.
static inline int landlock_make(const struct landlock_rules *rules) { return (int)syscall(444, rules, sizeof *rules, 0U); }

// Calls landlock_add_rule(2) for a file, for the contents of a folder, or for a port. Returns 0, or -1 with
// errno set.
static inline int landlock_allow_folder(int rules, const struct landlock_folder *folder) {
    return (int)syscall(445, rules, 1, folder, 0U);
}
static inline int landlock_allow_port(int rules, const struct landlock_port *port) { return (int)syscall(445, rules, 2, port, 0U); }

// Calls landlock_restrict_self(2), which restricts the calling thread and all threads that it starts later.
// Returns 0, or -1 with errno set.
static inline int landlock_enter(int rules) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -1 : (int)syscall(446, rules, 0U);
}

// Calls ioprio_set(2) for the calling thread: the disk serves the thread only when it is idle otherwise. Returns 0, or -1
// with errno set.
static inline int confine_use_idle_disk_time(void) { return (int)syscall(SYS_ioprio_set, 1, 0, 3 << 13); }

// Constants that Swift can't import: macros with arguments, enumerations, and definitions that depend on _GNU_SOURCE
// (O_PATH, CLONE_THREAD).
static const int32_t confine_path_only = 010000000;
static const int32_t confine_duplicate = F_DUPFD_CLOEXEC;
static const uint64_t confine_fast_open = MSG_FASTOPEN;
static const uint64_t confine_thread = 0x00010000;
static const uint32_t confine_allow = SCMP_ACT_ALLOW;
static const uint32_t confine_refuse = SCMP_ACT_ERRNO(EPERM);
static const uint32_t confine_unknown = SCMP_ACT_ERRNO(ENOSYS);
