import Foundation
import Testing

@testable import MulticamSetup

/// A temporary folder for saved state, removed at the end of the test.
final class StateFixture {
    let folder = NSTemporaryDirectory() + "multicam-\(UUID().uuidString)"

    var calibrations: StateFile<Calibrations> { StateFile(path: folder + "/calibration.json") }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record(error) }
    }

    func write(_ text: String, to name: String) throws -> String {
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }
}
