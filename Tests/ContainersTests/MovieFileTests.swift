import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("A finished movie file")
struct FinishedMovieFileTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private func program(_ name: String, kind: MovieKind) throws -> MovieFile {
        try MovieFile(
            path: folder.file(name), kind: kind,
            tracks: [
                .video(try Clip.film.get().parameters, name: "program"),
                .audio(try Clip.tone.get().parameters, name: "mix"),
            ], createdAt: MovieFile.date)
    }

    @Test("contains all frames and audio unchanged, starting at time 0", arguments: [MovieKind.mp4, .mov])
    func program(kind: MovieKind) throws {
        let (film, tone) = (try Clip.film.get(), try Clip.tone.get())
        let file = try program("program", kind: kind)
        try file.append([film, tone])
        let summary = try file.finish(ends: [270_000, 144_480])

        #expect(summary.tracks.map(\.sampleCount) == [90, tone.packets.count])
        #expect(summary.tracks.map(\.duration) == [270_000, 144_480])
        #expect(summary.byteCount == Int64(try Data(contentsOf: URL(filePath: file.path)).count))
        let probe = try Probe(file.path)
        #expect(probe.streams.map(\.codec_name) == ["h264", "aac"])
        #expect(probe.streams.compactMap(\.startSeconds) == [0, 0])
        #expect(probe.streams.compactMap(\.durationSeconds) == [3, 3.01])
        #expect(probe.streams.map(\.nb_frames) == ["90", "\(tone.packets.count)"])
        #expect(probe.streams.map { $0.tags?["handler_name"] } == ["program", "mix"])
        #expect(probe.streams[0].tags?["creation_time"] == "2026-11-21T13:23:10.000000Z")
        #expect(try Probe.decodedFrames(file.path) == film.frames)
        // The first packet is priming, which the edit list hides.
        #expect(try Probe.decodedFrames(file.path, stream: "a:0").suffix(100) == tone.frames.suffix(100))
        let packets = try Probe.packets(file.path, stream: "v:0")
        #expect(packets.map(\.pts) == film.packets.map(\.presentation))
        #expect(packets.map(\.dts) == film.packets.map(\.decode))
        #expect(packets.map { $0.flags?.hasPrefix("K") } == film.packets.map(\.isKey))
    }

    @Test("consists of type, media data, and index")
    func layout() throws {
        let file = try program("program.mp4", kind: .mp4)
        try file.append([try Clip.film.get(), try Clip.tone.get()])
        try file.finish()
        let boxes = try Boxes(file: file.path)
        #expect(boxes.types == ["ftyp", "mdat", "moov"])
        #expect(boxes.boxes[1].range.lowerBound + 16 <= 512)
        #expect(boxes.content("moov", "mvex") == nil)
    }

    @Test("plays if the power fails between the last two writes")
    func unpatched() throws {
        let film = try Clip.film.get()
        let file = try program("program.mp4", kind: .mp4)
        try file.append([film, try Clip.tone.get()])
        try file.finish()
        var data = try Data(contentsOf: URL(filePath: file.path))
        let reserved = Boxes(data).boxes[1].range.lowerBound
        data.replaceSubrange(
            reserved..<reserved + 16,
            with: [0, 0, 0, 16] + Array("free".utf8) + Array(repeating: 0, count: 8))
        let copy = folder.file("copy.mp4")
        try data.write(to: URL(filePath: copy))

        let types = Boxes(data).types
        #expect(types.prefix(5) == ["ftyp", "free", "moov", "mdat", "moof"])
        #expect(types.last == "moov")
        #expect(try Probe(copy).streams.compactMap(\.startSeconds) == [0, 0])
        #expect(try Probe.decodedFrames(copy) == film.frames)
    }

    @Test("hides data before T0, and records a late start", arguments: [-7, 6])
    func shifted(frames: Int64) throws {
        let camera = try Clip.camera.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(camera.parameters, name: "desk")],
            createdAt: MovieFile.date)
        for packet in camera.packets {
            let shift = frames * 3000
            try file.append(
                EncodedPacket(
                    bytes: packet.bytes, presentation: packet.presentation + shift,
                    decode: packet.decode + shift,
                    duration: packet.duration, isKey: packet.isKey), to: 0)
        }
        let summary = try file.finish()
        #expect(summary.tracks[0].duration == (90 + frames) * 3000)
        let stream = try #require(try Probe(file.path).streams.first)
        #expect(stream.startSeconds == (frames < 0 ? 0 : 0.2))
        #expect(try Probe.decodedFrames(file.path) == Array(camera.frames.suffix(Int(90 + min(frames, 0)))))
    }

    @Test("keeps variable frame durations, and the given end of the last frame")
    func variableDurations() throws {
        let photographs = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(photographs.parameters, name: "desk")],
            createdAt: MovieFile.date)
        let times: [Int64] = [0, 1001, 3003, 4004, 40_040]
        for (packet, time) in zip(photographs.packets, times) {
            try file.append(
                EncodedPacket(
                    bytes: packet.bytes, presentation: time, decode: time, duration: 1001, isKey: true), to: 0
            )
        }
        try file.finish(ends: [60_060])
        #expect(try Probe.packets(file.path, stream: "v:0").map(\.pts) == times)
        #expect(try Probe(file.path).streams[0].durationSeconds == 2.002)
    }

    @Test("contains several cameras, audio, and a timecode track")
    func everything() throws {
        let (film, photographs, tone) = (
            try Clip.film.get(), try Clip.photographs.get(), try Clip.tone.get()
        )
        let timecode = Timecode(
            at: LocalTime(MovieFile.date, secondsFromGMT: 3600), rate: FrameRate(30_000, per: 1001))
        let file = try MovieFile(
            path: folder.file("session.mov"), kind: .mov,
            tracks: [
                .video(photographs.parameters, name: "desk"), .video(film.parameters, name: "face"),
                .audio(tone.parameters, name: "host"), .timecode(timecode, name: "time"),
            ], createdAt: MovieFile.date)
        try file.append([photographs, film, tone])
        try file.finish()
        let probe = try Probe(file.path)
        #expect(probe.streams.map(\.codec_tag_string) == ["jpeg", "avc1", "mp4a", "tmcd"])
        #expect(probe.streams.compactMap(\.startSeconds) == [0, 0, 0, 0])
        #expect(
            probe.streams.map { $0.tags?["timecode"] } == ["14:23:10;01", "14:23:10;01", nil, "14:23:10;01"])
        #expect(try Probe.decodedFrames(file.path) == photographs.frames)
        #expect(try Probe.decodedFrames(file.path, stream: "v:1") == film.frames)
        // One of the packets is priming.
        #expect(try Probe.decodedFrames(file.path, stream: "a:0").count == tone.packets.count - 1)
    }

    @Test("can exceed 4 GiB")
    func large() throws {
        let film = try Clip.film.get()
        let file = try program("program.mp4", kind: .mp4)
        for packet in film.packets.prefix(45) { try file.append(packet, to: 0) }
        try file.flushFragment()
        try file.appendHole(byteCount: 5 << 30)
        for packet in film.packets.dropFirst(45) { try file.append(packet, to: 0) }
        let summary = try file.finish()
        #expect(summary.byteCount > 5 << 30)
        #expect(try Probe.decodedFrames(file.path) == film.frames)
    }

    @Test("is readable without any packet")
    func empty() throws {
        let file = try program("program.mp4", kind: .mp4)
        let summary = try file.finish()
        #expect(summary.tracks.map(\.sampleCount) == [0, 0])
        #expect(try Boxes(file: file.path).types.last == "moov")
        #expect(try Probe(file.path).streams.map(\.codec_name) == ["h264", "aac"])
    }
}
