public import FoundationEssentials
internal import Glibc
internal import Media

/// The standard streams of a program that another one starts, as lines.
public enum StandardStreams {
    /// Most bytes of a line of standard input.
    public static let longestLine = 1 << 16

    /// Calls a handler for each line of standard input, until that ends. Lines that are too long are left out. Blocks.
    ///
    /// - Parameters:
    ///   - handler: Gets a line without its line feed.
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

    /// Writes all of a text. Blocks while nobody reads.
    ///
    /// - Parameters:
    ///   - text: What to write.
    ///   - descriptor: `STDOUT_FILENO`, `STDERR_FILENO`, or a pipe's.
    /// - Returns: Whether it was written; `false` when nobody reads any more.
    public static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
