/// The result of a search for one known device among the connected ones.
public enum DeviceSearch: Sendable, Equatable {
    /// The device is connected. `isElsewhere` tells whether it is at another port than before.
    case found(CaptureDevice, isElsewhere: Bool)
    /// The device could be any of several identical ones without serial numbers: none is at the port where it was, or they
    /// have no ports to tell them apart.
    case ambiguous([CaptureDevice])
    /// No connected device can be the one that is sought.
    case absent
}

extension DeviceIdentity {
    /// Finds the device with this identity again, after a replug or a reboot, at the same port or another.
    ///
    /// A serial number identifies a device at any port. Without one, or where makers gave the same number to many, the port
    /// decides between identical devices; at a new port a device is recognised only if it is the only one of its kind.
    /// Pure.
    ///
    /// - Parameter devices: Connected devices of the same media type, without those that are known to be others.
    /// - Returns: Never a device with another product number or another serial number.
    public func search(among devices: [CaptureDevice]) -> DeviceSearch {
        let fitting = devices.filter { isSameKind(as: $0.identity) && $0.identity.serial == serial }
        let home = fitting.filter { $0.identity.busPath == busPath }
        if home.count > 1 { return .ambiguous(home) }
        if let only = home.first { return .found(only, isElsewhere: false) }
        guard let only = fitting.first else { return .absent }
        return fitting.count == 1 ? .found(only, isElsewhere: true) : .ambiguous(fitting)
    }

    /// Finds several known devices at once: a device that one of them finds at its own port is not taken for another that
    /// moved.
    ///
    /// - Parameters:
    ///   - known: Identities of one media type.
    ///   - devices: Connected devices of that media type.
    /// - Returns: The result of each search, in the order of `known`.
    public static func search(for known: [DeviceIdentity], among devices: [CaptureDevice]) -> [DeviceSearch] {
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

    /// Whether only the port tells the two devices apart: same kind, same serial number or none, different bus path.
    public func isTwin(of other: DeviceIdentity) -> Bool {
        isSameKind(as: other) && serial == other.serial && busPath != other.busPath
    }

    /// Whether both have the same make and model and, where one device holds several cameras, the same interface.
    private func isSameKind(as other: DeviceIdentity) -> Bool {
        product == other.product && name == other.name && interface == other.interface
    }

    /// The part of the bus path behind the port: `1.0` in `pci-0000:00:14.0-usb-0:2:1.0`. Empty where there is none.
    private var interface: Substring {
        guard busPath.contains("usb"), let colon = busPath.lastIndex(of: ":") else { return "" }
        return busPath[busPath.index(after: colon)...]
    }
}
