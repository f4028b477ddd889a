import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("Stream descriptions of a movie file")
struct MovieDescriptionTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private func record(
        _ clip: Clip, as kind: MovieKind, rotation: Rotation = .none,
        with parameters: StreamParameters? = nil,
        packets: [EncodedPacket]? = nil
    ) throws -> String {
        let file = try MovieFile(
            path: folder.file("\(UUID().uuidString)"), kind: kind,
            tracks: [.video(parameters ?? clip.parameters, rotation: rotation, name: "desk")],
            createdAt: MovieFile.date)
        for packet in packets ?? clip.packets { try file.append(packet, to: 0) }
        try file.finish()
        return file.path
    }

    @Test(
        "describes the rotation of frames",
        arguments: [
            (rotation: Rotation.none, reported: nil, filter: "null"),
            (rotation: .quarter, reported: -90, filter: "transpose=clock"),
            (rotation: .half, reported: -180, filter: "hflip,vflip"),
            (rotation: .threeQuarters, reported: 90, filter: "transpose=cclock"),
        ] as [(rotation: Rotation, reported: Int?, filter: String)])
    func rotation(rotation: Rotation, reported: Int?, filter: String) throws {
        let clip = try Clip.photographs.get()
        let path = try record(clip, as: .mov, rotation: rotation)
        #expect(try Probe(path).streams[0].rotation == reported)
        // A player must show the same image as a manual rotation of the stored frame.
        func frame(_ input: [String], _ filter: String) throws -> Data {
            try Program.run(
                "ffmpeg",
                ["-v", "error"] + input + [
                    "-i", path, "-vf", filter, "-frames:v", "1", "-f", "rawvideo", "-",
                ])
        }
        let shown = try frame([], "null")
        #expect(shown.count >= 64 * 48 * 2)
        #expect(try shown == frame(["-noautorotate"], filter))
    }

    @Test("describes the color properties, and the range in QuickTime if it is full")
    func colors() throws {
        let film = try Clip.film.get()
        let mp4 = try Probe(try record(film, as: .mp4)).streams[0]
        #expect(mp4.color_primaries == "bt709" && mp4.color_transfer == "bt709" && mp4.color_space == "bt709")
        #expect(mp4.color_range == "tv")
        #expect(mp4.sample_aspect_ratio == "1:1")

        let desk = try record(try Clip.photographs.get(), as: .mov)
        let mov = try Probe(desk).streams[0]
        #expect(mov.color_primaries == "smpte170m" && mov.color_transfer == "smpte170m")
        #expect(mov.color_range == "pc")
        #expect(mov.field_order == "progressive")
        let entry = try Boxes(file: desk).content(
            "moov", "trak", "mdia", "minf", "stbl", "stsd", "jpeg", "colr")
        #expect(entry == Data("nclx".utf8) + Data([0, 6, 0, 6, 0, 6, 0x80]))
        let limited = try Boxes(file: try record(film, as: .mov))
            .content("moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "colr")
        #expect(limited == Data("nclc".utf8) + Data([0, 1, 0, 1, 0, 1]))
    }

    @Test("describes MJPEG in MP4 by its object type")
    func mjpegInMP4() throws {
        let clip = try Clip.photographs.get()
        let path = try record(clip, as: .mp4)
        #expect(try Probe(path).streams[0].codec_name == "mjpeg")
        #expect(try Probe.decodedFrames(path) == clip.frames)
    }

    private func configuration(_ data: Data) -> Data? {
        Boxes(data).content("moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "avcC")
    }

    private func samples(_ path: String) throws -> Data {
        try Program.run(
            "ffmpeg",
            ["-v", "error", "-i", path, "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264", "-"])
    }

    @Test("writes the same H.264 parameter sets as ffmpeg, regardless of their source")
    func parameterSets() throws {
        let film = try Clip.film.get()
        let expected = try #require(configuration(film.reference))
        let fromSetup = try record(film, as: .mp4)
        #expect(configuration(try Data(contentsOf: URL(filePath: fromSetup))) == expected)

        func parameters(_ setup: [UInt8]) -> StreamParameters {
            StreamParameters(
                codec: .h264, timeScale: 90_000, setup: setup, size: Clip.size, rate: FrameRate(30))
        }
        let inBand = try record(film, as: .mp4, with: parameters([]))
        #expect(configuration(try Data(contentsOf: URL(filePath: inBand))) == expected)
        #expect(try samples(inBand) == samples(fromSetup))

        let asRecord = try record(film, as: .mp4, with: parameters([UInt8](expected)))
        #expect(configuration(try Data(contentsOf: URL(filePath: asRecord))) == expected)
        #expect(try samples(asRecord) == samples(fromSetup))
    }

    @Test("stores the same frames from packets with lengths instead of start codes")
    func lengthPrefixed() throws {
        let film = try Clip.film.get()
        let expected = try #require(configuration(film.reference))
        let parameters = StreamParameters(
            codec: .h264, timeScale: 90_000, setup: [UInt8](expected), size: Clip.size, rate: FrameRate(30))
        // The reference file from ffmpeg contains the samples in this form, contiguous in its only media data
        // box.
        let media = try #require(Boxes(film.reference).content("mdat"))
        let table = try #require(
            Boxes(film.reference).content("moov", "trak", "mdia", "minf", "stbl", "stsz"))
        var place = 0
        let packets = film.packets.enumerated().map { index, packet in
            let size = table.number(at: 12 + index * 4, bytes: 4)
            defer { place += size }
            return EncodedPacket(
                bytes: SharedBytes(media[place..<place + size]), presentation: packet.presentation,
                decode: packet.decode, duration: packet.duration, isKey: packet.isKey)
        }
        let path = try record(film, as: .mp4, with: parameters, packets: packets)
        #expect(try Probe.decodedFrames(path) == film.frames)
    }

    @Test("writes the file once all parameter sets are known, or finally without the missing tracks")
    func missingParameterSets() throws {
        let (film, tone) = (try Clip.film.get(), try Clip.tone.get())
        let silent = StreamParameters(codec: .h264, timeScale: 90_000, size: Clip.size)
        let file = try MovieFile(
            path: folder.file("session.mov"), kind: .mov,
            tracks: [
                .video(silent, name: "desk"), .video(film.parameters, name: "face"),
                .audio(tone.parameters, name: "host"),
            ],
            createdAt: MovieFile.date)
        try file.append([film, tone], from: 1)
        try file.flushFragment()
        #expect(try Boxes(file: file.path).types == ["ftyp", "free"])
        #expect(try file.finish().tracks.map(\.sampleCount) == [0, 90, tone.packets.count])
        #expect(try Probe(file.path).streams.map(\.codec_name) == ["h264", "aac"])
        #expect(try Probe.decodedFrames(file.path) == film.frames)
    }

    @Test("fails the file of a stream without parameter sets before it exhausts the memory")
    func endlessWithoutParameterSets() throws {
        let silent = StreamParameters(codec: .h264, timeScale: 90_000, size: Clip.size)
        let file = try MovieFile(
            path: folder.file("silent.mov"), kind: .mov, tracks: [.video(silent, name: "guest")],
            createdAt: MovieFile.date)
        let picture = SharedBytes([0, 0, 0, 1, 0x65] + [UInt8](repeating: 0x55, count: 1 << 20))
        func packet(_ number: Int64) -> EncodedPacket {
            EncodedPacket(
                bytes: picture, presentation: number * 3000, decode: number * 3000, duration: 3000,
                isKey: true)
        }
        for number in Int64(0)..<63 { try file.append(packet(number), to: 0) }
        let error = #expect(throws: FileError.self) { try file.append(packet(63), to: 0) }
        #expect(error?.description.contains("without parameter sets") == true)
        #expect(throws: FileError.self) { try file.append(packet(64), to: 0) }
        #expect(file.finishingByteCount < 1 << 20)
        #expect(try file.finish().tracks.map(\.sampleCount) == [0])
    }

    @Test("enables only the first of several video tracks in players")
    func enabledTracks() throws {
        let clip = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file("session.mov"), kind: .mov,
            tracks: [.video(clip.parameters, name: "desk"), .video(clip.parameters, name: "face")],
            createdAt: MovieFile.date)
        try file.append([clip, clip])
        try file.finish()
        let movie = try #require(try Boxes(file: file.path).content("moov"))
        let flags = Boxes(movie).boxes.filter { $0.type == "trak" }.compactMap {
            Boxes($0.content).content("tkhd")?.number(at: 1, bytes: 3)
        }
        #expect(flags == [3, 2])
    }
}
