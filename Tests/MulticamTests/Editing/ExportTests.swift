import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamRendering
import MulticamSession
import MulticamSessionFolder
import Testing

/// Exports random recordings in every format. An independent program in another language verifies the result.
///
/// `MULTICAM_EDIT_SESSIONS` is the number of recordings, `MULTICAM_EDIT_SEED` is the first seed, and
/// `MULTICAM_EDIT_FOLDER` is where their folders are copied for `tools/edit-test`.
@Suite("Exported projects", .serialized)
struct ExportTests {
    private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

    @Test("projects contain every angle, cut, marker, and gap, to the frame", .timeLimit(.minutes(240)))
    func random() async throws {
        let first = Self.variable("MULTICAM_EDIT_SEED").flatMap { UInt64($0) } ?? 1
        let count = Self.variable("MULTICAM_EDIT_SESSIONS").flatMap { UInt64($0) } ?? 20
        for seed in first..<first + count {
            let session = RandomSession(seed: seed)
            let host = session.host()
            let recording = try await Recording(
                session.profile, seconds: session.seconds, host: host, steer: host.attach)
            try recording.checkSchema()
            try Self.export(recording.folder)
            let rendered = try Self.render(recording)
            if let place = Self.variable("MULTICAM_EDIT_FOLDER") {
                try FileManager.default.copyItem(atPath: recording.folder, toPath: "\(place)/session-\(seed)")
            }
            let check = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
                path: "../../Editing/check_exports.py")
            do {
                try Reader.run("python3", [check.path, recording.folder])
            } catch {
                Issue.record("seed \(seed): \(error)\n\(session.profile)")
            }
            // An encoded track loses a little detail compared to the program, and a few frames of a copied
            // H.264 track may appear a tick later than in the program when the track ends or restarts.
            let isCopied = session.profile.contains("cameras: copy")
            let isWhole = isCopied && !session.profile.contains("h264")
            let mean = isWhole ? 0.99 : isCopied ? 0.98 : 0.95
            #expect(
                rendered.mean >= mean && rendered.least >= (isWhole ? 0.9 : 0.8),
                "seed \(seed): \(rendered)\n\(session.profile)")
        }
    }

    /// Renders the live cut again, and compares its frames with the program's if every visible camera has a
    /// track.
    ///
    /// - Returns: The mean and minimum SSIM of the compared frames, and the number of frames. Without a
    ///   program, the SSIM is 1.
    private static func render(_ recording: Recording) throws -> (mean: Double, least: Double, count: Int) {
        let session = try RecordedSession(folder: recording.folder)
        let cut = Cut.live(of: session)
        let path = recording.path("edit/rendered.mp4")
        let outcome = try Renderer(
            session, in: recording.folder,
            picture: RenderedPicture(session, in: recording.folder, cut: cut),
            video: VideoEncodingSettings(
                size: session.size, rate: session.rate, preset: .ultrafast,
                quality: session.encoding?.quality ?? 23)
        ).run(to: path)
        #expect(outcome.faults.isEmpty, "\(outcome.faults)")
        let video = try Reader.streams(path).first { $0.codec_name == "h264" }
        #expect(video?.frameCount == Int(session.frameCount))
        guard let program = recording.manifest.tracks.first(where: { $0.kind == "program" }) else {
            return (1, 1, 0)
        }
        let likeness = try FrameSimilarity.ofFrames(
            path, ([program.file] + (program.parts ?? [])).map(recording.path))
        #expect(likeness.count == Int(session.frameCount))
        let compared = FrameSimilarity.comparable(cut, of: session).filter { $0 < likeness.count }.map {
            likeness[$0]
        }
        return (
            compared.reduce(0, +) / Double(max(compared.count, 1)), compared.min() ?? 1, compared.count
        )
    }

    private static func export(_ folder: String) throws {
        let session = try RecordedSession(folder: folder).withFirstFrames(in: folder)
        #expect(session.problems.isEmpty)
        let files = try SessionExport.write(
            session, cut: .live(of: session), formats: EditFormat.allCases, in: folder)
        #expect(files.count == 5)
    }

    @Test(
        "an angle with a missing file is omitted with a note, and a folder without a recording is rejected"
    )
    func missingFile() async throws {
        let profile = """
            cameras:
              desk: { device: "virtual:clap?size=128x72", rate: 30 }
              face: { device: "virtual:clap?size=128x72", rate: 30 }
            program: { size: 128x72, rate: 30, layout: pip, main: desk, inset: face }
            tracks: { cameras: copy }
            """
        let recording = try await Recording(profile, seconds: 1)
        try FileManager.default.removeItem(atPath: recording.path("cameras/face.mov"))
        let session = try RecordedSession(folder: recording.folder)
        #expect(
            session.problems == [
                "cameras/face.mov is missing. The output doesn't contain this file."
            ])
        #expect(session.layers(of: Cut.live(of: session).shots[0]).map(\.role) == ["desk"])
        let error = #expect(throws: FileError.self) {
            _ = try RecordedSession(folder: recording.path("cameras"))
        }
        #expect(error?.description.contains("Specify a session folder") == true)
    }
}
