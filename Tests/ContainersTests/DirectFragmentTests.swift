import Containers
import Foundation
import Media
import Testing

/// Fragments of 480 kB: frames of 40 kB, of which a camera's zeros after the end are most.
@Suite("large fragments, where the file system takes writes past the page cache")
struct DirectFragmentTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private static var isPossible: Bool {
        DirectFile.isPossible(in: FileManager.default.temporaryDirectory.path)
    }

    private static func packets(_ clip: Clip, bytes: Int) -> [EncodedPacket] {
        clip.packets.map { packet in
            let padded = Array(packet.bytes.bytes) + [UInt8](repeating: 0, count: bytes - packet.bytes.count)
            return EncodedPacket(
                bytes: SharedBytes(padded), presentation: packet.presentation, decode: packet.decode,
                duration: packet.duration, isKey: true)
        }
    }

    private func film(_ name: String, _ disk: DiskConduct, bytes: Int = 40_001) throws -> MovieFile {
        let clip = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file(name), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date, disk: disk)
        for packet in Self.packets(clip, bytes: bytes) { try file.append(packet, to: 0) }
        return file
    }

    /// Where fragments begin, and where what is written with each ends.
    private static func heads(_ path: String) throws -> [(begin: Int, end: Int)] {
        let boxes = try Boxes(file: path).boxes
        return boxes.indices.filter { boxes[$0].type == "moof" }.map { index in
            let after = boxes.dropFirst(index + 2).first
            let last = after?.type == "free" ? after : boxes[index + 1]
            return (boxes[index].range.lowerBound, last?.range.upperBound ?? 0)
        }
    }

    @Test("begin and end with blocks, while those of a small stream lie close", .enabled(if: isPossible))
    func blocks() throws {
        let large = try film("large.mov", DiskConduct())
        try large.cutFragment()
        let heads = try Self.heads(large.path)
        #expect(heads.count >= 3)
        #expect(heads.allSatisfy { $0.begin % 4096 == 0 })
        #expect(heads.dropLast().allSatisfy { $0.end % 4096 == 0 })
        large.abandon()

        let small = try film("small.mov", DiskConduct(), bytes: 8000)
        try small.cutFragment()
        #expect(try Self.heads(small.path).contains { $0.end % 4096 != 0 })
        small.abandon()
    }

    @Test("hold every frame and every byte as it was given, finished and unfinished")
    func whole() throws {
        let clip = try Clip.photographs.get()
        let file = try film("desk.mov", DiskConduct())
        try file.cutFragment()
        #expect(try Probe.decodedFrames(file.path) == clip.frames)
        let summary = try file.finish(ends: [60_060])
        #expect(summary.tracks[0].sampleCount == 60)
        #expect(summary.tracks[0].byteCount == 60 * 40_001)
        #expect(try Boxes(file: file.path).types == ["ftyp", "mdat", "moov"])
        #expect(try Probe.decodedFrames(file.path) == clip.frames)
        #expect(FileVerification.fault(ofMovie: file.path, holding: summary) == nil)
        let checksum = try #require(summary.checksum)
        #expect(try FileVerification.checksum(of: file.path, from: checksum.start).checksum == checksum)
    }

    @Test("are read up to the last whole one, wherever a crash cuts the file", .enabled(if: isPossible))
    func crash() throws {
        let clip = try Clip.photographs.get()
        let disk = Disk()
        let file = try film("desk.mov", disk.conduct)
        try file.cutFragment()
        file.abandon()
        let changes = disk.changes
        let last = try #require(
            changes.lastIndex { if case .write(let bytes, _) = $0 { bytes.count > 256 << 10 } else { false } }
        )
        guard case .write(let bytes, _) = changes[last] else { return }
        var counts: [Int] = []
        for cut in [0, 512, 4096, 65_536, bytes.count / 2, bytes.count - 512, bytes.count] {
            let path = folder.file("cut-\(cut).mov")
            try Disk.content(after: changes[..<last], then: changes[last], bytes: cut)
                .write(to: URL(filePath: path))
            let recovery = try MovieRecovery(path: path)
            try recovery.makeWhole()
            counts.append(recovery.tracks[0].sampleCount)
            let frames = try Probe.decodedFrames(path)
            #expect(frames == Array(clip.frames.prefix(recovery.tracks[0].sampleCount)), "cut at \(cut)")
        }
        #expect(counts == counts.sorted())
        #expect(counts[0] >= 30 && counts.last == 60)
    }

    @Test("that find the disk full leave what was written before")
    func full() throws {
        let clip = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date, diskCapacity: 1_600_000)
        let error = #expect(throws: FileError.self) {
            for packet in Self.packets(clip, bytes: 40_001) { try file.append(packet, to: 0) }
        }
        #expect(error?.operation == "write")
        let kept = try file.finish().tracks[0].sampleCount
        #expect(kept >= 24 && kept < 60)
        #expect(try Probe.decodedFrames(file.path) == Array(clip.frames.prefix(kept)))
    }

    @Test(
        "are written through the page cache in a folder in memory",
        .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm")))
    func memory() throws {
        #expect(!DirectFile.isPossible(in: "/dev/shm"))
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
