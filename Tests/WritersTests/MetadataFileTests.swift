import Foundation
import Media
import Testing

@testable import SessionFolder
@testable import Writers

@Suite("The file of a camera's metadata")
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

    @Test("Its lines name what is known, and leave out the rest")
    func lines() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).ndjson").path
        defer { unlink(path) }
        let file = MetadataFile(try LineFile(path: path), role: "desk", waitsForRoom: false)
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

    @Test("A disk that fails ends it with the reason, and holds up nobody", arguments: [true, false])
    func failure(waitsForRoom: Bool) throws {
        let file = MetadataFile(
            try LineFile(path: "/dev/full", creation: 0), role: "desk", waitsForRoom: waitsForRoom)
        // More than its queue holds.
        for sequence in 0..<10_000 { _ = file.append(metadata(Int64(sequence))) }
        file.finish()
        file.join()
        #expect(file.failureSoFar?.description.contains("/dev/full") == true)
    }
}
