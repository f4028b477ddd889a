internal import CFiles
public import FoundationEssentials
internal import Glibc
public import Media

/// Initialization that every multicam process performs before it starts its first thread.
public enum ProcessPreparation {
    /// Number of threads that every command needs for the runtime, signals, and its first work item.
    private static let firstThreads = 4

    /// Minimum number of descriptors that every command needs, in addition to the standard streams.
    private static let firstDescriptors = 8

    /// Maximum soft limit of descriptors, if the hard limit permits it. A higher limit would be wasteful, because some
    /// code allocates memory for each possible descriptor.
    private static let mostDescriptors: UInt64 = 65_536

    /// Number of allocator heaps in a limited address space. Each heap reserves 64 MiB, and by default there are eight
    /// per processor.
    private static let fewHeaps: Int32 = 2

    /// Minimum address space for any command. If less is available, an allocation fails and the runtime ends the
    /// process without a helpful message.
    private static let leastAddressSpace: UInt64 = 48 << 20

    /// The process's original soft limit of descriptors, for its children; `nil` if it wasn't changed.
    private static let originalDescriptors = ConditionLock<UInt64?>(nil)

    /// Prepares the process. Raises the soft limit of descriptors to the hard limit. Makes writes beyond `RLIMIT_FSIZE`
    /// fail with `EFBIG` instead of ending the process (SIGXFSZ). Gives threads of libraries the same stack size as
    /// `MediaThread`. Checks that there are enough threads, descriptors, and address space for any command.
    ///
    /// - Returns: The limit that is too low; `nil` if all limits are sufficient.
    public static func run() -> MachineLimit? {
        let before = ProcessLimit.descriptors.raise(upTo: mostDescriptors)
        originalDescriptors.withLock { $0 = before }
        signal(SIGXFSZ, SIG_IGN)
        system_set_thread_stack(UInt(MediaThread.stackSize))
        if ProcessLimit.addressSpace.soft != nil { system_limit_heaps(fewHeaps) }
        guard ProcessLimit.hasAddressSpace(for: leastAddressSpace) else { return .addressSpace }
        if let limit = ProcessLimit.limit(ofOpening: firstDescriptors) { return limit }
        do throws(ThreadError) {
            try MediaThread.check(firstThreads, for: "start")
            try MediaThread.prepareReserve()
        } catch {
            return error.limit
        }
        return nil
    }

    /// Prepares and runs a process that runs alongside the recorder.
    ///
    /// - Parameters:
    ///   - name: Name of the process, for messages.
    ///   - body: The code of the process.
    /// - Returns: The exit status of `body`; 1 if the preparation failed.
    public static func run(_ name: String, _ body: () -> Int32) -> Int32 {
        if let limit = run() {
            _ = StandardStreams.write("\(name): startup failed: \(limit.explanation)\n", to: STDERR_FILENO)
            return 1
        }
        return body()
    }

    /// Restores the original descriptor limit in a child process, because a program that uses select(2) may rely on it.
    static func restoreLimits(of child: Int32) {
        guard let soft = originalDescriptors.withLock({ $0 }) else { return }
        // The call fails if the child has already exited, which is harmless.
        _ = system_set_descriptors(child, soft)
    }
}

/// Locates multicam's programs.
public enum ProgramPath {
    /// Path of the program that is running; `nil` if the system doesn't provide it.
    public static var own: String? {
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        } catch {
            return nil
        }
    }

    /// Locates a system program by name.
    ///
    /// - Parameter name: The program's name.
    /// - Returns: The path; `nil` if the program isn't in `PATH`.
    public static func named(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
    }

    /// Locates another multicam program. The program is either installed (`PREFIX/libexec/multicam/NAME` for
    /// `PREFIX/bin/multicam`) or was built in the same folder.
    ///
    /// - Parameter name: The program's name.
    /// - Returns: The path; `nil` if the program is in neither location.
    public static func beside(_ name: String) -> String? {
        guard let own else { return nil }
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        let installed = folder.deletingLastPathComponent().appending(path: "libexec/multicam/\(name)")
        return [installed.path, folder.appending(path: name).path].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}

/// Line-based standard streams for a program that is started by another one.
public enum StandardStreams {
    /// Maximum length of a line of standard input in bytes.
    public static let longestLine = 1 << 16

    /// Calls a handler for each line of standard input, until standard input ends. Lines that are too long are skipped.
    /// Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - handler: Receives each line without its line feed.
    ///   - tooLong: Called for each line longer than `longestLine`.
    public static func readLines(_ handler: (Data) -> Void, tooLong: () -> Void) {
        var (pending, buffer) = (Data(), [UInt8](repeating: 0, count: 1 << 14))
        var isTooLong = false
        while true {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            pending.append(contentsOf: buffer[..<count])
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                if !isTooLong, end > pending.startIndex { handler(Data(pending[pending.startIndex..<end])) }
                isTooLong = false
                pending = Data(pending[pending.index(after: end)...])
            }
            if pending.count > longestLine {
                if !isTooLong { tooLong() }
                (isTooLong, pending) = (true, Data())
            }
        }
    }

    /// Writes text. Blocks while a pipe is full.
    ///
    /// - Parameters:
    ///   - text: The text to write.
    ///   - descriptor: The descriptor, `STDOUT_FILENO` or `STDERR_FILENO`.
    /// - Returns: Whether the text was written; `false` if the reader has closed the pipe or the disk is full.
    public static func write(_ text: String, to descriptor: Int32) -> Bool {
        errorNumber(writing: text, to: descriptor) == 0
    }

    /// Writes text. Blocks while a pipe is full.
    ///
    /// - Parameters:
    ///   - text: The text to write.
    ///   - descriptor: The descriptor, `STDOUT_FILENO` or `STDERR_FILENO`.
    /// - Returns: The system's error number, or 0 if the complete text was written.
    public static func errorNumber(writing text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Returns an error message for data that couldn't be written to standard output. The message contains the data, so
    /// that the path of a recording isn't lost.
    ///
    /// - Parameters:
    ///   - text: The data that couldn't be written.
    ///   - number: The system's error number.
    /// - Returns: The complete error message.
    public static func lossReport(of text: String, errno number: Int32) -> String {
        let lines = text.split(separator: "\n").map { String($0).printable(limit: 1000) }
        return
            "standard output: writing failed: \(String(cString: strerror(number))). Redirect the output to a file on a disk with free space. "
            + "Not printed: \(lines.joined(separator: ", ").printable(limit: 1000))"
    }
}
