/// What a search for one known device among those present came to.
public enum DeviceSearch: Sendable, Equatable {
    /// It is there. `isElsewhere` when it is at another port than before.
    case found(CaptureDevice, isElsewhere: Bool)
    /// It could be any of several, none of them at the port where it was: identical devices without serial numbers.
    case ambiguous([CaptureDevice])
    case absent
}

extension DeviceIdentity {
    /// Finds the device with this identity again, after a replug or a reboot, at the same port or another.
    ///
    /// A serial number tells a device at any port. Without one, or where makers gave the same to many, the port decides
    /// between identical ones; at a new port a device is recognised only if it is the only one of its kind. Pure.
    ///
    /// - Parameter devices: Present ones of the same media type, without those that are known to be others.
    /// - Returns: Never a device with another product number or another serial number.
    public func search(among devices: [CaptureDevice]) -> DeviceSearch {
        let fitting = devices.filter { isSameKind(as: $0.identity) && $0.identity.serial == serial }
        if let home = fitting.first(where: { $0.identity.busPath == busPath }) {
            return .found(home, isElsewhere: false)
        }
        guard let only = fitting.first else { return .absent }
        return fitting.count == 1 ? .found(only, isElsewhere: true) : .ambiguous(fitting)
    }

    /// Whether only the port can tell the two apart.
    public func isTwin(of other: DeviceIdentity) -> Bool {
        isSameKind(as: other) && serial == other.serial && busPath != other.busPath
    }

    /// The same make and model and, where one device holds several cameras, the same of them.
    private func isSameKind(as other: DeviceIdentity) -> Bool {
        product == other.product && name == other.name && interface == other.interface
    }

    /// The part of the bus path behind the port: `1.0` in `pci-0000:00:14.0-usb-0:2:1.0`. Empty where there is none.
    private var interface: Substring {
        guard busPath.contains("usb"), let colon = busPath.lastIndex(of: ":") else { return "" }
        return busPath[busPath.index(after: colon)...]
    }
}
