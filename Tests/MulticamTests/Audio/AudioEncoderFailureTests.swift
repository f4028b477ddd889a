import Foundation
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import MulticamTiming
import Testing

@Suite("audio encoder failures while recording")
struct AudioEncoderFailureTests {
    private static let profile = """
        cameras: { a: { device: "virtual:bars?size=160x120", rate: 15 } }
        microphones: { host: { device: "virtual:clap" } }
        program: { size: 160x120, rate: 15, layout: single, main: a, audio: { mix: [host] } }
        tracks: { microphones: wav }
        """

    @Test("a failed audio encoder is replaced, and the audio keeps its position and length")
    func restart() async throws {
        let recording = try await Recording(
            Self.profile, seconds: 5,
            changing: { setup in
                // The failure occurs about 2.3 s after T0.
                setup.codecs = BrokenAudioCodecs { encoder, call in encoder == 1 && call == 115 }
            })
        try recording.checkSchema()
        for stream in try Reader.streams(recording.path("program.mp4")) {
            try expect(stream, lasts: 5, within: 0.001)
        }
        // Claps keep their positions, except for AAC's effect on their edges.
        let onsets = Reader.onsets(try Reader.audio(recording.path("program.mp4")))
        let own = Reader.onsets(try Reader.audio(recording.path("audio/host.wav")))
        #expect(onsets.count == own.count && own.count >= 4)
        for (onset, other) in zip(onsets, own) { #expect(abs(onset - other) <= 64) }
        let gap = try #require(recording.manifest.gaps.first { $0.cause == "encoder" })
        #expect(gap.track == "program" && gap.to.nanoseconds - gap.from.nanoseconds < 200_000_000)
        #expect((2_000_000_000...2_400_000_000).contains(gap.from.nanoseconds))
        let told = recording.events.filter { $0.contains("Invalid argument") }
        #expect(told.count == 1 && told[0].contains(#""event":"drop""#))
        let track = try recording.track("program")
        #expect(track.failure == nil && track.sound_ended_ns == nil && track.loudness == nil)
        #expect(recording.result.encodingFailures.isEmpty)
    }

    @Test("after three failed attempts, only the audio is lost")
    func end() async throws {
        let recording = try await Recording(
            Self.profile, seconds: 4,
            changing: { setup in
                setup.codecs = BrokenAudioCodecs { encoder, call in encoder > 1 || call >= 100 }
            })
        try recording.checkSchema()
        let streams = try Reader.streams(recording.path("program.mp4"))
        #expect(streams.first { $0.codec_type == "video" }?.frameCount == 60)
        #expect(try Reader.audio(recording.path("audio/host.wav")).count == 192_000)
        let track = try recording.track("program")
        let ended = try #require(track.sound_ended_ns)
        #expect((1_800_000_000...2_000_000_000).contains(ended))
        #expect(track.duration_ns == 4_000_000_000 && track.ended_ns == nil)
        #expect(track.failure?.contains("Invalid argument") == true)
        let gap = try #require(recording.manifest.gaps.first { $0.cause == "encoder" })
        #expect(gap.from.nanoseconds == ended && gap.to.nanoseconds == 4_000_000_000)
        #expect(recording.result.encodingFailures.count == 1 && recording.result.isStored)
        #expect(
            recording.events.filter { $0.contains("Invalid argument") && !$0.contains("\"finished\"") }.count
                == 1)
    }

    @Test("in a shared movie, a microphone's silence after an encoder failure doesn't count as captured")
    func microphone() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:bars?size=160x120", rate: 15 } }
            microphones: { host: { device: "virtual:tone" } }
            tracks: { cameras: copy, microphones: wav, files: one }
            """, seconds: 3,
            changing: { setup in
                setup.codecs = BrokenAudioCodecs { encoder, call in encoder == 1 && call == 70 }
            })
        let track = try recording.track("host")
        let samples = try #require(track.samples)
        #expect(samples.written == 144_000 && (960...10_000).contains(samples.silence))
        #expect(recording.manifest.gaps.filter { $0.track == "host" && $0.cause == "encoder" }.count == 1)
    }
}
