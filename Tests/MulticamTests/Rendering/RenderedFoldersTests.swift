import Foundation
import MulticamInterchange
import MulticamMedia
import MulticamPlan
import MulticamRendering
import MulticamSession
import MulticamSessionFolder
import MulticamSystem
import MulticamVirtualDevices
import Testing

@Suite("Programs rendered from a folder")
struct RenderedFoldersTests {
    private static let size = FrameSize(width: 320, height: 180)
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap?phase=3", size: 320x180, rate: 30 }
          face: { device: "virtual:clap?phase=17", size: 320x180, rate: 30 }
        microphones: { host: { device: "virtual:clap" } }
        program: { size: 320x180, rate: 30, layout: single, main: desk, audio: { mix: [host] } }
        tracks: { cameras: copy, microphones: wav }
        """

    /// Renders the live cut of a folder and returns the file's path.
    private static func render(_ folder: String) throws -> String {
        let session = try RecordedSession(folder: folder)
        let path = try Renderer.nextFile(in: folder).path
        let outcome = try Renderer(
            session, in: folder, picture: RenderedPicture(session, in: folder, cut: .live(of: session)),
            video: VideoEncodingSettings(
                size: session.size, rate: session.rate, preset: .ultrafast, quality: 20)
        ).run(to: path)
        #expect(outcome.faults.isEmpty, "\(outcome.faults)")
        return path
    }

    private static func numbers(_ path: String) throws -> [UInt32?] {
        try Reader.strips(path, size: size).map { $0.map { UInt32($0.frame) } }
    }

    @Test("a recording recovered after a crash renders the frames of its program")
    func recovered() async throws {
        let crashed = try await CrashedRecording(Self.profile, crashingAt: 4) { session, second in
            guard second == 2 else { return }
            #expect(throws: Never.self) { try session.apply([.swap(with: "face")]) }
        }
        #expect(throws: FileError.self) { _ = try RecordedSession(folder: crashed.folder) }
        #expect(try crashed.recover().outcome == .recovered)
        let session = try RecordedSession(folder: crashed.folder)
        #expect(session.problems.joined().contains("interrupted and recovered"))
        let again = try Self.numbers(try Self.render(crashed.folder))
        let program = try Self.numbers(crashed.path("program.mp4"))
        #expect(again.count == Int(session.frameCount) && program.count == again.count)
        #expect(again == program && again.compactMap(\.self).count > 80)
    }

    @Test("a recording with a replaced camera, a late track, and parts renders the frames of its program")
    func pieces() async throws {
        let host = ControllerHost { session, second in
            #expect(throws: Never.self) {
                switch second {
                case 1: try session.apply([.stopTrack(role: "face")])
                case 2: try RandomSession.replaceCamera(in: session)
                case 3: try session.apply([.startTrack(role: "face")])
                case 4: session.split()
                case 5: try session.apply([.swap(with: "face")])
                default: break
                }
            }
        }
        let recording = try await Recording(Self.profile, seconds: 7, host: host, steer: host.attach)
        #expect(recording.manifest.tracks.filter { $0.kind == "camera" }.count >= 3)
        let again = try Self.numbers(try Self.render(recording.folder))
        let track = try recording.track("program")
        let program = try ([track.file] + (track.parts ?? [])).flatMap {
            try Self.numbers(recording.path($0))
        }
        #expect(again.count == 210 && program.count == 210)
        for (tick, frames) in zip(again, program).enumerated() {
            #expect(frames.0 == frames.1, "tick \(tick)")
        }
        #expect(again.compactMap(\.self).count > 180)
    }

    @Test("a folder that was moved and renamed renders the same bytes")
    func moved() async throws {
        // Without a title, the folder's name is used.
        let recording = try await Recording("title: An evening\n" + Self.profile, seconds: 1)
        let first = try Data(contentsOf: URL(fileURLWithPath: try Self.render(recording.folder)))
        let place = recording.folder + "-moved"
        try FileManager.default.moveItem(atPath: recording.folder, toPath: place)
        defer {
            #expect(throws: Never.self) {
                try FileManager.default.moveItem(atPath: place, toPath: recording.folder)
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: try Self.render(place))) == first)
    }
}
