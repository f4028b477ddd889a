import Foundation
import MulticamMedia
import Testing

@testable import MulticamCapture

/// A temporary sysfs and /dev with cameras that aren't on a bus.
final class NodeMachine: Sendable {
    let path = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"

    init() throws {
        for folder in ["class/video4linux", "devices", "dev"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
        }
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            Issue.record(error)
        }
    }

    /// A catalog with plain files as nodes, so the cameras don't work.
    var catalog: CameraCatalog { CameraCatalog(sysfs: path, nodes: path + "/dev") }

    /// The same catalog, with nodes that answer like cameras.
    var workingCatalog: CameraCatalog {
        CameraCatalog(
            sysfs: path, nodes: path + "/dev", isSettled: { _ in true },
            query: { _ in
                .camera(
                    NodeProperties(formats: [
                        OfferedFormat(
                            pixel: .mjpeg, size: FrameSize(width: 640, height: 480),
                            rates: .listed([FrameRate(30)]))
                    ]))
            })
    }

    /// Adds a camera in the kernel's order: the attributes first, the node last.
    func plug(_ number: Int, name: String) throws {
        let folder = "\(path)/devices/\(name)-\(number)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let files = ["name": name, "index": "0", "uevent": "DEVNAME=video\(number)"]
        for (file, text) in files {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(file)"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/class/video4linux/video\(number)", withDestinationPath: folder)
        try Data().write(to: URL(fileURLWithPath: "\(path)/dev/video\(number)"))
    }

    func unplug(_ number: Int) throws {
        try FileManager.default.removeItem(atPath: "\(path)/class/video4linux/video\(number)")
        try FileManager.default.removeItem(atPath: "\(path)/dev/video\(number)")
    }
}
