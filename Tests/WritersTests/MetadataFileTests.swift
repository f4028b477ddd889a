import Foundation
import MulticamMedia
import MulticamSystem
import Testing

@testable import MulticamSessionFolder
@testable import MulticamWriters

@Suite("Metadata file of a camera")
struct MetadataFileTests {
    private func metadata(_ sequence: Int64, lost: LossCause? = nil, clock: UVCHeaderClock? = nil)
        -> CameraMetadata
    {
        CameraMetadata(
            sequence: sequence, capturedAt: MediaTime(nanoseconds: sequence * 10),
            stamp: lost == nil ? MediaTime(nanoseconds: sequence * 10 + 1) : nil,
            arrival: lost == nil ? MediaTime(nanoseconds: sequence * 10 + 2) : nil, lost: lost,
            count: lost == nil ? 1 : 3, headerClock: clock)
    }

    @Test("A line contains only the known fields")
    func lines() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).ndjson").path
        defer { unlink(path) }
        let file = MetadataFile(
            try LineFile(creating: try ContainedFile(path: path)), role: "desk", waitsForRoom: false)
        let clock = UVCHeaderClock(
            presentationTime: .max, sourceClock: nil, busFrame: nil, hostTime: ClockTime(nanoseconds: 5),
            hostFrame: 6)
        #expect(file.append(metadata(4, clock: clock)))
        #expect(file.append(metadata(5, lost: .bus)))
        file.finish()
        file.join()
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == """
                {"arrival_ns":42,"captured_ns":40,"sequence":4,"stamp_ns":41,"uvc":{"host_ns":5,"host_sof":6,"pts":4294967295}}
                {"captured_ns":50,"count":3,"lost":"bus","sequence":5}

                """)
        #expect(file.failureSoFar == nil)
    }

    @Test("A disk error ends the file with the reason and does not block callers", arguments: [true, false])
    func failure(waitsForRoom: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).ndjson").path
        defer { unlink(path) }
        let full = try LineFile(creating: try ContainedFile(path: path)) { _, _ in
            errno = ENOSPC
            return -1
        }
        let file = MetadataFile(full, role: "desk", waitsForRoom: waitsForRoom)
        // There are more lines than the queue can hold.
        for sequence in 0..<10_000 { _ = file.append(metadata(Int64(sequence))) }
        file.finish()
        file.join()
        #expect(file.failureSoFar?.description.contains("the disk is full") == true)
    }
}
