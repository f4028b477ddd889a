import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamSynchrony

@Suite("Detection of flashes")
struct FlashDetectorTests {
    private let interval = Nanoseconds(33_333_333)

    /// Returns the events in ten seconds of a scene with camera noise and the brightness `light`.
    private func events(
        seed: UInt64 = 1, noise: Double = 0.002, fullScale: Double = 1, count: Int = 300,
        _ light: (Int) -> Double
    ) -> [SharpEvent] {
        var generator = SeededGenerator(seed: seed)
        var detector = FlashDetector(fullScale: fullScale)
        return (0..<count).compactMap { index in
            detector.add(
                brightness: (light(index) + noise * generator.normal()) * fullScale, at: time(index),
                exposure: interval)
        }
    }

    private func time(_ index: Int) -> MediaTime { MediaTime(nanoseconds: Int64(index) * interval.count) }

    @Test(
        "A flash in one frame is an event within that frame's exposure, at any scale",
        arguments: [1.0, 255])
    func oneFrame(fullScale: Double) {
        let events = events(fullScale: fullScale) { $0 == 100 || $0 == 130 ? 0.9 : 0.4 }
        #expect(events.map(\.earliest) == [time(100), time(130)])
        #expect(events.map(\.latest) == [time(101), time(131)])
        #expect(events.allSatisfy { $0.strength > 10 })
    }

    @Test("A lamp that stays on is one event, and a second lamp is another")
    func lamp() {
        let events = events { 0.2 + ($0 >= 100 ? 0.3 : 0) + ($0 >= 120 ? 0.2 : 0) }
        #expect(events.map(\.earliest) == [time(100), time(120)])
    }

    @Test("A lamp turned on during an exposure is dated within it", arguments: [0.25, 0.5, 0.75])
    func partial(share: Double) {
        let events = events { $0 < 100 ? 0.2 : $0 == 100 ? 0.2 + 0.4 * share : 0.6 }
        #expect(events.map(\.earliest) == [time(100)])
    }

    @Test("A flash without noise is detected, even if it is dim", arguments: [0.03, 0.1, 0.6])
    func clean(height: Double) {
        let events = events(noise: 0) { $0 == 50 ? 0.3 + height : 0.3 }
        #expect(events.map(\.earliest) == [time(50)])
    }

    @Test("Slow changes of light, fades, mains flicker, a dark frame, and decreases are not events")
    func calm() {
        #expect(events { 0.2 + 0.6 * Double($0) / 300 }.isEmpty)
        #expect(events { 0.2 + 0.6 * min(1, max(0, Double($0 - 100) / 15)) }.isEmpty)
        #expect(events { 0.5 + ($0 % 3 == 0 ? 0.04 : 0) }.isEmpty)
        #expect(events { $0 == 100 ? 0.0 : 0.5 }.isEmpty)
        #expect(events { $0 < 100 ? 0.7 : 0.3 }.isEmpty)
    }

    @Test("Noise is not an event: 1000 cameras with different noise for ten seconds")
    func noise() {
        let found = (1...1000).reduce(0) { sum, seed in
            sum + events(seed: UInt64(seed), noise: 0.0005 * Double(1 + seed % 40)) { _ in 0.4 }.count
        }
        #expect(found == 0)
    }

    @Test("A reported cut and a new scene after a pause are not events")
    func cuts() {
        var detector = FlashDetector()
        var events: [SharpEvent] = []
        for index in 0..<200 {
            if index == 60 { detector.interrupt() }
            let pause: Int64 = index < 120 ? 0 : 20
            let light = index < 60 ? 0.1 : index < 120 ? 0.5 : 0.9
            if let event = detector.add(
                brightness: light + (index % 2 == 0 ? 0.001 : 0), at: time(index + Int(pause)),
                exposure: interval)
            {
                events.append(event)
            }
        }
        #expect(events.isEmpty)
    }

    @Test("NaN counts as dark, and infinity does not cause an event")
    func notANumber() {
        #expect(events { $0 % 7 == 3 ? .nan : 0.5 }.allSatisfy { $0.strength.isFinite })
        #expect(events { $0 == 40 ? .infinity : 0.5 }.isEmpty)
    }
}
