import Foundation
import MulticamSessionFolder
import Testing

@Suite("accuracy of the clock models in recordings")
struct ClockWorthTests {
    private static let seconds = 70.0
    private static let cameras: [(name: String, rate: Double, drift: Double)] = [
        ("a", 30, 180), ("b", 30, -120), ("c", 25, 20), ("d", 30, 300),
    ]
    private static let microphones: [(name: String, rate: Int, drift: Double)] = [
        ("k", 44_100, 200), ("l", 48_000, -200), ("m", 16_000, 200),
    ]

    private func profile(seed: Int) -> String {
        let cameras = Self.cameras.map {
            "  \($0.name): { device: \"virtual:clap?fps=\($0.rate)&drift=\($0.drift)&jitter=8&latency=80&seed=\(seed)\", "
                + "size: 320x180, rate: \($0.rate) }\n"
        }
        let microphones = Self.microphones.map {
            "  \($0.name): { device: \"virtual:clap?rate=\($0.rate)&drift=\($0.drift)&jitter=2&seed=\(seed)\" }\n"
        }
        return "cameras:\n" + cameras.joined() + "microphones:\n" + microphones.joined()
    }

    @Test(
        "with ±8 ms of jitter, 99.5 % of the frames after the first 2 s are within 0.55 intervals and 1.5 ms of their tick, and after a minute each rate is known within 5 ppm",
        arguments: [11, 12, 13])
    func jitter(seed: Int) async throws {
        let recording = try await Recording(profile(seed: seed), seconds: Self.seconds)
        for (name, rate, _) in Self.cameras {
            let errors = try StripErrors(recording, name)
            #expect(errors.values.count == Int(Self.seconds * rate))
            let late = errors.values.dropFirst(Int(2 * rate))
            let astray = late.filter { $0.map { abs($0) > 0.55 / rate + 0.0015 } ?? true }
            #expect(Double(astray.count) <= 0.005 * Double(late.count), "\(name)")
        }
        let truths = Self.cameras.map { ($0.name, $0.drift) } + Self.microphones.map { ($0.name, $0.drift) }
        for (name, drift) in truths {
            let clock = try #require(recording.manifest.devices.first { $0.role == name }?.clock)
            #expect(abs(clock.ppm - drift) < 5, "\(name)")
            #expect(clock.locked && clock.residual_us < 1000 && clock.restarts == 0, "\(name)")
        }
    }
}
