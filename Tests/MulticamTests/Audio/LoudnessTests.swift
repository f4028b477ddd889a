import Foundation
import Inputs
import Media
import Monitoring
import Session
import SessionFolder
import Testing

@Suite("how loud recordings are")
struct LoudnessTests {
    /// What ffmpeg's own meter says of a file's audio.
    private struct Measured {
        var integrated = 0.0
        var range = 0.0
        var truePeak = 0.0

        init(_ path: String) throws {
            let output = try Reader.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", path, "-vn", "-af",
                    "ebur128=peak=true:metadata=1,ametadata=mode=print:file=-", "-f", "null", "-",
                ])
            for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let value = Double(parts[1]) else { continue }
                switch parts[0] {
                case "lavfi.r128.I": integrated = value
                case "lavfi.r128.LRA": range = value
                case _ where parts[0].hasPrefix("lavfi.r128.true_peaks_ch"): truePeak = max(truePeak, value)
                default: break
                }
            }
        }
    }

    /// Audio in a file of its own folder, made by ffmpeg.
    private final class MadeAudio {
        let path: String
        private let folder: URL

        init(_ graph: String) throws {
            folder = FileManager.default.temporaryDirectory.appending(
                path: "multicam-sound-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            path = folder.path + "/sound.wav"
            try Reader.run(
                "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", graph, "-c:a", "pcm_s24le", path])
        }

        deinit {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("left behind: \(folder.path): \(error)")
            }
        }
    }

    @Test("the manifest says of each microphone and of the mix what another meter says of what was written")
    func figures() async throws {
        // Loud and quiet stretches, different in both channels, with peaks between the samples.
        let noise = try MadeAudio(
            "anoisesrc=d=12:c=pink:r=48000:a=0.7:seed=7,volume='if(lt(mod(t,4),2),1,0.2)':eval=frame,"
                + "asplit[a][b];[b]volume=0.5,adelay=700[c];[a][c]join=inputs=2:channel_layout=stereo")
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:bars?size=160x120", rate: 15 } }
            microphones:
              tone: { device: "virtual:tone?drift=80" }
              beeps: { device: "virtual:clap", gain: -6 }
              noise: { device: "file:\(noise.path)", channels: 2 }
            program: { size: 160x120, rate: 15, layout: single, main: a, audio: { mix: [beeps, noise], bitrate: 256k } }
            tracks: { microphones: wav }
            """, seconds: 10)
        try recording.checkSchema()
        for name in ["tone", "beeps", "noise"] {
            let track = try recording.track(name)
            try expect(track, hasLoudnessOf: Measured(recording.path(track.file)))
        }
        // The mix is measured as it goes to the encoder, which changes it a little: made again of the tracks it is the same.
        let program = try recording.track("program")
        let mix = recording.path("mix.wav")
        try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-i", recording.path("audio/beeps.wav"), "-i",
                recording.path("audio/noise.wav"),
                "-filter_complex",
                "[0]volume=-6dB,pan=stereo|c0=c0|c1=c0[beeps];[beeps][1]amix=inputs=2:normalize=0", "-c:a",
                "pcm_f32le", mix,
            ])
        try expect(program, hasLoudnessOf: Measured(mix))
        let encoded = try Measured(recording.path(program.file)).integrated
        #expect(try abs(#require(program.loudness?.integrated_lufs) - encoded) <= 0.3)
        #expect(try recording.track("tone").samples?.clipped == 0)
        #expect(!recording.events.contains { $0.contains("\"silence\"") || $0.contains("\"clipping\"") })
    }

    private func expect(_ track: Manifest.Track, hasLoudnessOf found: Measured) throws {
        let said = try #require(track.loudness, "\(track.name)")
        let (integrated, range) = try (#require(said.integrated_lufs), #require(said.range_lu))
        let peak = try #require(said.true_peak_dbtp)
        #expect(abs(integrated - found.integrated) <= 0.1, "\(track.name): \(said), ffmpeg \(found)")
        #expect(abs(range - found.range) <= 0.2, "\(track.name): \(said), ffmpeg \(found)")
        #expect(abs(peak - 20 * log10(found.truePeak)) <= 0.1, "\(track.name): \(said), ffmpeg \(found)")
    }

    @Test("a muted microphone is told at the beginning, is no failure, and has no loudness")
    func muted() async throws {
        let recording = try await Recording(
            """
            microphones: { a: { device: "virtual:silence" }, b: { device: "virtual:clap" } }
            """, seconds: 4)
        let told = recording.events.filter { $0.contains("\"event\":\"silence\"") }
        #expect(told.count == 1)
        #expect(told.first?.contains("\"alarm\":\"no-signal\"") == true)
        #expect(told.first?.contains("\"track\":\"a\"") == true)
        #expect(recording.result.exceededLimits.isEmpty)
        let loudness = try #require(try recording.track("a").loudness)
        #expect(loudness.integrated_lufs == nil && loudness.range_lu == nil && loudness.true_peak_dbtp == nil)
        try recording.checkSchema()
    }

    @Test("a microphone that is too loud is told once, with its time, and the overloads are counted")
    func clipping() async throws {
        let loud = try MadeAudio(
            "aevalsrc='clip(4*sin(2*PI*400*t),-1,1)*if(between(t,2,3),1,0.01)':d=6:s=48000")
        let recording = try await Recording(
            """
            microphones: { a: { device: "file:\(loud.path)" } }
            """, seconds: 5)
        let told = recording.events.filter { $0.contains("\"event\":\"clipping\"") }
        #expect(told.count == 1, "\(told)")
        #expect(
            told.first?.contains("\"at_ns\":20") == true || told.first?.contains("\"at_ns\":19") == true,
            "\(told)")
        // Of the 60 samples of each half period 51 are above a quarter, which is full scale here.
        let clipped = try #require(try recording.track("a").samples?.clipped)
        #expect(clipped == 40_800)
    }

    @Test("levels, loudness and alarms can be asked for while it records, and are there at the end")
    func live() async throws {
        let asked = ConditionLock<MulticamSession?>(nil)
        let seen = ConditionLock<[SessionStatus]>([])
        let recording = try await Recording(
            """
            microphones: { a: { device: "virtual:tone" }, b: { device: "virtual:silence" } }
            """, seconds: 5,
            audioTaps: [
                AudioTap(role: "a", capacity: 1000) { _ in
                    guard let session = asked.withLock({ $0 }) else { return }
                    let status = session.status
                    seen.withLock { $0.append(status) }
                }
            ], steer: { session in asked.withLock { $0 = session } })
        #expect(
            seen.withLock { $0.contains { $0.phase == .recording && $0.microphones[0].level.peak > 0.49 } })
        let last = try #require(asked.withLock { $0?.status })
        let (a, b) = (last.microphones[0], last.microphones[1])
        #expect(abs(a.level.peak - 0.5) < 0.01 && abs(a.level.rootMeanSquare - 0.3536) < 0.01)
        #expect(a.alarms.isEmpty && b.alarms == [.noSignal] && b.level.peak == 0)
        #expect(last.mix == nil && b.loudness?.integrated == nil)
        let (told, written) = (a.loudness?.integrated, try recording.track("a").loudness?.integrated_lufs)
        #expect(try abs(#require(told) - #require(written)) < 0.01)
    }
}
