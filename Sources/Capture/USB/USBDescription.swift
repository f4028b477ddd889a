/// The descriptors of a USB device: its USB version, and the alternate settings of its interfaces.
package struct USBDescription: Sendable, Hashable {
    /// USB version in binary-coded decimal, `bcdUSB`: 0x0200, 0x0210, 0x0320.
    package let version: UInt16
    /// Alternate settings of the first configuration, in the device's order. Devices with several configurations are
    /// set by their maker's driver.
    package let settings: [USBInterfaceSetting]

    /// Most bytes of a device descriptor and a configuration, whose length has 16 bits.
    static let mostBytes = 18 + 65_535

    /// Alternate settings of the interfaces that stream frames, by interface number.
    package var videoStreams: [Int: [USBInterfaceSetting]] {
        Dictionary(grouping: settings.filter(\.isVideoStreaming), by: \.interface)
    }

    /// Whether the device has a video interface.
    package var hasVideo: Bool { settings.contains { $0.classCode == USBInterfaceSetting.video } }

    /// The alternate setting with the given interface and alternate numbers, if any.
    package func setting(_ interface: Int, alternate: Int) -> USBInterfaceSetting? {
        settings.first { $0.interface == interface && $0.alternate == alternate }
    }

    /// Reads sysfs's `descriptors`: the device's, then its configurations.
    ///
    /// Devices write these bytes, so any content yields what can be read of it. A descriptor of an impossible length
    /// ends the reading.
    ///
    /// - Returns: `nil` where there is no device descriptor.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 18, bytes[0] >= 18, bytes[1] == Kind.device else { return nil }
        version = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
        var reader = Reader()
        var position = Int(bytes[0])
        while position + 2 <= bytes.count, !reader.isComplete {
            let length = Int(bytes[position])
            guard length >= 2, position + length <= bytes.count else { break }
            reader.take(bytes[position..<(position + length)])
            position += length
        }
        settings = reader.settings
    }

    /// Values of `bDescriptorType` (USB 2.0, table 9-5; USB 3.2, table 9-6).
    private enum Kind {
        static let device: UInt8 = 1
        static let configuration: UInt8 = 2
        static let interface: UInt8 = 4
        static let endpoint: UInt8 = 5
        static let classInterface: UInt8 = 0x24
        static let superSpeedCompanion: UInt8 = 0x30
        static let superSpeedPlusCompanion: UInt8 = 0x31
    }

    /// Assembles alternate settings from descriptors, one after the other.
    private struct Reader {
        private(set) var settings: [USBInterfaceSetting] = []
        private var configurations = 0
        /// Whether the second configuration has begun.
        var isComplete: Bool { configurations > 1 }

        mutating func take(_ descriptor: ArraySlice<UInt8>) {
            let bytes = Array(descriptor)
            switch bytes[1] {
            case Kind.configuration: configurations += 1
            case Kind.interface where bytes.count >= 9:
                settings.append(
                    USBInterfaceSetting(
                        interface: Int(bytes[2]), alternate: Int(bytes[3]), classCode: bytes[5],
                        subclass: bytes[6],
                        endpoints: []))
            case Kind.endpoint where bytes.count >= 7: addEndpoint(bytes)
            case Kind.superSpeedCompanion where bytes.count >= 6:
                setSuperSpeedBytes(Int(bytes[4]) | Int(bytes[5]) << 8)
            case Kind.superSpeedPlusCompanion where bytes.count >= 8:
                setSuperSpeedBytes((4...7).reduce(0) { $0 | Int(bytes[$1]) << (8 * ($1 - 4)) })
            case Kind.classInterface where bytes.count >= 12 && bytes[2] == 1:
                // The header of video control; other classes have other headers.
                guard let last = settings.indices.last, settings[last].isVideoControl else { return }
                settings[last].streamingInterfaces = bytes.dropFirst(12).prefix(Int(bytes[11])).map {
                    Int($0)
                }
            case Kind.classInterface where bytes.count >= 8 && bytes[2] == 2:
                // An input terminal of video control.
                guard let last = settings.indices.last, settings[last].isVideoControl else { return }
                settings[last].inputTerminals.append(UInt16(bytes[4]) | UInt16(bytes[5]) << 8)
            default: break
            }
        }

        private mutating func addEndpoint(_ bytes: [UInt8]) {
            guard let last = settings.indices.last,
                let transfer = USBEndpoint.Transfer(rawValue: bytes[3] & 3)
            else { return }
            let size = UInt16(bytes[4]) | UInt16(bytes[5]) << 8
            settings[last].endpoints.append(
                USBEndpoint(
                    address: bytes[2], transfer: transfer, packetSize: Int(size & 0x7FF),
                    // Bits 11 and 12 are the packets beyond the first; 3 is reserved and counts as the most that is allowed.
                    packets: min(Int(size >> 11 & 3), 2) + 1, interval: bytes[6], superSpeedBytes: nil))
        }

        /// Adds a companion descriptor to the endpoint before it.
        private mutating func setSuperSpeedBytes(_ count: Int) {
            guard let last = settings.indices.last, let endpoint = settings[last].endpoints.popLast() else {
                return
            }
            settings[last].endpoints.append(
                USBEndpoint(
                    address: endpoint.address, transfer: endpoint.transfer, packetSize: endpoint.packetSize,
                    packets: endpoint.packets, interval: endpoint.interval, superSpeedBytes: count))
        }
    }
}
