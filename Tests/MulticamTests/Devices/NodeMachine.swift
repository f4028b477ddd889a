import Foundation
import Media
import Testing

@testable import Capture

/// A sysfs and a /dev of a test's own, with cameras on no bus.
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

    /// Its nodes are plain files, which are no cameras that work.
    var catalog: CameraCatalog { CameraCatalog(sysfs: path, nodes: path + "/dev") }

    /// The same, with nodes that answer as cameras do.
    var workingCatalog: CameraCatalog {
        CameraCatalog(
            sysfs: path, nodes: path + "/dev", isSettled: { _ in true },
            ask: { _ in
                .camera(
                    NodeAnswers(formats: [
                        OfferedFormat(
                            pixel: .mjpeg, size: FrameSize(width: 640, height: 480),
                            rates: .listed([FrameRate(30)]))
                    ]))
            })
    }

    /// As the kernel does it: what can be read first, its node last.
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
