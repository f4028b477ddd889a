internal import Capture
internal import FoundationEssentials
internal import Glibc
internal import Media

/// Reads the facts of the computer and the devices for a certificate: from proc and sysfs, without opening a device.
struct StressMachine {
    /// The path prefix of `/sys` and `/proc`; another folder in tests.
    let root: String

    init(root: String = "") {
        self.root = root
    }

    var machine: StressCertificate.Machine {
        var name = utsname()
        uname(&name)
        let system = withUnsafeBytes(of: &name.sysname) { Self.word($0) }
        let release = withUnsafeBytes(of: &name.release) { Self.word($0) }
        let host = withUnsafeBytes(of: &name.nodename) { Self.word($0) }
        let controllers = USBTree(sysfs: root + "/sys").buses.map {
            StressCertificate.Controller(name: $0.controller, bus: $0.name, megabits: $0.speed?.rawValue)
        }
        return StressCertificate.Machine(
            host: host, system: "\(system) \(release)", processor: field("model name", of: "/proc/cpuinfo"),
            processors: ProcessInfo.processInfo.processorCount,
            memory_bytes: field("MemTotal", of: "/proc/meminfo").flatMap { text in
                text.split(separator: " ").first.flatMap { Int64($0) }.map { $0 * 1024 }
            }, controllers: controllers)
    }

    /// The certificate's entry of a device.
    ///
    /// - Parameters:
    ///   - role: The device's role.
    ///   - device: The device as it was found.
    ///   - offer: The formats of a camera; `nil` for a microphone.
    /// - Returns: The entry.
    func device(_ role: String, _ device: CaptureDevice, offer: StressOffer?) -> StressCertificate.Device {
        let isNode = device.node.hasPrefix("/dev/")
        let usb =
            isNode
            ? VideoNode.all(sysfs: root + "/sys").first { $0.node == device.node }?.usbDevice : nil
        let formats = (offer?.modes ?? []).map { mode in
            "\(mode.pixel.rawValue) \(mode.size) at \(mode.rates.map(\.description).joined(separator: "/"))"
        }
        return StressCertificate.Device(
            role: role, kind: device.mediaType == .video ? "camera" : "microphone",
            name: device.name.printable(),
            identity: device.identity.description.printable(),
            selector: device.selector.printable(limit: 400),
            product: device.identity.product.isEmpty ? nil : device.identity.product.printable(),
            firmware: usb.flatMap { Paths.text("\($0)/bcdDevice") }.map { $0.printable() },
            controller: device.controller?.printable(), megabits: device.busSpeed, formats: formats)
    }

    /// The value of the first line `name : value` in a file of proc.
    private func field(_ name: String, of file: String) -> String? {
        let bytes = Paths.bytes(root + file, atMost: 1 << 16) ?? []
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix(name) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { return parts[1].trimmed.printable() }
        }
        return nil
    }

    private static func word(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).printable()
    }
}
