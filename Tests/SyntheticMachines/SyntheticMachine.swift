import Foundation
import Glibc

/// A synthetic machine made of files. The folders sysfs, proc, etc, and run are in a temporary folder that is
/// deleted with this object.
package final class SyntheticMachine {
    package let root: String

    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "machine-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The path contains no symbolic links, because sysfs paths are compared.
        root = folder.resolvingSymlinksInPath().path
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: root) } catch {
            // The folder remains in the system's temporary folder.
        }
    }

    package var sysfs: String { "\(root)/sys" }

    // MARK: Files

    /// Writes a file below the root and creates its parent folders.
    package func write(_ path: String, _ text: String) throws { try write(path, Array(text.utf8)) }

    package func write(_ path: String, _ bytes: [UInt8]) throws {
        let file = URL(fileURLWithPath: "\(root)/\(path)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    package func folder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: "\(root)/\(path)", withIntermediateDirectories: true)
    }

    /// Creates a symbolic link below the root. `target` is also below the root, unless `isOutside` is set.
    package func link(_ path: String, to target: String, isOutside: Bool = false) throws {
        let file = URL(fileURLWithPath: "\(root)/\(path)")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        unlink(file.path)
        try FileManager.default.createSymbolicLink(
            atPath: file.path, withDestinationPath: isOutside ? target : "\(root)/\(target)")
    }

    package func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: "\(root)/\(path)")
    }

    // MARK: USB

    /// Adds a USB bus to the controller at `sys/devices/pci0000:00/<controller>`.
    package func bus(
        _ number: Int, controller: String = "0000:00:14.0", driver: String = "ehci-pci", speed: String = "480"
    ) throws {
        let folder = "sys/devices/pci0000:00/\(controller)"
        try link("\(folder)/driver", to: "sys/bus/pci/drivers/\(driver)")
        try device("\(folder)/usb\(number)", ["speed": speed, "maxchild": "4", "idVendor": "1d6b"])
    }

    /// Adds a hub or another device without interfaces. `path` consists of kernel names, such as `usb1/1-2`.
    package func hub(_ path: String, controller: String = "0000:00:14.0", speed: String = "480") throws {
        try device(
            "sys/devices/pci0000:00/\(controller)/\(path)",
            ["speed": speed, "idVendor": "05e3", "product": "Hub"])
    }

    /// Adds a camera with a microphone at `usb1/1-2`, with `video<node>` and the given alternate setting.
    package func camera(
        _ path: String, node: Int, controller: String = "0000:00:14.0", product: String = "Studio Webcam",
        speed: String = "480", descriptors: [UInt8] = USBBytes.webcam(), alternate: Int = 0,
        driver: String? = "uvcvideo", power: String = "on"
    ) throws {
        let folder = "sys/devices/pci0000:00/\(controller)/\(path)"
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try device(
            folder,
            [
                "speed": speed, "idVendor": "046d", "idProduct": "082d", "product": product,
                "power/control": power, "power/autosuspend_delay_ms": "2000",
            ])
        try write("\(folder)/descriptors", descriptors)
        for (number, classCode) in [(0, "0e"), (1, "0e"), (2, "01"), (3, "01")] {
            let interface = "\(folder)/\(name):1.\(number)"
            try write("\(interface)/bInterfaceNumber", "0\(number)\n")
            try write("\(interface)/bInterfaceClass", "\(classCode)\n")
            try write("\(interface)/bAlternateSetting", " \(number == 1 ? alternate : 0)\n")
            let driver = classCode == "01" ? "snd-usb-audio" : driver
            if let driver { try link("\(interface)/driver", to: "sys/bus/usb/drivers/\(driver)") }
        }
        guard driver == "uvcvideo" else { return }
        let video = "\(folder)/\(name):1.0/video4linux/video\(node)"
        try write("\(video)/index", "0\n")
        try write("\(video)/name", "\(product)\n")
        try write("\(video)/uevent", "MAJOR=81\nMINOR=\(node)\nDEVNAME=video\(node)\n")
        try link("sys/class/video4linux/video\(node)", to: video)
    }

    private func device(_ folder: String, _ attributes: [String: String]) throws {
        for (name, value) in attributes { try write("\(folder)/\(name)", "\(value)\n") }
        let name = folder.split(separator: "/").last.map(String.init) ?? folder
        try link("sys/bus/usb/devices/\(name)", to: folder)
    }

    // MARK: Processes

    /// Adds a process with open files.
    package func program(_ process: Int, _ name: String, holding files: [String]) throws {
        try write("proc/\(process)/comm", "\(name)\n")
        try folder("proc/\(process)/fd")
        for (index, file) in files.enumerated() {
            try link("proc/\(process)/fd/\(index + 3)", to: file, isOutside: true)
        }
    }
}
