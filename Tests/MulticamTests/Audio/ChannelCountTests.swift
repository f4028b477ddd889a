import Foundation
import MulticamSessionFolder
import Testing

@Suite("microphones with one to eight channels")
struct ChannelCountTests {
    /// Returns the rate, the number of channels, and the length in seconds of a WAV file, as reported by
    /// ffprobe.
    private func probe(_ path: String) throws -> String {
        let output = try Reader.run(
            "ffprobe",
            [
                "-v", "error", "-show_entries", "stream=sample_rate,channels,duration", "-of", "csv=p=0",
                path,
            ])
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("all channel counts are recorded, measured, and mixed")
    func made() async throws {
        let microphones = (1...8).map { "m\($0): { device: \"virtual:tone?channels=\($0)\" }" }
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:bars?size=160x120", rate: 15 } }
            microphones: { \(microphones.joined(separator: ", ")) }
            program: { size: 160x120, rate: 15, layout: single, main: a, audio: { mix: [m6] } }
            tracks: { microphones: wav }
            """, seconds: 2)
        try recording.checkSchema()
        for channels in 1...8 {
            let track = try recording.track("m\(channels)")
            #expect(track.channels == channels && track.samples?.written == 96_000)
            #expect(try probe(recording.path(track.file)) == "48000,\(channels),2.000000")
            // The level of a tone of amplitude 0.5 is -9.03 dB. At 1 kHz, the filters cancel the scale's
            // offset of 0.69. Each channel adds to the sum.
            let expected = -9.03 + 10 * log10(Double(channels))
            let loudness = try #require(track.loudness?.integrated_lufs)
            #expect(abs(loudness - expected) < 0.2, "\(channels) channels: \(loudness)")
            #expect(track.loudness?.true_peak_dbtp.map { abs($0 + 6.02) < 0.2 } == true)
        }
        // The mean of six equal channels equals each of them.
        let mixed = try Reader.audio(recording.path("program.mp4"))
        // ffmpeg mixes two equal channels into one that is 3 dB louder.
        let peak = (mixed[24_000..<72_000].max() ?? 0) / Float(2).squareRoot()
        #expect(abs(peak - 0.5) < 0.02)
    }

    @Test("the channels of a file stay separate", arguments: [3, 5, 8])
    func file(channels: Int) async throws {
        let frames = 60_000
        let audio = try FloatAudio(
            (0..<frames * channels).map { Float($0 % channels + 1) / 10 }, channels: channels)
        let recording = try await Recording(
            "microphones: { host: { device: \"file:\(audio.path)\" } }", seconds: 1)
        let path = recording.path("audio/host.wav")
        #expect(try probe(path) == "48000,\(channels),1.000000")
        let data = try Reader.run("ffmpeg", ["-v", "error", "-i", path, "-f", "f32le", "-"])
        let samples = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        #expect(samples.count == 48_000 * channels)
        for channel in 0..<channels {
            #expect(abs(samples[20_000 * channels + channel] - Float(channel + 1) / 10) < 1e-4)
        }
    }

    @Test("more than two channels are rejected for a shared movie before the recording starts")
    func commonMovie() async throws {
        let error = await #expect(throws: (any Error).self) {
            _ = try await Recording(
                """
                cameras: { a: { device: "virtual:bars?size=160x120", rate: 15 } }
                microphones: { host: { device: "virtual:tone?channels=4" } }
                tracks: { cameras: copy, microphones: wav, files: one }
                """, seconds: 1)
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("microphone host, which has 4 channels"))
    }
}
