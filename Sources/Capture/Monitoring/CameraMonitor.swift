internal import CMulticamLinux
import Glibc
import MulticamMedia
internal import MulticamSystem

/// Reports when cameras are connected or disconnected. Uses a dedicated thread.
///
/// The monitor reports only that cameras have changed; `CameraCatalog` lists the cameras.
final class CameraMonitor: Sendable {
    private let stopping: WakeUp
    private let thread: MediaThread

    /// Starts monitoring. Every change after this call returns is reported.
    ///
    /// - Parameters:
    ///   - nodes: Directory of the device nodes.
    ///   - beginsAtOnce: Whether `onChange` is called once at the start without an event.
    ///   - onChange: Called on the monitor's thread after a camera's node appears, disappears or changes its
    ///     permissions: within milliseconds of the kernel event, and again when udevd has finished processing
    ///     the node. A single call can represent several changes, and a camera with two nodes can cause
    ///     several calls. The function is also called at the time returned by the previous call, if no event
    ///     arrives before this time. This function must not call `stop` or release the last reference to the
    ///     monitor.
    /// - Throws: `DeviceError` if the system doesn't support monitoring.
    init(
        nodes: String = "/dev", callsImmediately beginsAtOnce: Bool = false,
        onChange: @escaping @Sendable () -> ClockTime?
    ) throws(DeviceError) {
        let waiter = try CameraEventWaiter(nodes: nodes)
        let stopping = try WakeUp(for: "cameras")
        self.stopping = stopping
        do throws(ThreadError) {
            thread = try MediaThread(name: "cam-monitor") {
                var deadline = beginsAtOnce ? onChange() : nil
                while waiter.wait(until: deadline, unless: stopping) != .stop { deadline = onChange() }
            }
        } catch {
            throw DeviceError(device: "cameras", operation: "monitoring", error)
        }
    }

    deinit {
        stop()
    }

    /// Stops monitoring immediately and waits for a running call of `onChange` to finish. `onChange` isn't called
    /// afterward.
    func stop() {
        stopping.wake()
        thread.join()
    }
}

/// Waits for camera events from udevd, the kernel and the directory of nodes. Must be used from only one
/// thread at a time.
final class CameraEventWaiter {
    private let udev: UdevMonitor?
    private let kernel: UdevMonitor?
    private let nodes: NodeWatcher?

    /// Starts monitoring. Events that arrive after this call are never missed.
    ///
    /// - Parameter nodes: Directory of the device nodes.
    /// - Throws: `DeviceError` if neither netlink nor inotify is available.
    init(nodes: String = "/dev") throws(DeviceError) {
        // Kernel events arrive first and on every system. udevd's events follow when the permissions of a device are
        // set.
        udev = UdevMonitor(.udev, subsystem: "video4linux")
        kernel = UdevMonitor(.kernel, subsystem: "video4linux")
        self.nodes = NodeWatcher(nodes, prefix: "video")
        if udev == nil, kernel == nil, self.nodes == nil {
            throw DeviceError(device: "cameras", operation: "monitoring", errno: errno)
        }
    }

    /// Reason why a wait ended.
    enum WakeReason: Equatable {
        /// A camera's node appeared, disappeared or changed its permissions.
        case event
        case deadline
        case stop
    }

    /// Sleeps until an event arrives.
    ///
    /// - Parameters:
    ///   - deadline: The latest time at which the wait ends, on `CLOCK_MONOTONIC`; `nil` to wait without a
    ///     deadline.
    ///   - stop: Wake-up that ends this wait and all later waits.
    /// - Returns: The reason why the wait ended.
    func wait(until deadline: ClockTime?, unless stop: WakeUp) -> WakeReason {
        var polls = [stop.number, udev?.descriptor ?? -1, kernel?.descriptor ?? -1, nodes?.descriptor ?? -1]
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            if poll(&polls, nfds_t(polls.count), Self.milliseconds(until: deadline)) < 0 {
                precondition(errno == EINTR || errno == ENOMEM, "poll failed with an unexpected error")
                continue
            }
            if polls[0].revents != 0 { return .stop }
            let news = [udev?.dequeueEvents(), kernel?.dequeueEvents(), nodes?.dequeueEvents()]
            if news.contains(true) { return .event }
            if let deadline, MonotonicClock().now >= deadline { return .deadline }
        }
    }

    /// Returns the milliseconds until the deadline, rounded up so that the deadline has passed when `poll` returns; -1
    /// without a deadline.
    private static func milliseconds(until deadline: ClockTime?) -> Int32 {
        guard let deadline else { return -1 }
        let rest = deadline - MonotonicClock().now
        return Int32(clamping: max(0, (rest.count + 999_999) / 1_000_000))
    }
}

/// A netlink socket for device events of one subsystem. Owns a libudev context and its monitor.
///
/// Must be used from only one thread at a time.
final class UdevMonitor {
    /// Sender of the events.
    enum Group: String {
        /// Events from udevd, sent after it has created the links and set the permissions of a device. If
        /// udevd isn't running, no such events arrive.
        case udev
        /// Events from the kernel, sent when a device is created. Kernel events arrive even without udevd,
        /// for example in containers.
        case kernel
    }

    private let context: OpaquePointer
    private let monitor: OpaquePointer

    /// Starts monitoring; returns `nil` if the system doesn't support such a socket.
    ///
    /// - Parameters:
    ///   - group: Sender of the events.
    ///   - subsystem: Name in `/sys/class`, for example `video4linux`.
    init?(_ group: Group, subsystem: String) {
        guard let context = udev_new() else { return nil }
        guard let monitor = udev_monitor_new_from_netlink(context, group.rawValue) else {
            udev_unref(context)
            return nil
        }
        guard udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil) >= 0,
            udev_monitor_enable_receiving(monitor) >= 0
        else {
            udev_monitor_unref(monitor)
            udev_unref(context)
            return nil
        }
        self.context = context
        self.monitor = monitor
    }

    deinit {
        udev_monitor_unref(monitor)
        udev_unref(context)
    }

    /// File descriptor to poll for reading.
    var descriptor: Int32 { udev_monitor_get_fd(monitor) }

    /// Receives all pending events. Doesn't block.
    ///
    /// - Returns: Whether an event concerns the subsystem. The result is also `true` if events were lost in
    ///   an overflow.
    func dequeueEvents() -> Bool {
        var hasNews = false
        while true {
            errno = 0
            if let device = udev_monitor_receive_device(monitor) {
                udev_device_unref(device)
                hasNews = true
            } else {
                guard errno == ENOBUFS || errno == EINTR else { return hasNews }
                hasNews = true
            }
        }
    }
}

/// Watches the video nodes in `/dev` for creation, removal and permission changes. Owns an inotify watch.
///
/// This class detects changes that cause no uevent, such as a permission change by an administrator or by a
/// program other than udevd. The watch also works in containers, which receive no uevents. Must be used from
/// only one thread at a time.
final class NodeWatcher {
    private let inotify: OwnedDescriptor
    private let prefix: [UInt8]

    /// Starts monitoring; returns `nil` if the directory can't be watched.
    ///
    /// - Parameters:
    ///   - path: Path of the directory.
    ///   - prefix: Name prefix of the nodes.
    init?(_ path: String, prefix: String) {
        let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard number >= 0 else { return nil }
        inotify = OwnedDescriptor(owning: number)
        self.prefix = Array(prefix.utf8)
        let wanted = UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_TO | IN_MOVED_FROM)
        guard inotify_add_watch(number, path, wanted) >= 0 else { return nil }
    }

    /// File descriptor to poll for reading.
    var descriptor: Int32 { inotify.number }

    /// Receives all pending events. Doesn't block.
    ///
    /// - Returns: Whether an event concerns the nodes. The result is also `true` if events were lost in an
    ///   overflow.
    func dequeueEvents() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { memory in
            var hasNews = false
            while true {
                let count = read(inotify.number, memory.baseAddress, memory.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return hasNews }
                if concernsNodes(UnsafeRawBufferPointer(rebasing: memory.prefix(count))) { hasNews = true }
            }
        }
    }

    /// Returns whether a block of events (inotify(7) layout) concerns one of the watched nodes.
    private func concernsNodes(_ block: UnsafeRawBufferPointer) -> Bool {
        let header = 16  // wd, mask, cookie and len, then len bytes of name
        var offset = 0
        while offset + header <= block.count {
            let mask = block.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            let length = Int(block.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            if mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            let name = block[(offset + header)..<min(offset + header + length, block.count)]
            if name.starts(with: prefix) { return true }
            offset += header + length
        }
        return false
    }
}
