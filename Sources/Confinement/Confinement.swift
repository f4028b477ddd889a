internal import CMulticamConfinement
internal import Glibc
internal import MulticamMedia
internal import MulticamSystem

/// Permanently drops the privileges that a helper process doesn't need: a web server, or a process that examines frames.
/// An attacker who takes over this process gets access only to its sockets.
///
/// The process can read only the system's files and given folders, and can't write any file. The process can't start
/// programs, connect to other processes or hosts, send signals, inspect other processes, or change their scheduling.
/// Open descriptors stay usable: standard input and output, the port, and the recorder's socket.
package enum Confinement {
    /// Landlock access rights (linux/landlock.h), as bits.
    private enum Right {
        static let readFile: UInt64 = 1 << 2
        static let readFolder: UInt64 = 1 << 3
        static let bindPort: UInt64 = 1 << 0
        static let connectPort: UInt64 = 1 << 1
        /// Scopes for abstract sockets and signals.
        static let scopes: UInt64 = 1 << 0 | 1 << 1

        /// Returns all file access rights that a Landlock version supports.
        static func files(_ version: Int32) -> UInt64 {
            let counts: [Int32: UInt64] = [1: 13, 2: 14, 3: 15, 4: 15]
            return 1 << (counts[version] ?? 16) - 1
        }
    }

    /// Folders that libraries read on first use, for TLS modules, time zones, and the number of processor cores.
    private static let systemFolders = [
        "/usr", "/lib", "/lib64", "/etc", "/proc/self", "/sys/devices/system/cpu",
    ]
    private static let systemFiles = ["/dev/null", "/dev/urandom"]

    // MARK: Files

    /// Drops access to files, and to all ports but one, for the calling thread and all threads that it starts. Call
    /// this function before other threads exist.
    ///
    /// - Parameters:
    ///   - readable: Paths of files that are read later.
    ///   - folders: Paths of folders. All files in these folders can be read later.
    ///   - port: The port to listen on later; 0 for any free port, `nil` for a process that doesn't listen.
    /// - Returns: The reason why confinement failed, as a sentence; `nil` on success.
    package static func restrictFiles(readable: [String], folders: [String] = [], port: Int?) -> String? {
        let version = landlock_version()
        guard version > 0 else {
            return refusal("file access", "Landlock is not supported by the kernel, or is disabled")
        }
        var rules = landlock_rules(
            files: Right.files(version), ports: version >= 4 ? Right.bindPort | Right.connectPort : 0,
            scopes: version >= 6 ? Right.scopes : 0)
        let number = landlock_make(&rules)
        guard number >= 0 else { return refusal("file access", reason(errno)) }
        let set = OwnedDescriptor(owning: number)
        for path in systemFolders + folders { allow(path, Right.readFile | Right.readFolder, in: set.number) }
        for path in systemFiles + readable { allow(path, Right.readFile, in: set.number) }
        if version >= 4, let port {
            var rule = landlock_port(allowed: Right.bindPort, port: UInt64(clamping: port))
            guard landlock_allow_port(set.number, &rule) == 0 else {
                return refusal("file access", reason(errno))
            }
        }
        guard landlock_enter(set.number) == 0 else { return refusal("file access", reason(errno)) }
        return nil
    }

    /// Allows access to a path. A path that doesn't exist is skipped because it can't be opened anyway.
    private static func allow(_ path: String, _ rights: UInt64, in set: Int32) {
        let number = open(path, confine_path_only | O_CLOEXEC)
        guard number >= 0 else { return }
        let place = OwnedDescriptor(owning: number)
        var rule = landlock_folder(allowed: rights, folder: place.number)
        _ = landlock_allow_folder(set, &rule)
    }

    /// Drops access to files and ports like `restrictFiles`, and then starts the reserve thread, which is restricted, too.
    ///
    /// - Returns: The reasons why confinement is incomplete, as sentences; empty on success. Threads that exist already
    ///   aren't restricted, so they are a reason.
    package static func restrictFilesAndPrepareReserve() -> [String] {
        let threads = threadCount
        var reasons = [restrictFiles(readable: [], port: nil)].compactMap(\.self)
        if threads > 1 {
            reasons.append(refusal("file access", "\(threads - 1) of its threads had started earlier"))
        }
        do throws(ThreadError) {
            try MediaThread.prepareReserve()
        } catch {
            reasons.append("the reserve thread cannot be started: \(error.limit.explanation)")
        }
        return reasons
    }

    /// Number of threads of this process; 0 if it is unknown.
    private static var threadCount: Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        // The entries `.` and `..` aren't threads.
        while readdir(folder) != nil { count += 1 }
        return max(0, count - 2)
    }

    // MARK: Memory

    /// Permanently limits the memory of this process. If the process exceeds the limit, the process ends, and
    /// the supervisor starts a new process. The limit keeps the remaining memory available for recordings.
    package static func limitMemory() {
        var limit = rlimit(rlim_cur: mostMemory, rlim_max: mostMemory)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }

    private static let mostMemory: rlim_t = 1 << 30

    // MARK: System calls

    /// Drops all system calls that a listening server doesn't need, for all threads.
    ///
    /// - Returns: The reason why confinement failed, as a sentence; `nil` on success.
    package static func restrictSystemCalls() -> String? {
        installFilter(defaultAction: confine_unknown) { add in
            for name in allowed { add(confine_allow, name, []) }
            for name in refused { add(confine_refuse, name, []) }
            // Landlock in Linux 5.13 to 6.1 doesn't stop a file that is opened for reading from being truncated.
            for (name, argument) in [("open", UInt32(1)), ("openat", 2)] {
                let changing = [O_WRONLY, O_RDWR, O_CREAT, O_TRUNC].map { UInt64($0) }
                add(confine_allow, name, [flags(argument, without: changing.reduce(0, |))])
                for flag in changing { add(confine_refuse, name, [flags(argument, with: flag)]) }
            }
            // F_SETOWN and similar commands stay forbidden because they make the kernel send signals.
            for command in [F_DUPFD, confine_duplicate, F_GETFD, F_SETFD, F_GETFL, F_SETFL] {
                add(confine_allow, "fcntl", [number(1, is: UInt64(command))])
            }
            // TCP Fast Open connects even if connect(2) is refused.
            let noConnection = { (argument: UInt32) in flags(argument, without: confine_fast_open) }
            add(confine_allow, "sendto", [noConnection(3), address(4, is: 0)])
            add(confine_allow, "sendmsg", [noConnection(2)])
            add(confine_allow, "sendmmsg", [noConnection(3)])
            // Allows the process to create threads, but not processes. A filter can't inspect the arguments
            // of clone3(2), so the call is reported as unimplemented, and the C library falls back to
            // clone(2).
            add(confine_allow, "clone", [flags(0, with: confine_thread)])
            add(confine_allow, "tgkill", [number(0, is: UInt64(getpid()))])
            // These system calls are allowed only for the calling thread or its process.
            for name in ["prlimit64", "sched_setaffinity", "sched_setscheduler"] {
                add(confine_allow, name, [number(0, is: 0)])
            }
            let own = UInt64(PRIO_PROCESS.rawValue)
            add(confine_allow, "setpriority", [number(0, is: own), number(1, is: 0)])
            // IOPRIO_WHO_PROCESS, the calling thread
            add(confine_allow, "ioprio_set", [number(0, is: 1), number(1, is: 0)])
            add(confine_allow, "prctl", [number(0, is: UInt64(PR_SET_NAME))])
            for request in [FIONREAD, FIONBIO] {
                add(confine_allow, "ioctl", [number(1, is: UInt64(request))])
            }
        }
    }

    /// Hides sched_setattr(2) from GLib before GLib probes for it, because the call accepts any process ID.
    /// Without this system call, GLib doesn't copy a thread's scheduling settings.
    ///
    /// - Returns: The reason why confinement failed, as a sentence; `nil` on success.
    package static func restrictScheduling() -> String? {
        installFilter(defaultAction: confine_allow) { add in
            for name in ["sched_getattr", "sched_setattr"] { add(confine_unknown, name, []) }
        }
    }

    private typealias AddRule = (_ action: UInt32, _ name: String, _ conditions: [scmp_arg_cmp]) -> Void

    /// Loads a system call filter for all threads of the process.
    private static func installFilter(defaultAction action: UInt32, _ fill: (AddRule) -> Void) -> String? {
        guard let filter = seccomp_init(action) else { return refusal("system calls", "out of memory") }
        defer { seccomp_release(filter) }
        var code = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1)
        fill { action, name, conditions in
            let number = seccomp_syscall_resolve_name(name)
            // The kernel doesn't provide this system call on this architecture.
            guard number >= 0, code >= 0 else { return }
            code = seccomp_rule_add_array(filter, action, number, UInt32(conditions.count), conditions)
        }
        if code >= 0 { code = seccomp_load(filter) }
        return code >= 0 ? nil : refusal("system calls", reason(-code))
    }

    /// Matches a 32-bit argument. The kernel ignores the upper bits.
    private static func number(_ argument: UInt32, is value: UInt64) -> scmp_arg_cmp {
        condition(argument, masked: UInt64(UInt32.max), is: value)
    }

    private static func address(_ argument: UInt32, is value: UInt64) -> scmp_arg_cmp {
        condition(argument, masked: .max, is: value)
    }

    private static func flags(_ argument: UInt32, with flag: UInt64) -> scmp_arg_cmp {
        condition(argument, masked: flag, is: flag)
    }

    private static func flags(_ argument: UInt32, without flags: UInt64) -> scmp_arg_cmp {
        condition(argument, masked: flags, is: 0)
    }

    private static func condition(_ argument: UInt32, masked mask: UInt64, is value: UInt64) -> scmp_arg_cmp {
        scmp_arg_cmp(arg: argument, op: SCMP_CMP_MASKED_EQ, datum_a: mask, datum_b: value)
    }

    /// System calls allowed with any arguments. The filter reports all other calls as unimplemented, so that libraries
    /// use alternatives.
    private static let allowed =
        // System calls for open descriptors, and for files that Landlock still allows.
        [
            "read", "readv", "pread64", "preadv", "write", "writev", "pwrite64", "close", "close_range",
            "lseek",
            "fadvise64", "fstat", "fstatfs", "statfs", "stat", "lstat", "newfstatat", "statx", "access",
            "faccessat",
            "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "dup", "dup2", "dup3", "pipe",
            "pipe2", "eventfd2", "poll", "ppoll", "select", "pselect6",
            "epoll_create1",
            "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2", "timerfd_create", "timerfd_settime",
        ]
        // System calls for open sockets.
        + [
            "accept", "accept4", "getsockname", "getpeername", "getsockopt", "setsockopt", "recvfrom",
            "recvmsg", "recvmmsg", "shutdown",
        ]
        // System calls for memory and threads.
        + [
            "brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "membarrier", "futex", "futex_waitv",
            "set_robust_list", "get_robust_list", "rseq", "set_tid_address", "sched_yield",
            "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_min",
            "sched_get_priority_max", "getpriority", "exit",
            "exit_group", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigtimedwait", "sigaltstack",
            "restart_syscall",
        ]
        // System calls for clocks, random numbers, and information about this process.
        + [
            "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
            "getrandom", "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getrlimit",
            "getrusage", "times", "uname", "sysinfo", "getcpu",
        ]
    /// System calls refused with a permission error, so that a log shows the attempt.
    private static let refused = [
        "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "kill",
        "socket", "socketpair", "connect", "bind", "listen", "unlink", "unlinkat", "rename", "renameat",
        "renameat2", "truncate", "ftruncate", "mkdir", "mkdirat", "rmdir", "chmod", "fchmod", "fchmodat",
        "chown", "fchown", "fchownat", "link", "linkat", "symlink", "symlinkat",
    ]

    // MARK: Error messages

    private static func refusal(_ what: String, _ why: String) -> String {
        "this process runs without restrictions on \(what): \(why)."
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
