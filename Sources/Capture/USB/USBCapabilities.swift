/// Reads a device's capabilities at other ports from its BOS descriptor (USB 3.2, 9.6.2).
enum USBCapabilities {
    /// Whether the device supports SuperSpeed, at whatever speed it runs now. `bytes` are sysfs's `bos_descriptors`; no
    /// content traps.
    static func includesSuperSpeed(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 5, bytes[1] == 0x0F, bytes[0] >= 5 else { return false }
        var position = Int(bytes[0])
        while position + 3 <= bytes.count {
            let length = Int(bytes[position])
            guard length >= 3, position + length <= bytes.count else { return false }
            // Device capability: SuperSpeed (3) or SuperSpeedPlus (10).
            if bytes[position + 1] == 0x10, [3, 10].contains(bytes[position + 2]) { return true }
            position += length
        }
        return false
    }
}
