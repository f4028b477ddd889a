import Capture
import Glibc
import Media

/// Searches the kernel's log for errors of cameras, cables, disks and memory.
enum KernelLogCheck {
    /// A kind of kernel message: the words that identify it, and its meaning.
    private struct Complaint {
        let check: String
        /// The words that a message must all contain, in lower case; letter case is ignored.
        let words: [String]
        let meaning: String
    }

    /// Words of the kernel's drivers/usb/core/hub.c, drivers/usb/host, drivers/media/usb/uvc, mm/oom_kill.c and block/blk-core.c.
    private static let complaints = [
        Complaint(
            check: "bandwidth", words: ["not enough bandwidth"],
            meaning:
                "a USB controller was out of bandwidth. Move a camera to another controller, or use smaller sizes"
        ),
        Complaint(
            check: "power", words: ["over-current"],
            meaning: "a USB port was switched off for too much current. Use a hub with its own power supply"),
        Complaint(
            check: "interference", words: ["disabled by hub (emi?)"],
            meaning: "a USB port was switched off by interference. Use a shorter or better cable"),
        Complaint(
            check: "cable", words: ["device descriptor read", "error"],
            meaning: "a USB device did not answer when plugged in. Try another cable, port or power supply"),
        Complaint(
            check: "camera", words: ["uvcvideo", "failed to"],
            meaning: "a camera did not do what the driver asked"),
        Complaint(
            check: "memory", words: ["out of memory: killed process"],
            meaning: "memory ran out and the kernel ended a program"),
        Complaint(
            check: "disk", words: ["i/o error, dev"],
            meaning: "a disk could not be read or written. Save what is on it"),
    ]

    static func findings(of machine: Machine) -> [Finding] {
        let messages: [String]
        switch machine.kernelLog {
        case .messages(let all): messages = all
        case .unreadable(let number):
            let why =
                number == EPERM || number == EACCES
                ? "only root may read the kernel's log here"
                : "the kernel's log cannot be read (\(String(cString: strerror(number))))"
            return [
                Finding(
                    "log.kernel", .unknown, "\(why).",
                    mend: number == EPERM || number == EACCES ? "sudo dmesg | grep -iE 'usb|uvc|memory'" : nil
                )
            ]
        }
        let found = complaints.compactMap { complaint -> Finding? in
            let fitting = messages.filter { message in
                let text = message.lowercased()
                return complaint.words.allSatisfy { text.contains($0) }
            }
            guard let last = fitting.last else { return nil }
            let count = fitting.count == 1 ? "once" : "\(fitting.count) times"
            return Finding(
                "log.\(complaint.check)", .warning,
                "\(complaint.meaning). The kernel said so \(count), last: \(last.printable())")
        }
        return found.isEmpty
            ? [Finding("log.kernel", .ok, "the kernel has complained of no camera, cable or disk.")] : found
    }
}
