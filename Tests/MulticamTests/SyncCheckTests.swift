import Foundation
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamTiming
import Testing

@testable import MulticamSynchrony

@Suite("sync checks of recordings")
struct SyncCheckTests {
    private func findings(_ recording: Recording) throws -> SyncFindings {
        try SyncCheck(try CheckedSession(folder: recording.folder)).run(version: "0.0.0")
    }

    private func track(
        _ name: String, _ kind: CheckedTrack.Kind, _ findings: SyncFindings
    ) throws -> SyncFindings.Track {
        try #require(findings.tracks.first { $0.name == name && $0.kind == kind })
    }

    @Test("Cameras recorded in sync are reported as aligned, at any phase", arguments: 1...6)
    func aligned(seed: Int) async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?seed=\(seed)&jitter=4", size: 320x180, rate: 30 }
              b: { device: "virtual:clap?seed=\(seed + 100)&drift=120", size: 320x180, rate: 30 }
              c: { device: "virtual:clap?seed=\(seed)&format=h264", size: 320x180, rate: 30, format: h264 }
              d: { device: "virtual:clap?seed=\(seed)&fps=60", size: 320x180, rate: 30 }
              e: { device: "virtual:clap?seed=\(seed)&fps=15", size: 320x180, rate: 30 }
            microphones:
              m: { device: "virtual:clap?drift=-90" }
              n: { device: "virtual:clap?rate=44100&drift=60" }
            program: { size: 320x180, rate: 30, layout: single, main: a, audio: { mix: [m] } }
            tracks: { cameras: copy, microphones: wav\(seed % 2 == 0 ? ", files: one" : "") }
            """, seconds: 8)
        let findings = try findings(recording)
        #expect(findings.verdict == .aligned, "\(findings.sentence)")
        for track in findings.tracks {
            // Every second frame of a 60 fps camera is missing from a 30 fps track, and the flashes may all
            // be in those frames.
            let isKnown = track.name != "d" || track.events > 0
            #expect(
                track.verdict == (track.name == "m" ? .reference : isKnown ? .aligned : .unknown), "\(track)")
            guard let start = track.start else { continue }
            // The true offset is 0, which is within the reported uncertainty.
            #expect(start.offset.magnitude <= start.uncertainty + .milliseconds(1), "\(track)")
            if track.kind.isAudio { #expect(start.offset.magnitude < .milliseconds(1)) }
        }
    }

    /// Creates a video of a gray wall at 30 frames per second. The frames are byte-identical, except for one
    /// white frame after each time.
    private func wall(_ folder: URL, flashes: [Double], seconds: Int) throws -> String {
        let file = folder.appending(path: "wall-\(UUID().uuidString).mov")
        let lit = flashes.map { "eq(N,\(Int(($0 * 30).rounded(.down))))" }.joined(separator: "+")
        _ = try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "color=0x303030:s=160x96:r=30:d=\(seconds),format=yuvj420p,geq=lum='if(\(lit),240,48)':cb=128:cr=128",
                "-c:v", "mjpeg", "-q:v", "3", file.path,
            ])
        return file.path
    }

    @Test("A camera with byte-identical frames except for flashes is measured by the flashes")
    func stillScene() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wall-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do { try FileManager.default.removeItem(at: folder) } catch {
                print("left behind: \(folder.path)")
            }
        }
        let flashes = [1.31, 2.67, 3.5, 5.88, 7.13]
        let (early, late) = (
            try wall(folder, flashes: flashes, seconds: 9),
            try wall(folder, flashes: flashes.map { $0 + 0.3 }, seconds: 9)
        )
        let recording = try await Recording(
            """
            cameras:
              a: { device: "file:\(early)" }
              b: { device: "file:\(late)" }
            tracks: { cameras: copy }
            """, seconds: 8.5)
        #expect(recording.manifest.tracks.allSatisfy { $0.frames?.duplicated == 0 })
        let findings = try findings(recording)
        #expect(findings.tracks.map(\.events) == [5, 5])
        let second = try track("b", .camera, findings)
        #expect(second.verdict == .apart)
        let start = try #require(second.start)
        #expect((start.offset - .milliseconds(300)).magnitude <= start.uncertainty)
    }

    @Test(
        "A frame repeated during a stall is not a captured frame, and the frame after it is not a flash"
    )
    func stalled() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:bars?stall=2:0.7,4:2.6", size: 320x180, rate: 30 }
            microphones: { m: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav }
            """, seconds: 9)
        #expect(recording.manifest.tracks.first?.frames?.slate ?? 0 > 30)
        #expect(try track("a", .camera, try findings(recording)).events == 0)
    }

    @Test(
        "Microphone offsets are accurate to 2 ms, camera offsets to their uncertainty, also after a split")
    func known() async throws {
        // The reference hears all sounds 120 ms late, so all other tracks are early.
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?fps=29.97", size: 320x180, rate: 30 }
              b: { device: "virtual:clap", size: 320x180, rate: 30 }
            microphones:
              m: { device: "virtual:clap", offset: 120ms }
              n: { device: "virtual:clap", offset: 97ms }
              o: { device: "virtual:clap", offset: 118ms }
            tracks: { cameras: copy, microphones: wav }
            """, seconds: 12, steer: { session in session.split() })
        #expect(recording.manifest.tracks.contains { $0.parts?.isEmpty == false })
        let findings = try findings(recording)
        #expect(findings.verdict == .apart)
        for (name, truth, verdict) in [("n", -23, .apart), ("o", -2, .aligned)]
            as [(String, Int64, SyncFindings.TrackVerdict)]
        {
            let audio = try track(name, .microphone, findings)
            #expect(audio.verdict == verdict)
            for measured in [audio.start, audio.end] {
                let error = try #require(measured).offset - .milliseconds(truth)
                #expect(error.magnitude < .milliseconds(2))
            }
        }
        for name in ["a", "b"] {
            let camera = try track(name, .camera, findings)
            #expect(camera.verdict == .apart)
            let start = try #require(camera.start)
            #expect((start.offset + .milliseconds(120)).magnitude <= start.uncertainty)
        }
    }

    @Test("A split copied H.264 track is measured from the start of its later file")
    func splitStream() async throws {
        let host = ControllerHost { session, look in if look == 1 { session.split() } }
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?format=h264", size: 320x180, rate: 30, format: h264 }
            microphones: { m: { device: "virtual:clap" } }
            tracks: { cameras: copy, microphones: wav }
            """, seconds: 12, host: host, steer: host.attach)
        let parts = try recording.track("a").part_details ?? []
        #expect(parts.count == 1)
        let findings = try findings(recording)
        let camera = try track("a", .camera, findings)
        #expect(camera.verdict == .aligned, "\(camera.summary)")
        for measured in [camera.start, camera.end] {
            let measured = try #require(measured)
            #expect(measured.offset.magnitude <= measured.uncertainty + .milliseconds(1))
        }
    }

    @Test("Changes at a known gap are not events, and a track with gaps is not reported as faulty")
    func gaps() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?unplug=2.3,5.6&replug=3.4,6.7", size: 320x180, rate: 30 }
              b: { device: "virtual:clap", size: 320x180, rate: 30 }
            microphones:
              m: { device: "virtual:clap" }
              n: { device: "virtual:clap?unplug=3.2&replug=4.35" }
            tracks: { cameras: copy, microphones: wav }
            """, seconds: 9)
        let session = try CheckedSession(folder: recording.folder)
        for name in ["a", "n"] {
            let track = try #require(session.tracks.first { $0.name == name })
            #expect(!track.gaps.isEmpty, "\(name)")
            // Events at either end of a gap are ignored.
            for gap in track.gaps {
                for time in [gap.from, gap.to] {
                    #expect(track.isNearGap(SharpEvent(earliest: time, latest: time, strength: 2)))
                }
                let before = MediaTime(nanoseconds: gap.from.nanoseconds - 500_000_000)
                #expect(!track.isNearGap(SharpEvent(earliest: before, latest: before, strength: 2)))
            }
        }
        let findings = try findings(recording)
        #expect(findings.verdict == .aligned, "\(findings.tracks.map(\.summary))")
        #expect(!findings.tracks.contains { $0.verdict == .apart })
    }

    @Test("Cameras in sync are reported as within one frame, not as a number of milliseconds apart")
    func withinOneFrame() async throws {
        let recording = try await Recording(
            """
            cameras:
              a: { device: "virtual:clap?phase=1", size: 320x180, rate: 30 }
              b: { device: "virtual:clap?phase=29", size: 320x180, rate: 30 }
            tracks: { cameras: copy }
            """, seconds: 5)
        let camera = try track("b", .camera, try findings(recording))
        #expect(camera.verdict == .aligned && camera.frame == FrameRate(30).interval)
        #expect(camera.summary.contains("within one frame"), "\(camera.summary)")
        #expect(!camera.summary.contains("ms"), "\(camera.summary)")
    }

    @Test("The report conforms to its schema, with known and unknown offsets")
    func schema() async throws {
        for pattern in ["clap", "bars"] {
            let recording = try await Recording(
                """
                cameras: { a: { device: "virtual:\(pattern)", size: 320x180, rate: 30 } }
                microphones: { m: { device: "virtual:clap" } }
                tracks: { cameras: copy, microphones: wav }
                """, seconds: 5)
            let findings = try findings(recording)
            #expect(findings.verdict == (pattern == "clap" ? .aligned : .unknown))
            try SessionFolder.write(JSONText.pretty(findings), to: "report/sync.json", in: recording.folder)
            let schema = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
                path: "../../docs/sync.schema.json")
            let check =
                "import json, sys, jsonschema; jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))"
            try Reader.run("python3", ["-c", check, recording.path("report/sync.json"), schema.path])
            let plot = recording.path("report/plot.svg")
            try SyncPlot(findings).document.write(toFile: plot, atomically: true, encoding: .utf8)
            try Reader.run(
                "python3", ["-c", "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])", plot])
        }
    }
}
