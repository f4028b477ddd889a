package import MulticamMedia

/// Finds the device that matches a selector in a list of devices. Doesn't access any device.
package enum DeviceSelector {
    /// Returns the only device that matches a selector.
    ///
    /// - Parameters:
    ///   - selector: `/dev/video0`, `usb:<path>`, `serial:<serial>`, `pulse:<source>`, `position:front` or
    ///     `position:back`, or the name or a part of it (case-insensitive). Selectors that are links to nodes
    ///     must be resolved first (`withoutLinks`). The caller must handle the selector `any`.
    ///   - kind: "camera" or "microphone", for messages.
    ///   - devices: All devices of the given kind.
    /// - Returns: The only matching device.
    /// - Throws: `DeviceError` with `notFound` if no device matches, or with `ambiguous` and the selectors of all
    ///   matching devices.
    package static func resolve(_ selector: String, kind: String, among devices: [CaptureDevice])
        throws(DeviceError) -> CaptureDevice
    {
        let fitting = matches(selector, among: devices)
        guard let first = fitting.first else {
            throw DeviceError(device: selector, operation: "searching for a \(kind)", reason: .notFound)
        }
        guard fitting.count == 1 else {
            throw DeviceError(
                device: selector, operation: "searching for a \(kind)",
                reason: .ambiguous(candidates: fitting.map { "\($0.selector) (\($0.name))" }))
        }
        return first
    }

    /// Resolves a selector that is a link to a node, such as a link in `/dev/v4l/by-id`. Returns any other selector
    /// unchanged.
    package static func withoutLinks(_ selector: String) -> String {
        selector.hasPrefix("/") ? Paths.resolved(selector) ?? selector : selector
    }

    private static func matches(_ selector: String, among devices: [CaptureDevice]) -> [CaptureDevice] {
        if let path = rest(of: selector, after: "usb:") {
            // Matches the whole path, or the path of the device without the interface suffix: `…-usb-0:2` for
            // `…-usb-0:2:1.0`.
            return preferringExact(devices, { $0.identity.busPath == path }) {
                !path.isEmpty && $0.identity.busPath.hasPrefix("\(path):")
            }
        }
        if let serial = rest(of: selector, after: "serial:") {
            return devices.filter { !serial.isEmpty && $0.identity.serial == serial }
        }
        if let source = rest(of: selector, after: "pulse:") { return devices.filter { $0.node == source } }
        if let word = rest(of: selector, after: "position:") {
            guard let position = CaptureDevice.Position(rawValue: word), position != .unspecified else {
                return []
            }
            return devices.filter { $0.position == position }
        }
        if selector.hasPrefix("/") { return devices.filter { $0.node == selector } }
        let wanted = selector.lowercased()
        guard !wanted.isEmpty else { return [] }
        // Exact matches take precedence. Otherwise, "Webcam" would be ambiguous if "Webcam Pro" is also
        // connected.
        return preferringExact(devices, { $0.name.lowercased() == wanted }) {
            $0.name.lowercased().contains(wanted)
        }
    }

    private static func preferringExact(
        _ devices: [CaptureDevice], _ exactly: (CaptureDevice) -> Bool, _ roughly: (CaptureDevice) -> Bool
    ) -> [CaptureDevice] {
        let exact = devices.filter(exactly)
        return exact.isEmpty ? devices.filter(roughly) : exact
    }

    private static func rest(of selector: String, after prefix: String) -> String? {
        selector.hasPrefix(prefix) ? String(selector.dropFirst(prefix.count)) : nil
    }
}
