/// Properties that identify a device across reconnections, reboots, and ports.
public struct DeviceIdentity: Sendable, Hashable, Codable {
    /// USB path starting at the controller, for example `pci-0000:00:14.0-usb-0:2:1.0`; empty for other
    /// buses.
    package let busPath: String
    /// USB vendor and product IDs, `046d:082d`; empty if unavailable.
    package let product: String
    /// Serial number; empty for devices without one.
    package let serial: String
    /// Name that the device reports.
    package let name: String

    private enum CodingKeys: String, CodingKey {
        case busPath = "bus_path"
        case product, serial, name
    }

    /// Creates an identity; properties that the device doesn't have remain empty.
    package init(busPath: String = "", product: String = "", serial: String = "", name: String) {
        self.busPath = busPath
        self.product = product
        self.serial = serial
        self.name = name
    }

    /// Whether both identities belong to functions of one USB device, such as the camera and the microphone
    /// of a webcam. The bus paths of such functions differ only in the interface.
    package func isSameUSBDevice(as other: Self) -> Bool {
        guard let own = busPath.lastIndex(of: ":"), let its = other.busPath.lastIndex(of: ":") else {
            return false
        }
        return busPath.contains("usb") && busPath[..<own] == other.busPath[..<its] && product == other.product
    }
}

extension DeviceIdentity: CustomStringConvertible {
    /// Single string for manifests and logs: `usb:<path> <product> serial:<serial>`, or the device's name if
    /// the path, product, and serial number are unknown.
    public var description: String {
        var parts: [String] = []
        if !busPath.isEmpty { parts.append("usb:\(busPath)") }
        if !product.isEmpty { parts.append(product) }
        if !serial.isEmpty { parts.append("serial:\(serial)") }
        return parts.isEmpty ? name : parts.joined(separator: " ")
    }
}

/// Result of searching for a known device among the connected devices.
package enum DeviceSearch: Sendable, Equatable {
    /// The device is connected. `isElsewhere` indicates that the device is on a different port than before.
    case found(CaptureDevice, isElsewhere: Bool)
    /// Several identical devices without serial numbers match: none is on the previous port, or they can't be
    /// distinguished by port.
    case ambiguous([CaptureDevice])
    /// No connected device matches.
    case absent
}

extension DeviceIdentity {
    /// Finds the device with this identity again after a reconnection or reboot, on the same port or a
    /// different one.
    ///
    /// A serial number identifies a device on any port. If a device has no serial number, or shares its
    /// serial number with other devices, the port distinguishes identical devices. On a new port, such a
    /// device is recognized only if no other connected device is identical. This method is a pure function.
    ///
    /// - Parameter devices: Connected devices of the same media type, except those already identified as
    ///   other devices.
    /// - Returns: The result of the search, which never contains a device with another product ID or serial
    ///   number.
    package func search(among devices: [CaptureDevice]) -> DeviceSearch {
        let fitting = devices.filter { isSameKind(as: $0.identity) && $0.identity.serial == serial }
        let home = fitting.filter { $0.identity.busPath == busPath }
        if home.count > 1 { return .ambiguous(home) }
        if let only = home.first { return .found(only, isElsewhere: false) }
        guard let only = fitting.first else { return .absent }
        return fitting.count == 1 ? .found(only, isElsewhere: true) : .ambiguous(fitting)
    }

    /// Finds several known devices at once. A device that is still on the port of one identity isn't matched
    /// to another identity whose device may have moved.
    ///
    /// - Parameters:
    ///   - known: Identities of one media type.
    ///   - devices: Connected devices of that media type.
    /// - Returns: The search result for each identity, in the order of `known`.
    package static func search(for known: [DeviceIdentity], among devices: [CaptureDevice]) -> [DeviceSearch]
    {
        let atHome = known.map { $0.search(among: devices) }
        let homes = Set(
            atHome.compactMap { result in
                if case .found(let device, isElsewhere: false) = result { device } else { nil }
            })
        return zip(known, atHome).map { identity, result in
            if case .found(_, isElsewhere: false) = result { return result }
            return identity.search(among: devices.filter { !homes.contains($0) })
        }
    }

    /// Whether the two devices differ only in their port: same kind, same serial number or none, different
    /// bus path.
    package func differsOnlyInPort(from other: DeviceIdentity) -> Bool {
        isSameKind(as: other) && serial == other.serial && busPath != other.busPath
    }

    /// Whether both devices have the same make and model and, for a device with several cameras, the same
    /// interface.
    private func isSameKind(as other: DeviceIdentity) -> Bool {
        product == other.product && name == other.name && interface == other.interface
    }

    /// Part of the bus path after the port: `1.0` in `pci-0000:00:14.0-usb-0:2:1.0`. The result is empty if
    /// the bus path doesn't contain an interface.
    private var interface: Substring {
        guard busPath.contains("usb"), let colon = busPath.lastIndex(of: ":") else { return "" }
        return busPath[busPath.index(after: colon)...]
    }
}
