import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("An unfinished movie file")
struct KilledMovieFileTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    @Test("plays all written fragments, starting at time 0", arguments: [MovieKind.mp4, .mov])
    func program(kind: MovieKind) throws {
        let (film, tone) = (try Clip.film.get(), try Clip.tone.get())
        let file = try MovieFile(
            path: folder.file("program"), kind: kind,
            tracks: [.video(film.parameters, name: "program"), .audio(tone.parameters, name: "mix")],
            createdAt: MovieFile.date)
        try file.append([film, tone])
        try file.flushFragment()
        file.abandon()

        #expect(
            try Boxes(file: file.path).types.prefix(6) == ["ftyp", "free", "moov", "mdat", "moof", "mdat"])
        let probe = try Probe(file.path)
        #expect(probe.streams.compactMap(\.startSeconds) == [0, 0])
        #expect(probe.streams.map(\.packetCount) == [90, tone.packets.count])
        #expect(try Probe.decodedFrames(file.path) == film.frames)
        let packets = try Probe.packets(file.path, stream: "v:0")
        #expect(packets.map(\.pts) == film.packets.map(\.presentation))
        #expect(packets.map(\.dts) == film.packets.map(\.decode))
        #expect(try Probe.decodedFrames(file.path, stream: "a:0").suffix(100) == tone.frames.suffix(100))
    }

    @Test("misses at most half a second, even while it is being written")
    func whileRecording() throws {
        let film = try Clip.film.get()
        let file = try MovieFile(
            path: folder.file("program.mp4"), kind: .mp4, tracks: [.video(film.parameters, name: "program")],
            createdAt: MovieFile.date)
        for packet in film.packets.prefix(59) { try file.append(packet, to: 0) }
        let written = try Probe.decodedFrames(file.path)
        #expect(written.count >= 59 - 15)
        #expect(Set(written).isSubset(of: film.frames))
        #expect(film.frames.starts(with: written.prefix(40)))
        file.abandon()
    }

    @Test("hides frames before T0 after its first half second")
    func preroll() throws {
        let camera = try Clip.camera.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(camera.parameters, name: "desk")],
            createdAt: MovieFile.date)
        for packet in camera.packets {
            try file.append(
                EncodedPacket(
                    bytes: packet.bytes, presentation: packet.presentation - 21_000,
                    decode: packet.decode - 21_000,
                    duration: 3000, isKey: packet.isKey), to: 0)
        }
        try file.flushFragment()
        #expect(try Probe(file.path).streams[0].startSeconds == 0)
        #expect(try Probe.decodedFrames(file.path) == Array(camera.frames.suffix(83)))
    }

    @Test("keeps the earlier fragments if the last is truncated", arguments: ["desk.mov", "face.mov"])
    func truncated(name: String) throws {
        let clip = try (name == "desk.mov" ? Clip.photographs : Clip.camera).get()
        let file = try MovieFile(
            path: folder.file(name), kind: .mov, tracks: [.video(clip.parameters, name: name)],
            createdAt: MovieFile.date)
        try file.append([clip])
        try file.flushFragment()
        file.abandon()
        let data = try Data(contentsOf: URL(filePath: file.path))
        let boxes = Boxes(data).boxes
        try #require(boxes.suffix(2).map(\.type) == ["moof", "mdat"])
        let (head, media) = (boxes[boxes.count - 2], boxes[boxes.count - 1].range)
        let run = try #require(Boxes(head.content).content("traf", "trun"))
        let lastCount = run.number(at: 4, bytes: 4)
        let earlier = clip.packets.count - lastCount
        #expect((1...15).contains(lastCount))

        // The cuts are not within the sample table, because ffmpeg then can't read the file: see below.
        let cuts = [
            head.range.lowerBound, head.range.lowerBound + 5, head.range.lowerBound + 30, media.lowerBound,
            media.lowerBound + 3, media.lowerBound + 8, media.lowerBound + 100, media.upperBound - 1,
        ]
        for cut in cuts {
            let copy = folder.file("cut-\(cut)-\(name)")
            try data.prefix(cut).write(to: URL(filePath: copy))
            let frames = try Probe.decodedFrames(copy, mayFail: true)
            #expect(frames.prefix(earlier) == clip.frames.prefix(earlier), "cut at \(cut)")
        }
    }

    @Test("keeps each sample table within one memory page")
    func pages() throws {
        let clip = try Clip.camera.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date)
        for packet in clip.packets {
            try file.append(packet, to: 0)
            try file.flushFragment()
        }
        let boxes = try Boxes(file: file.path).boxes
        let heads = boxes.filter { $0.type == "moof" }
        #expect(heads.count == 89)
        #expect(heads.allSatisfy { $0.range.lowerBound / 4096 == ($0.range.upperBound - 1) / 4096 })
        // These sample tables also fit within a disk sector.
        #expect(heads.allSatisfy { $0.range.lowerBound / 512 == ($0.range.upperBound - 1) / 512 })
        #expect(boxes.dropFirst(2).contains { $0.type == "free" && ($0.range.upperBound) % 4096 == 0 })
        #expect(try Probe.decodedFrames(file.path) == clip.frames)
    }

    @Test("plays if its index is truncated while it is being appended")
    func truncatedIndex() throws {
        let clip = try Clip.camera.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date)
        try file.append([clip])
        try file.flushFragment()
        let fragments = try Data(contentsOf: URL(filePath: file.path))
        try file.finish()
        let finished = try Data(contentsOf: URL(filePath: file.path))
        for index in [5, 100, finished.count - fragments.count - 1] {
            let copy = folder.file("index-\(index).mov")
            try (fragments + finished[fragments.count..<fragments.count + index]).write(
                to: URL(filePath: copy))
            #expect(try Probe.decodedFrames(copy) == clip.frames, "\(index) bytes of the index")
        }
    }

    @Test("keeps its data if the disk is full, and can then be finished")
    func diskFull() throws {
        let clip = try Clip.photographs.get()
        let size = clip.packets.reduce(0) { $0 + $1.bytes.count }
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date, diskCapacity: Int64(size * 2 / 3))
        let error = #expect(throws: FileError.self) { try file.append([clip]) }
        #expect(error?.operation == "writing")
        #expect(error?.description.contains("the disk is full") == true)
        #expect(throws: FileError.self) { try file.append(clip.packets[59], to: 0) }

        let summary = try file.finish(ends: [60_060])
        let kept = summary.tracks[0].sampleCount
        #expect(kept >= 15 && kept < 60)
        #expect(summary.tracks[0].duration == Int64(kept) * 1001)
        #expect(try Probe.decodedFrames(file.path) == Array(clip.frames.prefix(kept)))
        #expect(try Boxes(file: file.path).types == ["ftyp", "mdat", "moov"])
    }

    @Test("stays fragmented if the disk is too full for the index")
    func noRoomForIndex() throws {
        let clip = try Clip.photographs.get()
        let whole = try MovieFile(
            path: folder.file("whole.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date)
        try whole.append([clip])
        let size = try whole.finish().byteCount

        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date, diskCapacity: size - 1)
        try file.append([clip])
        #expect(throws: FileError.self) { try file.finish() }
        #expect(try Boxes(file: file.path).types.last == "mdat")
        #expect(try Probe.decodedFrames(file.path) == clip.frames)
    }

    @Test("never overwrites an existing file")
    func exists() throws {
        let clip = try Clip.photographs.get()
        let path = folder.file("desk.mov")
        try Data("mine".utf8).write(to: URL(filePath: path))
        let error = #expect(throws: FileError.self) {
            _ = try MovieFile(
                path: path, kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
                createdAt: MovieFile.date)
        }
        #expect(error?.operation == "creating the file")
        #expect(error?.errno == EEXIST)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
    }

    @Test("rejects a packet that is not later than the previous one, and continues")
    func wrongOrder() throws {
        let clip = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date)
        try file.append(clip.packets[1], to: 0)
        let error = #expect(throws: FileError.self) { try file.append(clip.packets[0], to: 0) }
        #expect(error?.detail.contains("tick 0") == true)
        try file.append(clip.packets[2], to: 0)
        #expect(try file.finish().tracks[0].sampleCount == 2)
    }
}
