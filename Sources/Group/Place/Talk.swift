internal import Glibc
internal import Media

/// The output streams of this program: data for programs, messages for people. Safe to use from any thread.
enum Talk {
    private static let lock = ConditionLock(())

    /// Prints a line of data on standard output.
    static func data(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    /// Prints a sentence for people on standard error.
    static let say: @Sendable (String) -> Void = { sentence in
        write("multicam: \(sentence.printable(limit: 2000))\n", to: STDERR_FILENO)
    }

    /// Prints a line for people on standard error as it is.
    static func show(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        lock.withLock { _ in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
