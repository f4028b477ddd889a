internal import CLinux
import Glibc

/// A netlink socket with news of one subsystem's devices. Owns a libudev context and its monitor.
///
/// Used by one thread at a time.
final class UdevMonitor {
    /// The sender of the news.
    enum Group: String {
        /// udevd, once it has finished with a device: links are made and permissions set. Silent where udevd does not
        /// run.
        case udev
        /// The kernel, as soon as a device is there; also where no udevd runs, as in containers.
        case kernel
    }

    private let context: OpaquePointer
    private let monitor: OpaquePointer

    /// Starts listening; `nil` where the system offers no such socket.
    ///
    /// - Parameters:
    ///   - group: The sender of the news.
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

    /// Takes all news that has come. Does not wait.
    ///
    /// - Returns: Whether any of it concerned the subsystem; also true when so much came that some was lost.
    func takeNews() -> Bool {
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
