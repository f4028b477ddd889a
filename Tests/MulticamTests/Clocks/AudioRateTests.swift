import Foundation
import MulticamSessionFolder
import Testing

/// Tests the tones and beeps of synthetic microphones, recorded in simulated time and read back with ffmpeg.
@Suite("pitch and timing of recorded audio")
struct AudioRateTests {
    /// Time in seconds after which the pitch is stable. Changing it by 200 ppm takes 10.5 s, and gently
    /// compensating for the resulting delay of a millisecond takes twice that time.
    private static let settled = 37
    private static let seconds = 50

    private func microphones(_ pattern: String, seed: Int) -> String {
        """
        microphones:
          a: { device: "virtual:\(pattern)?rate=48000&drift=200&jitter=2&seed=\(seed)" }
          b: { device: "virtual:\(pattern)?rate=44100&drift=-200&jitter=2&seed=\(seed)" }
          c: { device: "virtual:\(pattern)?rate=16000&drift=200&jitter=2&seed=\(seed)" }
          d: { device: "virtual:\(pattern)?rate=44100&drift=200&jitter=8&seed=\(seed)" }
        """
    }

    @Test(
        "a 1 kHz tone at ±200 ppm ends within 5 ppm, changes by at most 20 ppm per second, and is clean from its first window",
        arguments: 1...3)
    func pitch(seed: Int) async throws {
        let recording = try await Recording(microphones("tone", seed: seed), seconds: Double(Self.seconds))
        for name in ["a", "b", "c", "d"] {
            let samples = try Reader.audio(recording.path("audio/\(name).wav"))
            #expect(samples.count == Self.seconds * 48_000)
            let reading = ToneReading(samples)
            let course = reading.course(every: ToneReading.windowsInSecond / 2)
            #expect(course.dropFirst(2 * Self.settled).allSatisfy { abs($0) < 5 }, "\(name)")
            // The measurement is accurate to a few tenths of a part per million.
            #expect(zip(course, course.dropFirst()).allSatisfy { abs($1 - $0) < 20 * 0.5 + 0.3 }, "\(name)")
            #expect(reading.windows.allSatisfy { $0.residue < -88 && $0.peak < -80 }, "\(name)")
        }
    }

    @Test("beeps at ±200 ppm are within 1.6 ms of their time initially, and within 0.3 ms once settled")
    func place() async throws {
        let recording = try await Recording(microphones("clap", seed: 4), seconds: Double(Self.seconds))
        for name in ["a", "b", "c"] {
            let samples = try Reader.audio(recording.path("audio/\(name).wav"))
            let errors = Reader.onsets(samples).dropFirst().map { onset in
                let time = Double(recording.manifest.t0_monotonic_ns) / 1e9 + Double(onset) / 48_000
                return abs(time - time.rounded())
            }
            #expect(errors.count >= Self.seconds - 2)
            #expect(errors.allSatisfy { $0 < 0.0016 }, "\(name)")
            #expect(errors.suffix(Self.seconds - Self.settled).allSatisfy { $0 < 0.0003 }, "\(name)")
        }
    }
}
