internal import CLinux

/// Properties that udev has found out about devices. Owns a context of libudev; used by one thread at a time.
struct UdevProperties: ~Copyable {
    private let context: OpaquePointer?

    init() {
        context = udev_new()
    }

    deinit {
        if let context { udev_unref(context) }
    }

    /// Reads a property of a device.
    ///
    /// - Parameters:
    ///   - name: udev's name of the property, such as `ID_PATH`.
    ///   - folder: The device's folder in `/sys`, without links.
    /// - Returns: The value, never empty; `nil` where udev does not run or does not know the property.
    func value(_ name: String, of folder: String) -> String? {
        guard let context, let device = udev_device_new_from_syspath(context, folder) else { return nil }
        defer { udev_device_unref(device) }
        guard let value = udev_device_get_property_value(device, name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Whether udevd has finished with a device: set its permissions and made its links.
    func isSettled(_ folder: String) -> Bool {
        guard let context, let device = udev_device_new_from_syspath(context, folder) else { return true }
        defer { udev_device_unref(device) }
        return udev_device_get_is_initialized(device) > 0
    }

    /// Whether udevd runs, by its control socket, as libudev itself finds out.
    static var isServed: Bool { Paths.exists("/run/udev/control") }
}
