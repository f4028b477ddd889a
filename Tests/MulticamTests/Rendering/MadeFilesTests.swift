import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamRendering
import MulticamSession
import MulticamSessionFolder
import MulticamVirtualDevices
import Testing

@Suite("Files made from a recording")
struct MadeFilesTests {
    private static let size = FrameSize(width: 320, height: 180)

    private static func profile(
        desk: String = "rate: 30", face: String = "rate: 30",
        tracks: String = "cameras: copy, microphones: wav"
    ) -> String {
        """
        cameras:
          desk: { device: "virtual:clap?phase=3", size: 320x180, \(desk) }
          face: { device: "virtual:clap?phase=17", size: 320x180, \(face) }
        microphones: { host: { device: "virtual:clap" } }
        program: { size: 320x180, rate: 30, layout: single, main: desk, audio: { mix: [host] } }
        tracks: { \(tracks) }
        """
    }

    private static func numbers(_ path: String, stream: Int = 0) throws -> [UInt32?] {
        try Reader.strips(path, size: size, stream: stream).map { $0.map { UInt32($0.frame) } }
    }

    /// Returns a recording of two H.264 cameras that is split between two key frames.
    private static func split() async throws -> Recording {
        let host = ControllerHost { session, look in if look == 3 { session.split() } }
        return try await Recording(
            profile(desk: "rate: 30, format: h264", face: "rate: 30, format: h264"), seconds: 6, host: host,
            steer: host.attach)
    }

    @Test("a copied H.264 camera that was split uses its first file until the second file's key frame")
    func firstFrames() async throws {
        let recording = try await Self.split()
        let session = try RecordedSession(folder: recording.folder).withFirstFrames(in: recording.folder)
        let parts = try #require(session.angle("desk")).parts
        try #require(parts.count == 2)
        #expect(parts[1].firstFrame > parts[1].from && parts[0].to == parts[1].firstFrame)
        // According to ffprobe, this is the time of the second file's first frame after the file's time 0.
        let begin = try Reader.times(recording.path(parts[1].file)).first
        let found = parts[1].firstFrame.nanoseconds - parts[1].from.nanoseconds
        #expect(abs(Double(found) / 1e9 - (begin ?? 0)) < 0.001)
    }

    @Test("the proxies of a split H.264 camera have all of its frames, and no slate at the split")
    func proxies() async throws {
        let recording = try await Self.split()
        let session = try RecordedSession(folder: recording.folder)
        #expect(try Proxies(of: session, in: recording.folder).run().isEmpty)
        let files = try #require(session.angle("desk")).parts.map(\.file)
        let name: (String) -> String = { String($0.split(separator: "/").last ?? "") }
        let copied = try files.flatMap { try Self.numbers(recording.path("edit/proxies/" + name($0))) }
        let stored = try files.flatMap { try Self.numbers(recording.path($0)) }
        // Before the first key frame after T0, the program and the proxies show a slate.
        let shown = copied.drop { $0 == nil }
        let first = try #require(shown.first ?? nil)
        #expect(!shown.contains(nil) && copied.count - shown.count < 60)
        let missing = Set(stored.compactMap(\.self).filter { $0 >= first }).symmetricDifference(
            shown.compactMap(\.self))
        #expect(missing.count <= 4, "\(missing.sorted())")
    }

    @Test("each camera of a shared file has a separate proxy")
    func shared() async throws {
        let recording = try await Recording(
            Self.profile(tracks: "cameras: copy, microphones: wav, files: one"), seconds: 1)
        let session = try RecordedSession(folder: recording.folder)
        #expect(try Proxies(of: session, in: recording.folder).run().isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: recording.path("edit/proxies"))
        #expect(names.sorted() == ["desk-session.mov", "face-session.mov"])
        for name in names {
            let numbers = try Self.numbers(recording.path("edit/proxies/" + name))
            #expect(numbers.count == 30 && !numbers.contains(nil))
        }
        #expect(
            try Self.numbers(recording.path("edit/proxies/desk-session.mov"))
                != Self.numbers(recording.path("edit/proxies/face-session.mov")))
    }

    @Test(
        "slow cameras are shown within one frame of the recorded program, up to the end",
        arguments: [10, 15, 12])
    func slow(rate: Int) async throws {
        let recording = try await Recording(Self.profile(desk: "rate: \(rate)"), seconds: 2)
        let session = try RecordedSession(folder: recording.folder)
        let path = recording.path("edit/slow.mp4")
        try FileManager.default.createDirectory(
            atPath: recording.path("edit"), withIntermediateDirectories: true)
        let outcome = try Renderer(
            session, in: recording.folder,
            picture: RenderedPicture(session, in: recording.folder, cut: .live(of: session)),
            video: VideoEncodingSettings(
                size: session.size, rate: session.rate, preset: .ultrafast, quality: 20)
        ).run(to: path)
        #expect(outcome.faults.isEmpty)
        let (again, program) = (try Self.numbers(path), try Self.numbers(recording.path("program.mp4")))
        // The track stores the tick nearest to each frame, not the capture time.
        let nearest = zip(again, program).allSatisfy { shown, recorded in
            guard let shown, let recorded else { return shown == recorded }
            return abs(Int(shown) - Int(recorded)) <= 1
        }
        #expect(nearest && again.count == program.count, "\(again) in place of \(program)")
        #expect(again.last != .some(nil))
    }

    @Test("after the early end of a file a slate is shown, and a problem is reported")
    func short() async throws {
        let recording = try await Recording(Self.profile(), seconds: 3)
        let (whole, short) = (recording.path("cameras/desk.mov"), recording.path("short.mov"))
        try Reader.run("ffmpeg", ["-v", "error", "-i", whole, "-map", "0:v", "-c", "copy", "-t", "1", short])
        try FileManager.default.removeItem(atPath: whole)
        try FileManager.default.moveItem(atPath: short, toPath: whole)
        let session = try RecordedSession(folder: recording.folder)
        let outcome = try Renderer(
            session, in: recording.folder,
            picture: RenderedPicture(session, in: recording.folder, cut: .live(of: session)),
            video: VideoEncodingSettings(
                size: session.size, rate: session.rate, preset: .ultrafast, quality: 20)
        ).run()
        #expect(outcome.faults.joined().contains("desk.mov"))
        let numbers = try Self.numbers(outcome.path)
        #expect(numbers.prefix(30).allSatisfy { $0 != nil })
        #expect(numbers.suffix(25).allSatisfy { $0 == nil })
    }
}
