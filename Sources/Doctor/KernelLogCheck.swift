import Glibc
import MulticamCapture
import MulticamMedia

/// Searches the kernel log for errors related to cameras, cables, disks, and memory.
enum KernelLogCheck {
    /// A type of kernel message, with the words that identify it and its meaning.
    private struct LogPattern {
        let check: String
        /// Words that must all be in the message, in lowercase. Matching ignores case.
        let words: [String]
        let meaning: String
    }

    /// Words from the messages in the kernel's drivers/usb/core/hub.c, drivers/usb/host, drivers/media/usb/uvc,
    /// mm/oom_kill.c, and block/blk-core.c.
    private static let patterns = [
        LogPattern(
            check: "bandwidth", words: ["not enough bandwidth"],
            meaning:
                "a USB controller ran out of bandwidth. Move a camera to another controller, or use smaller sizes"
        ),
        LogPattern(
            check: "power", words: ["over-current"],
            meaning: "a USB port was disabled because of overcurrent. Use a powered hub"),
        LogPattern(
            check: "interference", words: ["disabled by hub (emi?)"],
            meaning: "a USB port was disabled because of interference. Use a shorter or better cable"),
        LogPattern(
            check: "cable", words: ["device descriptor read", "error"],
            meaning:
                "a USB device did not respond when it was connected. Try another cable, port, or power supply"
        ),
        LogPattern(
            check: "camera", words: ["uvcvideo", "failed to"],
            meaning: "a camera rejected a request from its driver"),
        LogPattern(
            check: "memory", words: ["out of memory: killed process"],
            meaning: "the computer ran out of memory, and the kernel killed a program"),
        LogPattern(
            check: "disk", words: ["i/o error, dev"],
            meaning: "a disk had read or write errors. Back up its data"),
    ]

    static func findings(of machine: Machine) -> [Finding] {
        let messages: [String]
        switch machine.kernelLog {
        case .messages(let all): messages = all
        case .unreadable(let number):
            let why =
                number == EPERM || number == EACCES
                ? "only root can read the kernel log on this computer"
                : "the kernel log can't be read (\(String(cString: strerror(number))))"
            return [
                Finding(
                    "log.kernel", .unknown, "\(why).",
                    repairCommand: number == EPERM || number == EACCES
                        ? "sudo dmesg | grep -iE 'usb|uvc|memory'" : nil
                )
            ]
        }
        let found = patterns.compactMap { complaint -> Finding? in
            let fitting = messages.filter { message in
                let text = message.lowercased()
                return complaint.words.allSatisfy { text.contains($0) }
            }
            guard let last = fitting.last else { return nil }
            let count = fitting.count == 1 ? "once" : "\(fitting.count) times"
            return Finding(
                "log.\(complaint.check)", .warning,
                "\(complaint.meaning). The kernel logged this error \(count), most recently: \(last.printable())"
            )
        }
        return found.isEmpty
            ? [Finding("log.kernel", .ok, "the kernel log contains no camera, cable, or disk errors.")]
            : found
    }
}

/// The messages of the kernel log.
enum KernelLog: Sendable {
    /// The messages without their headers, oldest first.
    case messages([String])
    /// The log isn't accessible to this user, or is missing.
    case unreadable(errno: Int32)

    /// Reads the messages in `/dev/kmsg` without waiting for more.
    static func read() -> KernelLog {
        let number = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { return .unreadable(errno: errno) }
        defer { close(number) }
        var messages: [String] = []
        var record = [UInt8](repeating: 0, count: 8192)
        // Each read returns one record. The limit ends the loop if new records are being written at the same
        // time.
        while messages.count < 100_000 {
            let count = Glibc.read(number, &record, record.count)
            if count < 0, errno == EPIPE { continue }  // overwritten before it was read
            if count < 0, errno != EAGAIN, messages.isEmpty { return .unreadable(errno: errno) }
            guard count > 0 else { break }
            if let message = message(of: record.prefix(count)) { messages.append(message) }
        }
        return .messages(messages)
    }

    /// Returns the message of a record such as `6,339,5140900,-;usb 1-2: new device`. Additional lines of the
    /// record are ignored.
    static func message(of record: some Collection<UInt8>) -> String? {
        let line = record.prefix { $0 != UInt8(ascii: "\n") }
        guard let head = line.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        return String(decoding: line[line.index(after: head)...], as: UTF8.self).printable(limit: 400)
    }
}
