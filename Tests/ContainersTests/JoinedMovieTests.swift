import Foundation
import MulticamContainers
import MulticamMedia
import MulticamSystem
import Testing

@Suite("A movie joined from parts")
struct JoinedMovieTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// Writes a part as the recorder does: the frames from its start on, and the audio packets around its start that are in
    /// both parts.
    private func part(
        _ name: String, _ film: Clip, from start: Int64, to end: Int64, setup: [UInt8]? = nil
    ) throws -> (file: ReadFile, start: MediaTime) {
        let tone = try Clip.tone.get()
        let time = MediaTime(nanoseconds: start * 1_000_000_000 / 30)
        let (first, last) = (start * 3000, end * 3000)
        let (from, to) = (start * 1600, end == 90 ? 144_480 : end * 1600)
        let priming =
            start == 0
            ? 1024 : from - (tone.packets.last { $0.presentation + 1024 <= from }?.presentation ?? 0)
        let path = folder.file(name)
        let file = try MovieFile(
            path: path, kind: .mp4,
            tracks: [
                .video(film.parameters, name: "program"),
                .audio(
                    StreamParameters(
                        codec: .aac, timeScale: 48_000, setup: setup ?? tone.parameters.setup,
                        audio: tone.parameters.audio, priming: priming), name: "mix"),
            ], createdAt: MovieFile.date)
        func moved(_ packet: EncodedPacket, by ticks: Int64) -> EncodedPacket {
            EncodedPacket(
                bytes: packet.bytes, presentation: packet.presentation - ticks, decode: packet.decode - ticks,
                duration: packet.duration, isKey: packet.isKey)
        }
        let frames = film.packets.filter { (first..<last).contains($0.presentation) }
        let sound = tone.packets.filter {
            $0.presentation < to && (start == 0 || $0.presentation >= from - priming)
        }
        for packet in frames { try file.append(moved(packet, by: first), to: 0) }
        for packet in sound { try file.append(moved(packet, by: from), to: 1) }
        try file.finish(ends: [last - first, to - from])
        return (try ReadFile(try ContainedFile(path: path)), time)
    }

    private func write(_ movie: JoinedMovie, of parts: [(file: ReadFile, start: MediaTime)]) throws -> String
    {
        var bytes: [UInt8] = []
        for piece in movie.pieces {
            let before = bytes.count
            switch piece {
            case .bytes(let own): bytes += own
            case .part(let index, let range):
                bytes += try parts[index].file.read(range.count, at: range.lowerBound)
            }
            #expect(Int64(bytes.count - before) == piece.byteCount)
        }
        let path = folder.file("joined.mp4")
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    @Test("contains every frame and audio packet once, without a gap", arguments: [true, false])
    func joins(hasReorderedFrames: Bool) throws {
        let film = try hasReorderedFrames ? Clip.film.get() : Clip.camera.get()
        let tone = try Clip.tone.get()
        let parts = [
            try part("a.mp4", film, from: 0, to: 30), try part("b.mp4", film, from: 30, to: 75),
            try part("c.mp4", film, from: 75, to: 90),
        ]
        let metadata = MovieMetadata(
            title: "Talk", chapters: [.init(start: MediaTime(nanoseconds: 2_000_000_000), title: "Two")])
        let movie = try JoinedMovie(parts, metadata: metadata)
        #expect(movie.sampleCounts == [90, tone.packets.count])
        let path = try write(movie, of: parts)
        let packets = try Probe.packets(path, stream: "v:0")
        #expect(packets.map(\.pts) == film.packets.map(\.presentation))
        #expect(packets.map(\.dts) == film.packets.map(\.decode))
        #expect(packets.map { $0.flags?.hasPrefix("K") } == film.packets.map(\.isKey))
        #expect(try Probe.packets(path, stream: "a:0").map(\.pts) == tone.packets.map(\.presentation))
        #expect(try Probe.decodedFrames(path) == film.frames)
        #expect(try Probe.decodedFrames(path, stream: "a:0").suffix(100) == tone.frames.suffix(100))
        let probe = try Probe(path)
        #expect(probe.streams.prefix(2).compactMap(\.startSeconds) == [0, 0])
        #expect(probe.streams[0].durationSeconds == 3)
        #expect(probe.format.tags?["title"] == "Talk")
        #expect(try Boxes(file: path).types == ["ftyp", "moov", "mdat"])
    }

    @Test("isn't made from parts with different parameters, and the error says what to do")
    func different() throws {
        let film = try Clip.camera.get()
        let parts = [
            try part("a.mp4", film, from: 0, to: 30),
            try part("b.mp4", film, from: 30, to: 60, setup: [0x12, 0x10]),
        ]
        let error = #expect(throws: FileError.self) { try JoinedMovie(parts) }
        #expect(error?.description.contains("Download the parts separately.") == true)
    }

    @Test("isn't made from more samples than the limit, in one part or in all parts together")
    func tooLong() throws {
        let film = try Clip.camera.get()
        let parts = [try part("a.mp4", film, from: 0, to: 30), try part("b.mp4", film, from: 30, to: 60)]
        let count = try JoinedMovie([parts[0]]).sampleCounts.reduce(0, +)
        #expect(throws: FileError.self) { try JoinedMovie([parts[0]], atMost: count - 1) }
        let error = #expect(throws: FileError.self) { try JoinedMovie(parts, atMost: count) }
        #expect(error?.description.contains("too long") == true)
    }

    @Test("isn't made from a file that multicam didn't record")
    func foreign() throws {
        let path = folder.file("clip.mp4")
        try Clip.film.get().reference.write(to: URL(filePath: path))
        let file = try ReadFile(try ContainedFile(path: path))
        #expect(throws: FileError.self) { try JoinedMovie([(file, .zero)]) }
    }
}
