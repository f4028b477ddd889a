import Foundation
import MulticamContainers
import MulticamInterchange
import MulticamMedia
import MulticamRendering
import MulticamSeededNoise
import MulticamSessionFolder
import MulticamSystem
import MulticamTiming
import MulticamVirtualDevices
import Testing

/// Data as a phone would have stored it, made from the H.264 frames of a file. It is a sequence of messages,
/// each preceded by its length.
private struct PhoneStorage {
    var bytes = Data()

    mutating func add(
        _ kind: UInt8, isKey: Bool = true, number: Int = 0, at microseconds: Int64 = 0, _ content: Data
    ) {
        func put<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        put(UInt32(20 + content.count))
        bytes.append(contentsOf: [kind, isKey ? 1 : 0, 0, 0])
        put(Int64(number))
        put(microseconds)
        bytes.append(content)
    }

    mutating func addFormat(codec: String = "h264") {
        add(
            5,
            Data(
                #"{"codec":"\#(codec)","width":320,"height":180,"rate":30,"matrix":"bt709","full":false}"#
                    .utf8))
    }

    /// Adds the phone's clock at an instant: the offset to add to it and the error of the offset, in
    /// microseconds.
    mutating func addDate(at microseconds: Int64, offset: Int64, error: Int64) {
        add(
            4, at: microseconds,
            [offset, error].reduce(into: Data()) { data, number in
                withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
            })
    }

    /// Returns each packet of a movie in Annex B format, extracted by ffmpeg.
    static func packets(of path: String, in folder: String) throws -> [(isKey: Bool, bytes: Data)] {
        _ = try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-map", "0:v", "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f",
                "image2",
                "\(folder)/packet-%05d.bin",
            ])
        let keys = try Reader.run(
            "ffprobe",
            ["-v", "error", "-select_streams", "v", "-show_entries", "packet=flags", "-of", "csv=p=0", path])
        return try String(decoding: keys, as: UTF8.self).split(separator: "\n").enumerated().map {
            index, flags in
            let name = String(format: "%@/packet-%05d.bin", folder, index + 1)
            return (flags.hasPrefix("K"), try Data(contentsOf: URL(fileURLWithPath: name)))
        }
    }
}

@Suite("Frames that a phone stored during a recording")
struct PhoneIngestTests {
    private static let size = FrameSize(width: 320, height: 180)
    private static let id = "0123456789abcdef"

    private static func recording(_ selector: String, seconds: Double = 4) async throws -> Recording {
        let recording = try await Recording(
            """
            cameras: { desk: { device: "virtual:clap?format=h264\(selector)", size: 320x180, rate: 30, format: h264 } }
            program: { size: 320x180, rate: 30, layout: single, main: desk }
            tracks: { cameras: copy }
            """, seconds: seconds)
        var manifest = recording.manifest
        for index in manifest.devices.indices { manifest.devices[index].identity = "phone:anna" }
        try JSONText.pretty(manifest).write(to: URL(fileURLWithPath: recording.path("manifest.json")))
        return recording
    }

    private static func arrival() throws -> UploadArrival {
        try #require(UploadArrival(role: "desk", id: id))
    }

    /// Writes a phone's data to its upload location.
    private static func deliver(_ storage: PhoneStorage, to recording: Recording) throws -> PhoneIngest {
        let arrival = try arrival()
        try storage.bytes.write(to: URL(fileURLWithPath: recording.path(arrival.file)))
        return PhoneIngest(arrival, into: recording.folder)
    }

    @Test(
        "an upload becomes a file with every frame at its time, used for projects and renders instead of a track with a gap"
    )
    func whole() async throws {
        let recording = try await Self.recording("&unplug=1")
        let other = try await Self.recording("")
        try FileManager.default.createDirectory(
            atPath: other.path("packets"), withIntermediateDirectories: true)
        let packets = try PhoneStorage.packets(of: other.path("cameras/desk.mov"), in: other.path("packets"))
            .prefix(118)
        #expect(packets.count == 118 && recording.manifest.gaps.contains { $0.track == "desk" })
        // The phone's clock is 100 ppm fast and has another origin. It is queried twice.
        let t0 = recording.manifest.t0_monotonic_ns / 1000
        func phone(_ microseconds: Int64) -> Int64 { 5_000_000 + microseconds + microseconds / 10_000 }
        var storage = PhoneStorage()
        storage.addFormat()
        storage.addDate(at: phone(0), offset: t0 - phone(0), error: 900)
        for (index, packet) in packets.enumerated() {
            storage.add(
                2, isKey: packet.isKey, number: index, at: phone(Int64(index) * 1_000_000 / 30), packet.bytes)
        }
        storage.addDate(at: phone(4_000_000), offset: t0 + 4_000_000 - phone(4_000_000), error: 1200)
        let upload = try Self.deliver(storage, to: recording).run()
        #expect(
            upload.file == "cameras/desk-phone.mp4" && upload.error_ns == 1_200_000 && upload.id == Self.id)
        #expect(upload.first_ns == 0 && upload.frames == packets.count)
        #expect(!FileManager.default.fileExists(atPath: recording.path(try Self.arrival().file)))

        let times = try Reader.run(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
                recording.path(upload.file),
            ])
        let seconds = String(decoding: times, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
        #expect(seconds.count == packets.count)
        for (index, time) in seconds.enumerated() {
            #expect(abs(time - Double(index) / 30) < 0.0001, "\(index)")
        }
        let strips = try Reader.strips(recording.path(upload.file), size: Self.size).compactMap { $0?.frame }
        #expect(strips.count == packets.count && zip(strips, strips.dropFirst()).allSatisfy { $1 == $0 + 1 })

        #expect(try Self.deliver(storage, to: recording).run() == upload, "handed over once more")
        #expect(!FileManager.default.fileExists(atPath: recording.path(try Self.arrival().file)))
        #expect(try recording.manifest(in: recording.folder).uploads == [upload])
        let verification = try FolderVerification(folder: recording.folder)
        let listed = try #require(verification.files.first { $0.file == upload.file })
        #expect(verification.verdict(listed) == .intact)
        let session = try RecordedSession(folder: recording.folder)
        let angle = try #require(session.angle("desk"))
        #expect(angle.parts.map(\.file) == [upload.file] && angle.gaps.isEmpty && !angle.isOnGrid)
        let path = try Renderer.nextFile(in: recording.folder).path
        let outcome = try Renderer(
            session, in: recording.folder,
            picture: RenderedPicture(session, in: recording.folder, cut: .live(of: session)),
            video: VideoEncodingSettings(
                size: session.size, rate: session.rate, preset: .ultrafast, quality: 20)
        ).run(to: path)
        #expect(outcome.faults.isEmpty)
        let rendered = try Reader.strips(path, size: Self.size).map { $0?.frame }
        #expect(rendered.count == 120 && rendered.compactMap(\.self).count == 120)
        #expect(zip(rendered, rendered.dropFirst()).count { $0.1 != $0.0.map { $0 + 1 } } <= 2)
    }

    @Test("an upload is not shown if the track covers more of the recording")
    func less() async throws {
        let recording = try await Self.recording("")
        var manifest = recording.manifest
        manifest.uploads = [
            Manifest.Upload(
                role: "desk", device: "phone:anna", id: Self.id, file: "cameras/desk.mov", codec: "h264",
                width: 320,
                height: 180, rate: 30, first_ns: 1_000_000_000, duration_ns: 1_000_000_000, frames: 30,
                error_ns: 0)
        ]
        let session = try #require(RecordedSession(manifest, name: "n", isThere: { _ in true }))
        #expect(session.angle("desk")?.parts.first?.from == .zero)
        #expect(session.angle("desk")?.parts.last?.to.nanoseconds == manifest.duration_ns)
    }

    @Test(
        "an upload that is invalid, undated, from another time, or of an unknown camera is refused, and the recording is unchanged"
    )
    func refused() async throws {
        let recording = try await Self.recording("", seconds: 1)
        let before = try recording.bytes("manifest.json")
        var undated = PhoneStorage()
        undated.addFormat()
        undated.add(2, Data([0, 0, 0, 1, 0x65, 1]))
        var late = undated
        late.addDate(at: 0, offset: recording.manifest.t0_monotonic_ns / 1000 + 3_600_000_000, error: 1)
        var huge = PhoneStorage()
        huge.bytes = Data([0xFF, 0xFF, 0xFF, 0x7F]) + Data(count: 100)
        for (storage, word) in [
            (PhoneStorage(), "no frames"), (huge, "no frames"), (undated, "the capture times of its frames"),
            (late, "during the recording"),
        ] {
            let error = #expect(throws: FileError.self) {
                _ = try Self.deliver(storage, to: recording).run()
            }
            #expect(error?.description.contains(word) == true, "\(String(describing: error))")
        }
        let stranger = try #require(UploadArrival(role: "face", id: Self.id))
        let error = #expect(throws: FileError.self) {
            _ = try PhoneIngest(stranger, into: recording.folder).run()
        }
        #expect(error?.description.contains("was not a phone") == true)
        #expect(
            UploadArrival(role: "../face", id: Self.id) == nil
                && UploadArrival(role: "face", id: "a/b") == nil)
        #expect(try recording.bytes("manifest.json") == before)
    }

    @Test(
        "a damaged upload becomes a file of its readable data, or is rejected with one sentence",
        arguments: 1...40 as ClosedRange<UInt64>)
    func damaged(seed: UInt64) async throws {
        let recording = try await Self.recording("", seconds: 0.5)
        var generator = SeededGenerator(seed: seed)
        var storage = PhoneStorage()
        storage.addFormat()
        storage.addDate(at: 0, offset: recording.manifest.t0_monotonic_ns / 1000, error: 10)
        for index in 0..<15 {
            storage.add(
                2, isKey: index == 0, number: index, at: Int64(index) * 33_333,
                Data([
                    0, 0, 0, 1, 0x67, 0x42, 0xC0, 0x1E, 0xDA, 0, 0, 0, 1, 0x68, 0xCE, 0, 0, 0, 1, 0x65,
                    UInt8(index),
                ]))
        }
        for _ in 0..<(1 + generator.next() % 8) {
            storage.bytes[Int(generator.next() % UInt64(storage.bytes.count))] = UInt8(
                truncatingIfNeeded: generator.next())
        }
        if generator.next() % 3 == 0 { storage.bytes.removeLast(Int(generator.next() % 200)) }
        do {
            let upload = try Self.deliver(storage, to: recording).run()
            #expect(upload.frames > 0 && upload.duration_ns >= 0 && upload.first_ns >= 0)
            #expect(FileVerification.fault(ofMovie: recording.path(upload.file)) == nil)
        } catch let error as FileError {
            #expect(error.description.hasSuffix(".") && error.path.hasPrefix(recording.folder))
        }
        _ = try RecordedSession(folder: recording.folder)
    }
}
