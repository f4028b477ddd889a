import Foundation
import MulticamContainers
import MulticamMedia
import Testing

/// Tests fragments of 480 kB. Each frame has 40 kB, most of which are zeros after the end of the camera's
/// frame.
@Suite("Large fragments on a file system with direct I/O")
struct DirectFragmentTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private static var isPossible: Bool {
        DirectFile.isSupported(in: FileManager.default.temporaryDirectory.path)
    }

    private static func packets(_ clip: Clip, bytes: Int) -> [EncodedPacket] {
        clip.packets.map { packet in
            let padded = Array(packet.bytes.bytes) + [UInt8](repeating: 0, count: bytes - packet.bytes.count)
            return EncodedPacket(
                bytes: SharedBytes(padded), presentation: packet.presentation, decode: packet.decode,
                duration: packet.duration, isKey: true)
        }
    }

    private func makeMovie(_ name: String, _ disk: FileWriteHooks, bytes: Int = 40_001) throws -> MovieFile {
        let clip = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file(name), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date, disk: disk)
        for packet in Self.packets(clip, bytes: bytes) { try file.append(packet, to: 0) }
        return file
    }

    /// Returns the start of each fragment, and the end of the data that is written with it.
    private static func heads(_ path: String) throws -> [(begin: Int, end: Int)] {
        let boxes = try Boxes(file: path).boxes
        return boxes.indices.filter { boxes[$0].type == "moof" }.map { index in
            let after = boxes.dropFirst(index + 2).first
            let last = after?.type == "free" ? after : boxes[index + 1]
            return (boxes[index].range.lowerBound, last?.range.upperBound ?? 0)
        }
    }

    @Test("large fragments are block-aligned, and small ones contiguous", .enabled(if: isPossible))
    func blocks() throws {
        let large = try makeMovie("large.mov", FileWriteHooks())
        try large.flushFragment()
        let heads = try Self.heads(large.path)
        #expect(heads.count >= 3)
        #expect(heads.allSatisfy { $0.begin % 4096 == 0 })
        #expect(heads.dropLast().allSatisfy { $0.end % 4096 == 0 })
        large.abandon()

        let small = try makeMovie("small.mov", FileWriteHooks(), bytes: 8000)
        try small.flushFragment()
        #expect(try Self.heads(small.path).contains { $0.end % 4096 != 0 })
        small.abandon()
    }

    @Test("fragments contain every frame and byte unchanged, finished and unfinished")
    func whole() throws {
        let clip = try Clip.photographs.get()
        let file = try makeMovie("desk.mov", FileWriteHooks())
        try file.flushFragment()
        #expect(try Probe.decodedFrames(file.path) == clip.frames)
        let summary = try file.finish(ends: [60_060])
        #expect(summary.tracks[0].sampleCount == 60)
        #expect(summary.tracks[0].byteCount == 60 * 40_001)
        #expect(try Boxes(file: file.path).types == ["ftyp", "mdat", "moov"])
        #expect(try Probe.decodedFrames(file.path) == clip.frames)
        #expect(FileVerification.fault(ofMovie: file.path, expecting: summary) == nil)
        let checksum = try #require(summary.checksum)
        #expect(try FileVerification.checksum(of: file.path, from: checksum.start).checksum == checksum)
    }

    @Test("all complete fragments are readable after a crash at any position", .enabled(if: isPossible))
    func crash() throws {
        let clip = try Clip.photographs.get()
        let disk = FileChangeRecorder()
        let file = try makeMovie("desk.mov", disk.hooks)
        try file.flushFragment()
        file.abandon()
        let changes = disk.changes
        let last = try #require(
            changes.lastIndex { if case .write(let bytes, _) = $0 { bytes.count > 256 << 10 } else { false } }
        )
        guard case .write(let bytes, _) = changes[last] else { return }
        var counts: [Int] = []
        for cut in [0, 512, 4096, 65_536, bytes.count / 2, bytes.count - 512, bytes.count] {
            let path = folder.file("cut-\(cut).mov")
            try FileChangeRecorder.content(after: changes[..<last], then: changes[last], bytes: cut)
                .write(to: URL(filePath: path))
            let recovery = try MovieRecovery(path: path)
            try recovery.repair()
            counts.append(recovery.tracks[0].sampleCount)
            let frames = try Probe.decodedFrames(path)
            #expect(frames == Array(clip.frames.prefix(recovery.tracks[0].sampleCount)), "cut at \(cut)")
        }
        #expect(counts == counts.sorted())
        #expect(counts[0] >= 30 && counts.last == 60)
    }

    @Test("fragments written before the disk is full remain readable")
    func full() throws {
        let clip = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date, diskCapacity: 1_600_000)
        let error = #expect(throws: FileError.self) {
            for packet in Self.packets(clip, bytes: 40_001) { try file.append(packet, to: 0) }
        }
        #expect(error?.operation == "writing")
        let kept = try file.finish().tracks[0].sampleCount
        #expect(kept >= 24 && kept < 60)
        #expect(try Probe.decodedFrames(file.path) == Array(clip.frames.prefix(kept)))
    }

    @Test(
        "fragments on a file system in memory are written through the page cache",
        .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func memory() throws {
        #expect(!DirectFile.isSupported(in: "/dev/shm"))
        let clip = try Clip.photographs.get()
        let path = "/dev/shm/multicam-\(UUID().uuidString).mov"
        defer { unlink(path) }
        let file = try MovieFile(
            path: path, kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date)
        for packet in Self.packets(clip, bytes: 40_001) { try file.append(packet, to: 0) }
        try file.finish()
        #expect(try Probe.decodedFrames(path) == clip.frames)
    }
}
