import Glibc
import Media

/// Reads the place of devices from sysfs: the same facts with or without udev, in containers, and in a synthetic tree
/// for tests.
package struct SysfsTree: Sendable {
    /// Where sysfs is mounted.
    package let root: String

    /// Reads the sysfs below `root`.
    package init(root: String = "/sys") {
        self.root = root
    }

    /// Folders of the video nodes, without links, ordered by node number.
    func videoNodes() -> [String] {
        let folder = "\(root)/class/video4linux"
        return Paths.entries(of: folder).compactMap { Paths.resolved("\(folder)/\($0)") }
            .sorted { (Self.number(of: $0), $0) < (Self.number(of: $1), $1) }
    }

    /// Names of the video nodes in `class/video4linux`, ordered by number, with their instances. Costs a system call
    /// per node.
    func videoNodeNames() -> [(name: String, instance: UInt64)] {
        let folder = "\(root)/class/video4linux"
        return Paths.entries(of: folder).sorted { (Self.number(of: $0), $0) < (Self.number(of: $1), $1) }
            .compactMap { name in instance(of: "\(folder)/\(name)").map { (name, $0) } }
    }

    /// Folder of a video node, without links; `nil` when the node is gone.
    func folder(ofVideoNode name: String) -> String? {
        Paths.resolved("\(root)/class/video4linux/\(name)")
    }

    /// The nearest folder above (or at) `path` that is a USB device, which has an `idVendor` file.
    ///
    /// - Parameter path: Path with or without the root in front; PulseAudio's `sysfs.path` is without.
    /// - Returns: The folder without links, equal for all parts of one USB device; `nil` for a device that is on no USB
    ///   bus.
    package func usbDevice(of path: String) -> String? {
        let canonicalRoot = Paths.resolved(root) ?? root
        let full =
            path.hasPrefix("\(root)/") || path.hasPrefix("\(canonicalRoot)/") ? path : "\(root)/\(path)"
        return ancestors(full).first { Paths.exists("\($0)/idVendor") && isDevice($0) }
    }

    /// The folder and those above it, up to the root, without links.
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

    /// Content of an attribute file; `nil` when it is missing or empty.
    func attribute(_ name: String, of folder: String) -> String? {
        Paths.text("\(folder)/\(name)").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Value of a key in a device's `uevent` file.
    func event(_ key: String, of folder: String) -> String? {
        attribute("uevent", of: folder)?.split(separator: "\n").first { $0.hasPrefix("\(key)=") }
            .map { String($0.dropFirst(key.utf8.count + 1)) }
    }

    /// Folder of the controller that a USB device is attached to: the one above `usb1`, `usb2`, ….
    func controller(ofUSBDevice folder: String) -> String? {
        ancestors(folder).first { isRootHub(Paths.name($0)) }.map(Paths.parent)
    }

    /// The bus path as udev's path_id builds it: `pci-0000:00:14.0-usb-0:2:1.0` for interface `1-2:1.0`, and with the
    /// controller's own parent where that counts: `platform-fd500000.pcie-pci-0000:01:00.0-usb-0:1.3:1.0`.
    ///
    /// It equals udev's, so that a device has one identity with and without udev.
    func busPath(ofUSBInterface interface: String) -> String? {
        guard let controller = controller(ofUSBDevice: interface),
            let dash = Paths.name(interface).firstIndex(of: "-")
        else { return nil }
        let port = Paths.name(interface)[Paths.name(interface).index(after: dash)...]
        var parts = ["usb-0:\(port)"]
        var previous: String?
        for folder in ancestors(controller) {
            // Of several folders of one subsystem in a row, such as bridges, only the one nearest to the device counts. A folder
            // without a subsystem, such as `pci0000:00`, is skipped.
            guard let subsystem = Paths.link("\(folder)/subsystem").map(Paths.name) else { continue }
            if subsystem != previous, ["pci", "platform", "acpi"].contains(subsystem) {
                parts.insert("\(subsystem)-\(Paths.name(folder))", at: 0)
            }
            previous = subsystem
        }
        if parts.count == 1 { parts.insert("platform-\(Paths.name(controller))", at: 0) }
        return parts.joined(separator: "-")
    }

    /// A number that a device's folder keeps for as long as it exists, and that no later device of the same path gets:
    /// kernfs counts its nodes. `nil` when the folder does not exist.
    func instance(of folder: String) -> UInt64? {
        var facts = stat()
        return stat(folder, &facts) == 0 ? UInt64(facts.st_ino) : nil
    }

    /// Whether the folder is no root hub: those have an `idVendor` too, but nothing that captures is one.
    private func isDevice(_ folder: String) -> Bool { !isRootHub(Paths.name(folder)) }

    func isRootHub(_ name: String) -> Bool {
        name.hasPrefix("usb") && name.count > 3 && name.dropFirst(3).allSatisfy { ("0"..."9").contains($0) }
    }

    private static func number(of folder: String) -> Int {
        Int(Paths.name(folder).drop { !("0"..."9").contains($0) }) ?? .max
    }
}
