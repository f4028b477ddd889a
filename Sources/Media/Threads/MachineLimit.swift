internal import Glibc

/// A process, user, or system limit that an operation reached.
package enum MachineLimit: Sendable, Equatable, CaseIterable {
    /// No more threads can be created (`RLIMIT_NPROC`, a control group's `pids.max`, `kernel.threads-max`).
    case threads
    /// The process has run out of address space (`RLIMIT_AS`).
    case addressSpace
    /// The process can't open more file descriptors (`RLIMIT_NOFILE`).
    case descriptors
    /// The system can't open more file descriptors (`fs.file-max`).
    case systemDescriptors
    /// A file has reached the maximum size (`RLIMIT_FSIZE`, or the file system's own limit).
    case fileSize
    /// The system doesn't have enough memory for the operation.
    case memory

    /// Creates the limit that corresponds to the error number of a file operation; returns `nil` for other
    /// errors.
    package init?(errno number: Int32) {
        switch number {
        case EMFILE: self = .descriptors
        case ENFILE: self = .systemDescriptors
        case EFBIG: self = .fileSize
        case ENOMEM: self = ProcessLimit.hasAddressSpace(for: 16 << 20) ? .memory : .addressSpace
        default: return nil
        }
    }

    /// Returns sentences that explain an error number: the limit that was reached, or the system's error
    /// text.
    package static func explanation(errno number: Int32) -> String {
        Self(errno: number)?.explanation ?? "\(String(cString: strerror(number)))."
    }

    /// Returns the limit that prevents the system from creating a thread with a stack of `stackSize` bytes.
    static func threadLimit(stackSize: Int) -> Self {
        // The size includes the stack, its guard page, and allocator overhead.
        ProcessLimit.hasAddressSpace(for: UInt64(stackSize) + (1 << 20)) ? .threads : .addressSpace
    }

    /// Sentences that explain which limit was reached and how to raise it. The text includes the current
    /// limits of the process.
    package var explanation: String {
        switch self {
        case .threads:
            let user = ProcessLimit.processes.soft.map {
                "this user is limited to \($0) processes and threads (`ulimit -u`)"
            }
            let cause =
                user
                ?? "a limit of the control group or the kernel was reached (`pids.max`, `kernel.threads-max`)"
            return "a thread could not be created: \(cause). Close other programs, or raise the limit: "
                + "`ulimit -u`, `TasksMax=` in a systemd unit, or `--pids-limit` for a container."
        case .addressSpace:
            let size = ProcessLimit.addressSpace.soft.map { "\($0 >> 20) MiB" } ?? "its current size"
            return "the address space is limited to \(size) (`ulimit -v`), and this limit has been reached. "
                + "Remove the limit with `ulimit -v unlimited`."
        case .descriptors:
            let soft = ProcessLimit.descriptors.soft.map(String.init) ?? "unlimited"
            let hard = ProcessLimit.descriptors.hard.map(String.init) ?? "unlimited"
            return
                "this process has reached its limit for open files: \(soft) (hard limit: \(hard)). Raise the limit "
                + "with `ulimit -n`, or with `LimitNOFILE=` in a systemd unit."
        case .systemDescriptors:
            return
                "the system has run out of file descriptors. Close other programs, or raise `fs.file-max` with `sysctl`."
        case .fileSize:
            guard let size = ProcessLimit.fileSize.soft else {
                return "the file has reached the maximum size of its file system. "
                    + onCommandLine(
                        "Choose another disk with `--output`, or split the recording with `ctl split`.",
                        otherwise: "Choose another disk, or split the recording.")
            }
            return
                "the file size is limited to \(size) bytes (`ulimit -f`). Remove the limit with `ulimit -f unlimited`, or with "
                + "`LimitFSIZE=infinity` in a systemd unit."
        case .memory:
            return "the system is out of memory. Close other programs."
        }
    }
}

/// The resource limits of this process (getrlimit(2)).
package enum ProcessLimit: Sendable, CaseIterable {
    /// Maximum number of open files: `RLIMIT_NOFILE`.
    case descriptors
    /// Maximum number of the user's processes and threads: `RLIMIT_NPROC`.
    case processes
    /// Maximum address space in bytes: `RLIMIT_AS`.
    case addressSpace
    /// Maximum size of a file in bytes: `RLIMIT_FSIZE`.
    case fileSize

    private var resource: __rlimit_resource_t {
        switch self {
        case .descriptors: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        case .processes: __rlimit_resource_t(__RLIMIT_NPROC.rawValue)
        case .addressSpace: __rlimit_resource_t(RLIMIT_AS.rawValue)
        case .fileSize: __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        }
    }

    private static let infinity = rlim_t.max

    private var values: rlimit {
        var values = rlimit()
        guard getrlimit(resource, &values) == 0 else { return rlimit(rlim_cur: .max, rlim_max: .max) }
        return values
    }

    /// The current soft limit; `nil` if unlimited.
    package var soft: UInt64? { values.rlim_cur == Self.infinity ? nil : UInt64(values.rlim_cur) }

    /// The hard limit, the maximum that the process may set as its soft limit; `nil` if unlimited.
    package var hard: UInt64? { values.rlim_max == Self.infinity ? nil : UInt64(values.rlim_max) }

    /// Raises the soft limit to the hard limit, but no higher than `most`.
    ///
    /// - Returns: The previous soft limit; `nil` if nothing was changed.
    @discardableResult
    package func raise(upTo most: UInt64) -> UInt64? {
        var values = values
        let before = UInt64(values.rlim_cur)
        let wanted = min(UInt64(values.rlim_max), most)
        guard wanted > before else { return nil }
        values.rlim_cur = rlim_t(wanted)
        return setrlimit(resource, &values) == 0 ? before : nil
    }

    /// Returns the limit that prevents the process from opening `count` more files now; `nil` if the process
    /// can open them. The method briefly opens that many files as a test.
    package static func limit(ofOpening count: Int) -> MachineLimit? {
        var opened: [Int32] = []
        defer { for descriptor in opened { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return MachineLimit(errno: errno) }
            opened.append(descriptor)
        }
        return nil
    }

    /// Whether the process's address space has room for this many additional bytes.
    package static func hasAddressSpace(for byteCount: UInt64) -> Bool {
        guard let limit = addressSpace.soft, let used = addressSpaceInUse else { return true }
        return limit > used && limit - used >= byteCount
    }

    /// Address space in bytes that the stacks of a recording's threads occupy and that the allocator reserves
    /// without using it.
    private static let reservedAddressSpace: UInt64 = 72 << 20

    /// Bytes of memory that the process can still allocate before its address space is exhausted, after
    /// subtracting the stacks of a recording's threads. The value is `nil` if the address space is unlimited.
    package static var remainingAddressSpace: Int64? {
        guard let limit = addressSpace.soft, let used = addressSpaceInUse else { return nil }
        let taken = used + reservedAddressSpace
        return limit > taken ? Int64(clamping: limit - taken) : 0
    }

    /// Bytes of address space that the process uses; `nil` if the system doesn't report it (proc(5),
    /// `/proc/[pid]/statm`).
    package static var addressSpaceInUse: UInt64? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        // strtoull(3) stops at the space after the first number, which counts pages.
        return UInt64(strtoull(line, nil, 10)) * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }
}
