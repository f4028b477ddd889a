/// What makes a device itself across replugs, reboots and ports.
public struct DeviceIdentity: Sendable, Hashable, Codable {
    /// The USB path from the controller on, for example `pci-0000:00:14.0-usb-0:2:1.0`; empty where there is none.
    public let busPath: String
    /// `046d:082d`; empty where there is none.
    public let product: String
    /// Empty where the device has none.
    public let serial: String
    public let name: String

    public init(busPath: String = "", product: String = "", serial: String = "", name: String) {
        self.busPath = busPath
        self.product = product
        self.serial = serial
        self.name = name
    }
}

extension DeviceIdentity: CustomStringConvertible {
    /// One word for manifests and logs: `usb:<path> <product> serial:<serial>`, or the name.
    public var description: String {
        var parts: [String] = []
        if !busPath.isEmpty { parts.append("usb:\(busPath)") }
        if !product.isEmpty { parts.append(product) }
        if !serial.isEmpty { parts.append("serial:\(serial)") }
        return parts.isEmpty ? name : parts.joined(separator: " ")
    }
}
