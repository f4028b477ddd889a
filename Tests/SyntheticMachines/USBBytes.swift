/// Builds USB descriptors as sent by devices.
package struct USBBytes {
    package private(set) var bytes: [UInt8]

    /// - Parameter version: The value of the field `bcdUSB`.
    package init(version: UInt16 = 0x0200) {
        bytes = [18, 1] + Self.two(version) + [0xEF, 2, 1, 64, 0x6D, 0x04, 0x2D, 0x08, 0, 1, 1, 2, 3, 1]
        bytes += [9, 2, 0, 0, 4, 1, 0, 0x80, 250]
    }

    package mutating func interface(
        _ number: UInt8, alternate: UInt8 = 0, classCode: UInt8, subclass: UInt8, endpoints: UInt8 = 0
    ) {
        bytes += [9, 4, number, alternate, endpoints, classCode, subclass, 0, 0]
    }

    /// Adds the header of a video control interface.
    package mutating func videoHeader(streaming: [UInt8]) {
        let length = UInt8(12 + streaming.count)
        bytes += [length, 0x24, 1, 0x10, 1, length, 0, 0, 0, 0, 0, UInt8(streaming.count)] + streaming
    }

    /// Adds an isochronous IN endpoint with the given number of packets per microframe.
    package mutating func isochronous(size: UInt16, packets: UInt16 = 1, interval: UInt8 = 1) {
        bytes += [7, 5, 0x81, 5] + Self.two(size | (packets - 1) << 11) + [interval]
    }

    package mutating func companion(burst: UInt8, mult: UInt8, bytesPerInterval: UInt16) {
        bytes += [6, 0x30, burst, mult] + Self.two(bytesPerInterval)
    }

    package mutating func raw(_ more: [UInt8]) { bytes += more }

    private static func two(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

    /// Returns the descriptors of a USB 2 webcam. Interface 0 is video control. Interface 1 is video
    /// streaming with one alternate setting per payload (in addition to 0). Interfaces 2 and 3 are a
    /// microphone with 192 bytes per millisecond.
    package static func webcam(
        payloads: [Int] = [192, 512, 1024, 1600, 2048, 3072], version: UInt16 = 0x0200
    )
        -> [UInt8]
    {
        var device = USBBytes(version: version)
        device.interface(0, classCode: 14, subclass: 1)
        device.videoHeader(streaming: [1])
        device.interface(1, classCode: 14, subclass: 2)
        for (index, payload) in payloads.enumerated() {
            let packets = UInt16((payload + 1023) / 1024)
            device.interface(1, alternate: UInt8(index + 1), classCode: 14, subclass: 2, endpoints: 1)
            device.isochronous(size: UInt16(payload) / packets, packets: packets)
        }
        device.interface(2, classCode: 1, subclass: 1)
        device.interface(3, classCode: 1, subclass: 2)
        device.interface(3, alternate: 1, classCode: 1, subclass: 2, endpoints: 1)
        device.isochronous(size: 192, interval: 4)
        return device.bytes
    }

    /// Returns the descriptors of a USB 3 camera at SuperSpeed. The bandwidth of its alternate settings
    /// depends on the endpoint companions.
    package static func superSpeedCamera(bytesPerInterval: [UInt16] = [1024, 16_384, 49_152]) -> [UInt8] {
        var device = USBBytes(version: 0x0320)
        device.interface(0, classCode: 14, subclass: 1)
        device.videoHeader(streaming: [1])
        device.interface(1, classCode: 14, subclass: 2)
        for (index, bytes) in bytesPerInterval.enumerated() {
            device.interface(1, alternate: UInt8(index + 1), classCode: 14, subclass: 2, endpoints: 1)
            device.isochronous(size: 1024)
            device.companion(burst: 15, mult: 2, bytesPerInterval: bytes)
        }
        return device.bytes
    }

    /// Returns a BOS descriptor with the given device capabilities: 2 is the USB 2 extension, 3 is
    /// SuperSpeed.
    package static func capabilities(_ kinds: [UInt8]) -> [UInt8] {
        let list = kinds.flatMap {
            $0 == 3 ? [10, 0x10, 3, 0, 0x0E, 0, 1, 10, 0xFF, 7] : [7, 0x10, $0, 2, 0, 0, 0]
        }
        return [5, 0x0F, UInt8(5 + list.count), 0, UInt8(kinds.count)] + list
    }
}
