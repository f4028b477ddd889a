import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("Verification of files")
struct FileVerificationTests {
    private func movie(_ clips: [Clip], _ path: String, kind: MovieKind) throws -> MovieSummary {
        let tracks = clips.map { clip in
            clip.parameters.audio == nil
                ? MovieTrack.video(clip.parameters, rotation: .none, name: "desk")
                : .audio(clip.parameters, name: "host")
        }
        let file = try MovieFile(path: path, kind: kind, tracks: tracks, createdAt: MovieFile.date)
        try file.append(clips)
        return try file.finish()
    }

    @Test("The checksum of empty input matches the value published by XXH3's authors")
    func known() throws {
        let folder = try Folder()
        try Data().write(to: URL(fileURLWithPath: folder.file("empty")))
        let found = try FileVerification.checksum(of: folder.file("empty"), from: 0)
        #expect(found.byteCount == 0 && found.checksum.value == "99aa06d3014798d86001c324468d497f")
    }

    @Test(
        "The checksum computed while writing a movie matches the finished file"
    )
    func movies() throws {
        let folder = try Folder()
        for (name, kind, clips) in [
            ("a.mov", MovieKind.mov, [Clip.photographs]), ("b.mp4", .mp4, [Clip.film, Clip.tone]),
            ("c.mov", .mov, [Clip.camera, Clip.photographs, Clip.tone]),
        ] {
            let path = folder.file(name)
            let summary = try movie(try clips.map { try $0.get() }, path, kind: kind)
            let checksum = try #require(summary.checksum)
            let found = try FileVerification.checksum(of: path, from: checksum.start)
            #expect(found.checksum == checksum && found.byteCount == summary.byteCount)
            #expect(FileVerification.fault(ofMovie: path, expecting: summary) == nil)
            #expect(FileVerification.fault(ofMovie: path) == nil)
        }
    }

    @Test(
        "A movie that is truncated or has a different packet count or first frame is faulty")
    func damage() throws {
        let folder = try Folder()
        let clip = try Clip.photographs.get()
        let summary = try movie([clip], folder.file("whole.mov"), kind: .mov)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("whole.mov")))
        func fault(_ bytes: Data) throws -> String? {
            try bytes.write(to: URL(fileURLWithPath: folder.file("damaged.mov")))
            return FileVerification.fault(ofMovie: folder.file("damaged.mov"), expecting: summary)
        }
        #expect(try fault(whole) == nil)
        #expect(try fault(whole.dropLast())?.contains("instead of") == true)
        let frame = try #require(whole.range(of: Data([0xFF, 0xD8, 0xFF])))
        var other = whole
        other[frame.lowerBound] = 0
        #expect(try fault(other)?.contains("is damaged") == true)
        let sizes = try #require(whole.range(of: Data("stsz".utf8), options: .backwards))
        other = whole
        other[sizes.upperBound + 11] ^= 1
        #expect(try fault(other) != nil)
        // Only the checksum detects this change.
        other = whole
        other[frame.lowerBound + 700] ^= 1
        #expect(try fault(other) == nil)
        let checksum = try FileVerification.checksum(
            of: folder.file("damaged.mov"), from: summary.checksum?.start ?? 0)
        #expect(checksum.checksum != summary.checksum)
    }

    @Test("Reading the index of a movie terminates for any content")
    func anything() throws {
        let folder = try Folder()
        _ = try movie([try Clip.tone.get()], folder.file("whole.mp4"), kind: .mp4)
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file("whole.mp4")))
        let index = try #require(whole.range(of: Data("moov".utf8), options: .backwards)).lowerBound - 4
        let path = folder.file("any.mp4")
        for place in Array(0..<64) + Array(index..<whole.count) {
            for byte: UInt8 in [0, 0x7F, 0xFF] where whole[place] != byte {
                var other = whole
                other[place] = byte
                try other.write(to: URL(fileURLWithPath: path))
                _ = FileVerification.fault(ofMovie: path)
            }
        }
    }

    @Test("A wave file matches its checksum and sizes, and a missing byte is detected")
    func wave() throws {
        let folder = try Folder()
        let path = folder.file("host.wav")
        let file = try WaveFile(
            path: path, format: AudioFormat(rate: 48_000, channels: 1),
            broadcast: BroadcastExtension(
                description: "d", reference: "r", start: LocalTime(MovieFile.date, secondsFromGMT: 0)))
        for _ in 0..<7 { try file.append(samples: [Float](repeating: 0.25, count: 9601)) }
        try file.finish()
        let checksum = try #require(file.checksum)
        #expect(try FileVerification.checksum(of: path, from: checksum.start).checksum == checksum)
        #expect(FileVerification.fault(ofWave: path, expecting: file.byteCount) == nil)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try bytes.dropLast(2).write(to: URL(fileURLWithPath: path))
        #expect(FileVerification.fault(ofWave: path) == "the header doesn't match the file size.")
    }
}
