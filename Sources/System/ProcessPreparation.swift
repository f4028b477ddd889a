internal import CMulticamFiles
package import FoundationEssentials
internal import Glibc
package import MulticamMedia

/// Initialization that every multicam process performs before it starts its first thread.
package enum ProcessPreparation {
    /// Number of threads that every command needs: for the Swift runtime, for signals, and for its first work
    /// item.
    private static let minThreads = 4

    /// Minimum number of file descriptors that every command needs, in addition to the standard streams.
    private static let minDescriptors = 8

    /// Maximum soft limit for file descriptors that is set if the hard limit permits it. A higher limit would
    /// be wasteful, because some code allocates memory for each possible descriptor.
    private static let maxDescriptors: UInt64 = 65_536

    /// Number of allocator heaps if the address space is limited. Each heap reserves 64 MiB of address space,
    /// and the default is eight heaps per processor.
    private static let maxHeaps: Int32 = 2

    /// Minimum address space in bytes for any command. If less address space is available, an allocation
    /// fails and the Swift runtime terminates the process without a helpful message.
    private static let minAddressSpace: UInt64 = 48 << 20

    /// The process's original soft limit for file descriptors, which is restored in child processes; `nil` if
    /// the limit wasn't changed.
    private static let originalDescriptors = ConditionLock<UInt64?>(nil)

    /// Prepares the process. This method raises the soft limit for file descriptors toward the hard limit.
    /// Writes beyond `RLIMIT_FSIZE` then fail with `EFBIG` instead of terminating the process (SIGXFSZ), and
    /// threads of libraries have the same stack size as `MediaThread`. The method also checks that enough
    /// threads, descriptors, and address space are available for any command. From now on, messages of this
    /// process may name commands and options.
    ///
    /// - Parameter preparesReserve: Whether the reserve thread is started. A process that restricts its threads later must start
    ///   it with `MediaThread.prepareReserve` after that, because a restriction doesn't apply to threads that exist already.
    /// - Returns: The limit that is too low; `nil` if all limits are sufficient.
    package static func run(preparesReserve: Bool = true) -> MachineLimit? {
        CommandLineAdvice.enable()
        let before = ProcessLimit.descriptors.raise(upTo: maxDescriptors)
        originalDescriptors.withLock { $0 = before }
        signal(SIGXFSZ, SIG_IGN)
        system_set_thread_stack(UInt(MediaThread.stackSize))
        if ProcessLimit.addressSpace.soft != nil { system_limit_heaps(maxHeaps) }
        guard ProcessLimit.hasAddressSpace(for: minAddressSpace) else { return .addressSpace }
        if let limit = ProcessLimit.limit(ofOpening: minDescriptors) { return limit }
        do throws(ThreadError) {
            try MediaThread.checkAvailability(of: minThreads, for: "start")
            if preparesReserve { try MediaThread.prepareReserve() }
        } catch {
            return error.limit
        }
        return nil
    }

    /// Prepares this process and runs its code, for processes that run alongside the recorder.
    ///
    /// - Parameters:
    ///   - name: Name of the process, for messages.
    ///   - preparesReserve: Whether the reserve thread is started, as for `run(preparesReserve:)`.
    ///   - body: The code of the process.
    /// - Returns: The exit status of `body`; 1 if the preparation failed.
    package static func run(_ name: String, preparesReserve: Bool = true, _ body: () -> Int32) -> Int32 {
        if let limit = run(preparesReserve: preparesReserve) {
            _ = StandardStreams.write("\(name): startup failed: \(limit.explanation)\n", to: STDERR_FILENO)
            return 1
        }
        return body()
    }

    /// Restores the original limit for file descriptors in a child process, because a program that uses
    /// select(2) may rely on that limit.
    static func restoreLimits(of child: Int32) {
        guard let soft = originalDescriptors.withLock({ $0 }) else { return }
        // The system call fails if the child has already exited, which is harmless.
        _ = system_set_descriptors(child, soft)
    }
}

/// Locates the executables of multicam and of the system.
package enum ProgramPath {
    /// Path of the running program; `nil` if the system doesn't provide it.
    package static var own: String? {
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        } catch {
            return nil
        }
    }

    /// Locates a system program by name.
    ///
    /// - Parameter name: The program's name.
    /// - Returns: The path of the program; `nil` if the program isn't in `PATH`.
    package static func named(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
    }

    /// Locates another multicam program. The program is either installed (`PREFIX/libexec/multicam/NAME` for
    /// `PREFIX/bin/multicam`) or was built in the same folder.
    ///
    /// - Parameter name: The program's name.
    /// - Returns: The path of the program; `nil` if the program is in neither location.
    package static func sibling(_ name: String) -> String? {
        guard let own else { return nil }
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        return find(name, forProgramIn: folder)
    }

    /// Locates a helper program of an installed multicam, for a program that uses the library. Looks for `multicam` in
    /// the folders of `PATH`.
    ///
    /// - Parameter name: The helper program's name.
    /// - Returns: The path of the program; `nil` if it isn't installed.
    package static func installed(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        for folder in folders where folder.hasPrefix("/") {
            let program = URL(fileURLWithPath: "\(folder)/multicam")
            guard FileManager.default.isExecutableFile(atPath: program.path) else { continue }
            let home = program.resolvingSymlinksInPath().deletingLastPathComponent()
            if let path = find(name, forProgramIn: home) { return path }
        }
        return nil
    }

    private static func find(_ name: String, forProgramIn folder: URL) -> String? {
        let installed = folder.deletingLastPathComponent().appending(path: "libexec/multicam/\(name)")
        return [installed.path, folder.appending(path: name).path].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}

/// Line-based standard streams for a program that another program starts.
package enum StandardStreams {
    /// Maximum length of a line of standard input in bytes.
    package static let longestLine = 1 << 16

    /// Calls a handler for each line of standard input, until standard input ends. Lines that are too long
    /// are skipped. This method blocks the calling thread.
    ///
    /// - Parameters:
    ///   - handler: Called with each line, without the line feed at its end.
    ///   - tooLong: Called for each line longer than `longestLine`.
    package static func readLines(_ handler: (Data) -> Void, tooLong: () -> Void) {
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

    /// Writes text to a standard stream. If the stream is a pipe, this method blocks while the pipe is full.
    ///
    /// - Parameters:
    ///   - text: The text to write.
    ///   - descriptor: The file descriptor, `STDOUT_FILENO` or `STDERR_FILENO`.
    /// - Returns: Whether the complete text was written; `false`, for example, if the reader has closed the
    ///   pipe or the disk is full.
    package static func write(_ text: String, to descriptor: Int32) -> Bool {
        errorNumber(writing: text, to: descriptor) == 0
    }

    /// Writes text to a standard stream. If the stream is a pipe, this method blocks while the pipe is full.
    ///
    /// - Parameters:
    ///   - text: The text to write.
    ///   - descriptor: The file descriptor, `STDOUT_FILENO` or `STDERR_FILENO`.
    /// - Returns: The system's error number, or 0 if the complete text was written.
    package static func errorNumber(writing text: String, to descriptor: Int32) -> Int32 {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    /// Returns an error message for text that couldn't be written to standard output. The message contains
    /// the text, so that the path of a recording isn't lost.
    ///
    /// - Parameters:
    ///   - text: The text that couldn't be written.
    ///   - number: The system's error number.
    /// - Returns: The complete error message.
    package static func writeFailureMessage(for text: String, errno number: Int32) -> String {
        let lines = text.split(separator: "\n").map { String($0).printable(limit: 1000) }
        return
            "standard output: writing failed: \(String(cString: strerror(number))). Redirect the output to a file on a disk with free space. "
            + "Not printed: \(lines.joined(separator: ", ").printable(limit: 1000))"
    }
}
