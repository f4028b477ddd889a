package import MulticamMedia

/// Descriptors of a USB device: its USB version and the alternate settings of its interfaces.
package struct USBDescription: Sendable, Hashable {
    /// USB version in binary-coded decimal (`bcdUSB`), such as 0x0200, 0x0210, or 0x0320.
    package let version: UInt16
    /// Alternate settings of the first configuration, in device order. Devices with several configurations need the
    /// vendor's driver.
    package let settings: [USBInterfaceSetting]

    /// Maximum size in bytes of a device descriptor and a configuration. The length field of a configuration has 16
    /// bits.
    static let mostBytes = 18 + 65_535

    /// Alternate settings of the video streaming interfaces, by interface number.
    package var videoStreams: [Int: [USBInterfaceSetting]] {
        Dictionary(grouping: settings.filter(\.isVideoStreaming), by: \.interface)
    }

    /// Whether the device has a video interface.
    package var hasVideo: Bool { settings.contains { $0.classCode == USBInterfaceSetting.video } }

    /// Returns the alternate setting with the given interface and alternate numbers, if any.
    package func setting(_ interface: Int, alternate: Int) -> USBInterfaceSetting? {
        settings.first { $0.interface == interface && $0.alternate == alternate }
    }

    /// Parses sysfs's `descriptors`: the device descriptor, followed by its configurations.
    ///
    /// The bytes are untrusted. Any content is accepted, and the valid part of the content is used. Parsing stops at a
    /// descriptor with an invalid length.
    ///
    /// - Returns: `nil` if there is no device descriptor.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 18, bytes[0] >= 18, bytes[1] == Kind.device else { return nil }
        version = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
        var reader = Reader()
        var position = Int(bytes[0])
        while position + 2 <= bytes.count, !reader.isComplete {
            let length = Int(bytes[position])
            guard length >= 2, position + length <= bytes.count else { break }
            reader.parse(bytes[position..<(position + length)])
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

    /// Builds alternate settings from a sequence of descriptors.
    private struct Reader {
        private(set) var settings: [USBInterfaceSetting] = []
        private var configurations = 0
        /// Whether the second configuration has started.
        var isComplete: Bool { configurations > 1 }

        mutating func parse(_ descriptor: ArraySlice<UInt8>) {
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
                // Video control header. Other USB classes have different headers.
                guard let last = settings.indices.last, settings[last].isVideoControl else { return }
                settings[last].streamingInterfaces = bytes.dropFirst(12).prefix(Int(bytes[11])).map {
                    Int($0)
                }
            case Kind.classInterface where bytes.count >= 8 && bytes[2] == 2:
                // Input terminal of a video control interface.
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
                    // Bits 11 and 12 hold the number of additional packets. The reserved value 3 is treated as the
                    // maximum.
                    packets: min(Int(size >> 11 & 3), 2) + 1, interval: bytes[6], superSpeedBytes: nil))
        }

        /// Applies a companion descriptor to the preceding endpoint.
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

/// An alternate setting of an interface.
package struct USBInterfaceSetting: Sendable, Hashable {
    /// Class code of video (UVC 1.5, A.1).
    package static let video: UInt8 = 0x0E

    /// Interface number.
    package let interface: Int
    /// Alternate setting number.
    package let alternate: Int
    /// USB class code of the setting.
    package let classCode: UInt8
    /// USB subclass code of the setting.
    package let subclass: UInt8
    /// Endpoints of the setting, except endpoint 0.
    package var endpoints: [USBEndpoint]
    /// Numbers of the streaming interfaces of a video control interface (UVC 1.5, table 3-3); empty for other
    /// interfaces.
    package var streamingInterfaces: [Int] = []
    /// Frame sources of a video control interface: `wTerminalType` of its input terminals (UVC 1.5, tables 3-4 and B-2
    /// to B-4); empty for other interfaces.
    package var inputTerminals: [UInt16] = []

    /// Whether the interface controls a camera.
    package var isVideoControl: Bool { classCode == Self.video && subclass == 1 }
    /// Whether the interface streams frames.
    package var isVideoStreaming: Bool { classCode == Self.video && subclass == 2 }

    /// Returns the bandwidth that the setting reserves while it is selected. Excludes interrupt endpoints, which
    /// reserve little bandwidth.
    package func reservations(at speed: USBSpeed) -> [USBReservation] {
        endpoints.filter { $0.transfer == .isochronous && $0.bytes(at: speed) > 0 }
            .map { $0.reservation(at: speed) }
    }
}

/// An endpoint of an alternate setting, with its capacity and interval.
package struct USBEndpoint: Sendable, Hashable {
    /// Transfer type, in the order of the lowest two bits of `bmAttributes` (USB 2.0, table 9-13).
    package enum Transfer: UInt8, Sendable { case control, isochronous, bulk, interrupt }

    /// Endpoint number, with bit 0x80 set if the endpoint sends data to the computer.
    package let address: UInt8
    /// Transfer type of the endpoint.
    package let transfer: Transfer
    /// Packet size in bytes, 0…2047.
    package let packetSize: Int
    /// Packets per microframe at high speed, 1…3.
    package let packets: Int
    /// The descriptor's `bInterval`, not validated.
    package let interval: UInt8
    /// Bytes per service interval at SuperSpeed, from the endpoint companion descriptor; `nil` if none.
    package let superSpeedBytes: Int?

    /// Whether the endpoint sends data to the computer.
    package var isInput: Bool { address & 0x80 != 0 }

    /// Returns the maximum number of bytes that the bus reserves for the endpoint per interval. The result is
    /// valid only for periodic endpoints.
    package func bytes(at speed: USBSpeed) -> Int {
        switch speed {
        case .low, .full: packetSize
        case .high: packetSize * packets
        case .superSpeed, .superPlus, .superPlusByTwo: superSpeedBytes ?? packetSize
        }
    }

    /// Returns the interval in microframes of 125 µs: 1…32 768 at high speed and above, 8…262 144 at lower
    /// speeds, where a frame has eight microframes.
    package func microframes(at speed: USBSpeed) -> Int {
        // The standard allows values from 1 to 16. Larger values are handled as in the kernel.
        let power = 1 << (Int(min(max(interval, 1), 16)) - 1)
        switch speed {
        case .low, .full: return 8 * (transfer == .isochronous ? power : Int(max(interval, 1)))
        case .high, .superSpeed, .superPlus, .superPlusByTwo: return power
        }
    }

    /// Returns the bandwidth that the endpoint reserves at a given speed.
    package func reservation(at speed: USBSpeed) -> USBReservation {
        let bytes = bytes(at: speed)
        return USBReservation(
            bytes: bytes, microframes: microframes(at: speed), packets: speed == .high ? packets : nil)
    }
}

/// Reads a device's capabilities, including those not used at its current port, from its BOS descriptor (USB 3.2,
/// 9.6.2).
enum USBCapabilities {
    /// Returns whether the device supports SuperSpeed, regardless of its current speed. `bytes` is the
    /// content of sysfs's `bos_descriptors`; invalid content doesn't cause a trap.
    static func includesSuperSpeed(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 5, bytes[1] == 0x0F, bytes[0] >= 5 else { return false }
        var position = Int(bytes[0])
        while position + 3 <= bytes.count {
            let length = Int(bytes[position])
            guard length >= 3, position + length <= bytes.count else { return false }
            // A device capability descriptor for SuperSpeed (3) or SuperSpeedPlus (10).
            if bytes[position + 1] == 0x10, [3, 10].contains(bytes[position + 2]) { return true }
            position += length
        }
        return false
    }
}
