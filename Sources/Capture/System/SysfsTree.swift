import Glibc
import MulticamMedia

/// Reads the location of devices from sysfs. Returns the same data with or without udev, in containers, and in a
/// synthetic tree for tests.
package struct SysfsTree: Sendable {
    /// Mount point of sysfs.
    package let root: String

    /// Creates a reader for the sysfs at `root`.
    package init(root: String = "/sys") {
        self.root = root
    }

    /// Returns the directories of the video nodes, without links, ordered by node number.
    func videoNodes() -> [String] {
        let folder = "\(root)/class/video4linux"
        return Paths.entries(of: folder).compactMap { Paths.resolved("\(folder)/\($0)") }
            .sorted { (Self.number(of: $0), $0) < (Self.number(of: $1), $1) }
    }

    /// Returns the names of the video nodes in `class/video4linux`, ordered by number, with their instance
    /// numbers. Makes one system call per node.
    func videoNodeNames() -> [(name: String, instance: UInt64)] {
        let folder = "\(root)/class/video4linux"
        return Paths.entries(of: folder).sorted { (Self.number(of: $0), $0) < (Self.number(of: $1), $1) }
            .compactMap { name in instance(of: "\(folder)/\(name)").map { (name, $0) } }
    }

    /// Returns the directory of a video node, without links; `nil` if the node is gone.
    func folder(ofVideoNode name: String) -> String? {
        Paths.resolved("\(root)/class/video4linux/\(name)")
    }

    /// Returns the USB device that contains `path`: the nearest directory, including `path`, with an `idVendor` file.
    ///
    /// - Parameter path: Path with or without the root prefix; PulseAudio's `sysfs.path` has no prefix.
    /// - Returns: The directory without links, equal for all parts of one USB device; `nil` for a device that isn't on
    ///   a USB bus.
    package func usbDevice(of path: String) -> String? {
        let canonicalRoot = Paths.resolved(root) ?? root
        let full =
            path.hasPrefix("\(root)/") || path.hasPrefix("\(canonicalRoot)/") ? path : "\(root)/\(path)"
        return ancestors(full).first { Paths.exists("\($0)/idVendor") && isDevice($0) }
    }

    /// Returns a directory and its parents up to the root, without links.
    func ancestors(_ path: String) -> [String] {
        let canonicalRoot = Paths.resolved(root) ?? root
        guard var folder = Paths.resolved(path) else { return [] }
        var result: [String] = []
        while folder.hasPrefix("\(canonicalRoot)/") {
            result.append(folder)
            folder = Paths.parent(folder)
        }
        return result
    }

    /// Returns the content of an attribute file; `nil` if it is missing or empty.
    func attribute(_ name: String, of folder: String) -> String? {
        Paths.text("\(folder)/\(name)").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the value of a key in a device's `uevent` file.
    func ueventValue(_ key: String, of folder: String) -> String? {
        attribute("uevent", of: folder)?.split(separator: "\n").first { $0.hasPrefix("\(key)=") }
            .map { String($0.dropFirst(key.utf8.count + 1)) }
    }

    /// Returns the directory of a USB device's controller: the parent of `usb1`, `usb2`, ….
    func controller(ofUSBDevice folder: String) -> String? {
        ancestors(folder).first { isRootHub(Paths.name($0)) }.map(Paths.parent)
    }

    /// Returns the bus path as built by udev's path_id, such as `pci-0000:00:14.0-usb-0:2:1.0` for interface `1-2:1.0`.
    /// The path contains the controller's parent if relevant, as in
    /// `platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.3:1.0`.
    ///
    /// The result equals udev's path, so a device has the same identity with and without udev.
    func busPath(ofUSBInterface interface: String) -> String? {
        guard let controller = controller(ofUSBDevice: interface),
            let dash = Paths.name(interface).firstIndex(of: "-")
        else { return nil }
        let port = Paths.name(interface)[Paths.name(interface).index(after: dash)...]
        var parts = ["usb-0:\(port)"]
        var previous: String?
        for folder in ancestors(controller) {
            // If several directories of one subsystem follow each other, such as bridges, only the one nearest to the
            // device is used. Directories without a subsystem, such as `pci0000:00`, are skipped.
            guard let subsystem = Paths.link("\(folder)/subsystem").map(Paths.name) else { continue }
            if subsystem != previous, ["pci", "platform", "acpi"].contains(subsystem) {
                parts.insert("\(subsystem)-\(Paths.name(folder))", at: 0)
            }
            previous = subsystem
        }
        if parts.count == 1 { parts.insert("platform-\(Paths.name(controller))", at: 0) }
        return parts.joined(separator: "-")
    }

    /// Returns a number that identifies a device's directory during its lifetime. No later device at the same path gets
    /// the same number, because kernfs numbers its nodes. Returns `nil` if the directory doesn't exist.
    func instance(of folder: String) -> UInt64? {
        var facts = stat()
        return stat(folder, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }

    /// Whether the directory belongs to a device other than a root hub. Root hubs also have an `idVendor`
    /// file, but they aren't capture devices.
    private func isDevice(_ folder: String) -> Bool { !isRootHub(Paths.name(folder)) }

    func isRootHub(_ name: String) -> Bool {
        name.hasPrefix("usb") && name.count > 3 && name.dropFirst(3).allSatisfy { ("0"..."9").contains($0) }
    }

    private static func number(of folder: String) -> Int {
        Int(Paths.name(folder).drop { !("0"..."9").contains($0) }) ?? .max
    }
}
