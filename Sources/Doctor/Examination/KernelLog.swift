import Glibc
import Media

/// The messages of the kernel's log.
enum KernelLog: Sendable {
    /// The messages without their heads, the oldest first.
    case messages([String])
    /// The log is closed to this user, or missing.
    case unreadable(errno: Int32)

    /// Reads what `/dev/kmsg` still holds, without waiting for more.
    static func read() -> KernelLog {
        let number = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return .unreadable(errno: errno) }
        defer { close(number) }
        var messages: [String] = []
        var record = [UInt8](repeating: 0, count: 8192)
        // Each read returns one record. The bound ends the loop when the log is written to meanwhile.
        while messages.count < 100_000 {
            let count = Glibc.read(number, &record, record.count)
            if count < 0, errno == EPIPE { continue }  // overwritten before we came to it
            if count < 0, errno != EAGAIN, messages.isEmpty { return .unreadable(errno: errno) }
            guard count > 0 else { break }
            if let message = message(of: record.prefix(count)) { messages.append(message) }
        }
        return .messages(messages)
    }

    /// The message of a record such as `6,339,5140900,-;usb 1-2: new device`; further lines of the record are ignored.
    static func message(of record: some Collection<UInt8>) -> String? {
        let line = record.prefix { $0 != UInt8(ascii: "\n") }
        guard let head = line.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        return String(decoding: line[line.index(after: head)...], as: UTF8.self).printable(limit: 400)
    }
}
