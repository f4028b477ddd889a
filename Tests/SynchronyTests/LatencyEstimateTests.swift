import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamSynchrony

@Suite("Latency estimates")
struct LatencyEstimateTests {
    private func ms(_ value: Double) -> Nanoseconds { .seconds(rounding: value / 1000) }
    private func instant(_ seconds: Double) -> MediaTime { MediaTime(Int64((seconds * 1e9).rounded())) }

    /// Returns the times of claps at irregular intervals, like those of a person.
    private func claps(_ count: Int, _ generator: inout SeededGenerator) -> [Double] {
        var second = 2.0
        return (0..<count).map { _ in
            defer { second += 1 + generator.fraction() }
            return second
        }
    }

    /// Returns a microphone's events for claps, accurate to some microseconds.
    private func audioEvents(_ claps: [Double], later: Double = 0) -> [SharpEvent] {
        claps.map {
            SharpEvent(
                earliest: instant($0 + later - 0.00002), latest: instant($0 + later + 0.00002), strength: 9)
        }
    }

    private func flashEvents(_ claps: [Double], latency: Double, phase: Double) -> [SharpEvent] {
        let light = SyntheticLight(latency: latency, phase: phase)
        return light.events(at: claps, until: (claps.last ?? 0) + 1, seed: 1)
    }

    @Test("ten claps spread over all phases of a frame give the latency to 2 ms, in 99 of 100 cases")
    func spread() throws {
        var good = 0
        for seed in 1...100 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let (truth, phase) = (0.137 + 0.1 * generator.fraction(), 0.03 * generator.fraction())
            // There is one clap per tenth of a frame, in random order, and each is slightly irregular.
            let tenths = (0..<10).map(Double.init).shuffled(using: &generator)
            let claps = tenths.enumerated().map { index, tenth in
                2 + 1.5 * Double(index) + (tenth + 0.3 * generator.fraction()) * SyntheticLight.interval / 10
            }
            let estimate = try #require(
                LatencyEstimate(
                    of: flashEvents(claps, latency: truth, phase: phase), against: audioEvents(claps),
                    mediaType: .video))
            if (estimate.median - ms(truth * 1000)).magnitude <= ms(2) { good += 1 }
        }
        #expect(good >= 99)
    }

    @Test("the true latency is within the uncertainty, which is below 2 ms with enough irregular claps")
    func people() throws {
        var fine = 0
        for seed in 1...60 {
            var generator = SeededGenerator(seed: UInt64(seed) &* 31)
            let (truth, phase) = (0.3 * generator.fraction(), 0.03 * generator.fraction())
            let claps = claps(60, &generator)
            let seen = flashEvents(claps, latency: truth, phase: phase)
            for count in [3, 5, 10, 20, 40, 60] {
                let estimate = try #require(
                    LatencyEstimate(
                        of: seen, against: audioEvents(Array(claps.prefix(count))), mediaType: .video))
                #expect((estimate.median - ms(truth * 1000)).magnitude <= estimate.uncertainty, "\(seed)")
                if count == 60, estimate.uncertainty <= ms(2) { fine += 1 }
            }
        }
        #expect(fine >= 58)
    }

    @Test(
        "the true time is within each event's range for any exposure and any duration of the light",
        arguments: [0.1, 0.3, 0.6, 1], [0.002, 0.02, 0.06, 0.5])
    func lights(exposureShare: Double, lasting: Double) throws {
        var noticed = 0
        for seed in 1...15 {
            var generator = SeededGenerator(seed: UInt64(seed) &* 77)
            let claps = claps(10, &generator)
            let light = SyntheticLight(
                exposureShare: exposureShare, lasting: lasting, phase: 0.03 * generator.fraction())
            let events = light.events(at: claps, until: 25, seed: UInt64(seed))
            noticed += events.count
            for event in events {
                // A flash can begin before the exposure that shows only its end.
                let early = min(lasting, (1 - exposureShare) * SyntheticLight.interval)
                let isRight = claps.contains { clap in
                    instant(clap) >= MediaTime(event.earliest.nanoseconds - Int64(early * 1e9))
                        && instant(clap) <= event.latest
                }
                #expect(isRight, "\(seed): \(event) of \(claps)")
            }
        }
        // A short flash between two exposures isn't visible.
        #expect(Double(noticed) >= 150 * min(1, (exposureShare + lasting / SyntheticLight.interval) / 2))
    }

    @Test(
        "lamps that stay on give the latency as accurately as flashes", arguments: [0.2, 0.5, 1])
    func lamps(exposureShare: Double) throws {
        for seed in 1...12 {
            var generator = SeededGenerator(seed: UInt64(seed) &* 101)
            let claps = claps(60, &generator)
            let light = SyntheticLight(
                exposureShare: exposureShare, lasting: 0.4, latency: 0.08,
                phase: 0.03 * generator.fraction())
            let events = light.events(at: claps, until: 130, seed: UInt64(seed))
            let estimate = try #require(
                LatencyEstimate(of: events, against: audioEvents(claps), mediaType: .video))
            #expect((estimate.median - ms(80)).magnitude <= estimate.uncertainty, "\(seed)")
            #expect(estimate.uncertainty <= ms(4), "\(seed)")
        }
    }

    @Test("claps at every full second are only accurate to an exposure, and the estimate reports the reason")
    func periodic() throws {
        let claps = (2...21).map(Double.init)
        let estimate = try #require(
            LatencyEstimate(
                of: flashEvents(claps, latency: 0.137, phase: 0.01), against: audioEvents(claps),
                mediaType: .video))
        #expect(estimate.eventCount == 20)
        #expect((estimate.median - ms(137)).magnitude <= estimate.uncertainty)
        #expect(estimate.uncertainty > ms(16) && estimate.uncertainty < ms(18))
        #expect(estimate.needsOtherPhases)
    }

    @Test("a camera that is almost a second late is not estimated as early")
    func late() throws {
        let claps = (2...21).map(Double.init)
        let estimate = try #require(
            LatencyEstimate(
                of: flashEvents(claps, latency: 0.8, phase: 0.01), against: audioEvents(claps),
                mediaType: .video))
        #expect((estimate.median - ms(800)).magnitude < ms(17))
    }

    @Test("events that only one device detected, and lights without a clap, do not affect the estimate")
    func falseEvents() throws {
        var generator = SeededGenerator(seed: 5)
        let claps = claps(30, &generator)
        let lights = (claps.enumerated().filter { $0.offset % 4 != 0 }.map(\.element) + [7.77, 19.31, 28.13])
            .sorted()
        let audioBlocks = (claps.enumerated().filter { $0.offset % 5 != 0 }.map(\.element) + [11.11, 23.42])
            .sorted()
        let estimate = try #require(
            LatencyEstimate(
                of: flashEvents(lights, latency: 0.137, phase: 0.02), against: audioEvents(audioBlocks),
                mediaType: .video)
        )
        #expect((estimate.median - ms(137)).magnitude <= estimate.uncertainty)
        #expect(estimate.uncertainty <= ms(4))
        #expect((15...20).contains(estimate.eventCount))
    }

    @Test("microphones are compared to a fraction of a millisecond, even if the distance of the claps varies")
    func microphones() throws {
        var generator = SeededGenerator(seed: 9)
        let claps = claps(10, &generator)
        let others = claps.map { clap -> SharpEvent in
            let later = 0.0412 + 0.0005 * generator.normal()
            return audioEvents([clap], later: later)[0]
        }
        let estimate = try #require(
            LatencyEstimate(of: others, against: audioEvents(claps), mediaType: .audio))
        #expect((estimate.median - ms(41.2)).magnitude <= estimate.uncertainty)
        #expect(estimate.uncertainty < ms(1))
        let early = audioEvents(claps, later: -0.25)
        let second = try #require(LatencyEstimate(of: early, against: audioEvents(claps), mediaType: .audio))
        #expect((second.median + ms(250)).magnitude < ms(0.1))
    }

    @Test("fewer than three events are not usable, and neither is an estimate that may be worse than 0")
    func usable() throws {
        #expect(LatencyEstimate([]) == nil)
        let range = ms(100)...ms(101)
        #expect(try #require(LatencyEstimate([range, range])).isUsable(goal: ms(2)) == false)
        #expect(try #require(LatencyEstimate([range, range, range])).isUsable(goal: ms(2)))
        let coarse = ms(100)...ms(133)
        #expect(try #require(LatencyEstimate([coarse, coarse, coarse])).isUsable(goal: ms(2)))
        let aboutZero = ms(-3)...ms(30)
        #expect(
            try #require(LatencyEstimate([aboutZero, aboutZero, aboutZero])).isUsable(goal: ms(2)) == false)
        // If the true latency is 1 ms, no correction is better than 7 ms.
        let small = ms(1)...ms(13)
        #expect(try #require(LatencyEstimate([small, small, small])).isUsable(goal: ms(2)) == false)
        // If the true latency is 5 ms or more, 9 ms is better than no correction.
        let plain = ms(5)...ms(13)
        #expect(try #require(LatencyEstimate([plain, plain, plain])).isUsable(goal: ms(2)))
    }

    @Test(
        "events of a drifting microphone have session times, and a gap does not hide later events"
    )
    func microphoneEvents() throws {
        var audio = SyntheticAudio(seconds: 40)
        let beeps = stride(from: 1.0, to: 39, by: 2).map { $0 }
        // The device clock is 200 ppm fast, so one second of samples is shorter than a second.
        for beep in beeps { audio.beep(at: beep * 1.0002) }
        var microphone = MicrophoneEventDetector(rate: 48_000)
        var events: [SharpEvent] = []
        for first in stride(from: 0, to: audio.samples.count - 480, by: 480) {
            // A period of 10 ms is lost, but the device's count continues.
            guard first != 480 * 1050 else { continue }
            events += microphone.add(
                Array(audio.samples[first..<first + 480]), channels: 1, firstSample: Int64(first),
                at: instant(Double(first) / 48_000 / 1.0002), error: .microseconds(10))
        }
        #expect(events.count == beeps.count)
        for (event, beep) in zip(events, beeps) {
            #expect(
                (event.earliest.nanoseconds...event.latest.nanoseconds).contains(instant(beep).nanoseconds))
        }
    }
}

extension MediaTime {
    fileprivate init(_ nanoseconds: Int64) { self.init(nanoseconds: nanoseconds) }
}
