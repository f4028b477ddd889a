// What a process can give up for good: files by Landlock, system calls by seccomp. libseccomp knows the numbers of system calls. The C
// library has no functions for Landlock, and Debian 12's linux/landlock.h not all of its numbers.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

// struct landlock_ruleset_attr; kernels that know less take it as long as the rest is 0.
struct landlock_rules {
    uint64_t files;
    uint64_t ports;
    uint64_t scopes;
};

// struct landlock_path_beneath_attr
struct landlock_folder {
    uint64_t allowed;
    int32_t folder;
} __attribute__((packed));

// struct landlock_net_port_attr
struct landlock_port {
    uint64_t allowed;
    uint64_t port;
};

// The version of Landlock that the kernel has; -1 and errno where it has none.
static inline int landlock_version(void) { return (int)syscall(444, NULL, (size_t)0, 1U); }

// landlock_create_ruleset(2): a descriptor, or -1 and errno.
static inline int landlock_make(const struct landlock_rules *rules) { return (int)syscall(444, rules, sizeof *rules, 0U); }

// landlock_add_rule(2) for a file or what is beneath a folder, and for a port: 0, or -1 and errno.
static inline int landlock_allow_folder(int rules, const struct landlock_folder *folder) {
    return (int)syscall(445, rules, 1, folder, 0U);
}
static inline int landlock_allow_port(int rules, const struct landlock_port *port) { return (int)syscall(445, rules, 2, port, 0U); }

// landlock_restrict_self(2) of the calling thread and those that it starts: 0, or -1 and errno.
static inline int landlock_enter(int rules) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -1 : (int)syscall(446, rules, 0U);
}

// Macros with arguments, enumerations, and what needs a mode of the headers that Swift does not set: O_PATH, CLONE_THREAD.
static const int32_t confine_path_only = 010000000;
static const int32_t confine_duplicate = F_DUPFD_CLOEXEC;
static const uint64_t confine_fast_open = MSG_FASTOPEN;
static const uint64_t confine_thread = 0x00010000;
static const uint32_t confine_allow = SCMP_ACT_ALLOW;
static const uint32_t confine_refuse = SCMP_ACT_ERRNO(EPERM);
static const uint32_t confine_unknown = SCMP_ACT_ERRNO(ENOSYS);
