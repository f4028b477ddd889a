internal import FileSystem
import Glibc
import Media

/// Waits for news of cameras from udevd, the kernel and the folder of nodes. Used by one thread at a time.
final class CameraNews {
    private let udev: UdevMonitor?
    private let kernel: UdevMonitor?
    private let nodes: NodeFolder?

    /// Starts listening; from here on nothing is missed.
    ///
    /// - Parameter nodes: Folder of the device nodes.
    /// - Throws: `DeviceError` when neither netlink nor inotify is available.
    init(nodes: String = "/dev") throws(DeviceError) {
        // The kernel's events come first and everywhere; udevd's say when a device has its permissions.
        udev = UdevMonitor(.udev, subsystem: "video4linux")
        kernel = UdevMonitor(.kernel, subsystem: "video4linux")
        self.nodes = NodeFolder(nodes, prefix: "video")
        if udev == nil, kernel == nil, self.nodes == nil {
            throw DeviceError(device: "cameras", operation: "watch", errno: errno)
        }
    }

    /// The reason why a wait ended.
    enum Awakening: Equatable {
        /// A camera's node appeared, vanished, or changed its permissions.
        case news
        case deadline
        case stop
    }

    /// Sleeps until there is news.
    ///
    /// - Parameters:
    ///   - deadline: The latest instant on `CLOCK_MONOTONIC`; `nil` for none.
    ///   - stop: Ends this and every later wait once it is woken.
    /// - Returns: What came first.
    func wait(until deadline: ClockTime?, unless stop: WakeUp) -> Awakening {
        var polls = [stop.number, udev?.descriptor ?? -1, kernel?.descriptor ?? -1, nodes?.descriptor ?? -1]
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            if poll(&polls, nfds_t(polls.count), Self.milliseconds(until: deadline)) < 0 {
                precondition(errno == EINTR || errno == ENOMEM, "poll refuses descriptors of ours")
                continue
            }
            if polls[0].revents != 0 { return .stop }
            let news = [udev?.takeNews(), kernel?.takeNews(), nodes?.takeNews()]
            if news.contains(true) { return .news }
            if let deadline, MonotonicClock().now >= deadline { return .deadline }
        }
    }

    /// Milliseconds until the deadline, rounded up, so that it has passed when `poll` returns; -1 without a deadline.
    private static func milliseconds(until deadline: ClockTime?) -> Int32 {
        guard let deadline else { return -1 }
        let rest = deadline - MonotonicClock().now
        return Int32(clamping: max(0, (rest.count + 999_999) / 1_000_000))
    }
}
