/// The properties by which a device is recognised across replugs, reboots and ports.
public struct DeviceIdentity: Sendable, Hashable, Codable {
    /// The USB path from the controller on, for example `pci-0000:00:14.0-usb-0:2:1.0`; empty where there is none.
    public let busPath: String
    /// The USB vendor and product numbers, `046d:082d`; empty where there are none.
    public let product: String
    /// The serial number; empty where the device has none.
    public let serial: String
    /// The name that the device gives itself.
    public let name: String

    /// Makes an identity; what the device does not have stays empty.
    public init(busPath: String = "", product: String = "", serial: String = "", name: String) {
        self.busPath = busPath
        self.product = product
        self.serial = serial
        self.name = name
    }

    /// Whether both are functions of one USB device, such as the camera and the microphone of a webcam: their paths differ in
    /// the interface alone.
    package func isFunction(of other: Self) -> Bool {
        guard let own = busPath.lastIndex(of: ":"), let its = other.busPath.lastIndex(of: ":") else {
            return false
        }
        return busPath.contains("usb") && busPath[..<own] == other.busPath[..<its] && product == other.product
    }
}

extension DeviceIdentity: CustomStringConvertible {
    /// One text for manifests and logs: `usb:<path> <product> serial:<serial>`, or the name where none of them is known.
    public var description: String {
        var parts: [String] = []
        if !busPath.isEmpty { parts.append("usb:\(busPath)") }
        if !product.isEmpty { parts.append(product) }
        if !serial.isEmpty { parts.append("serial:\(serial)") }
        return parts.isEmpty ? name : parts.joined(separator: " ")
    }
}
