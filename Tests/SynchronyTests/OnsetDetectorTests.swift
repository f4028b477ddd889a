import Glibc
import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamSynchrony

@Suite("Detection of onsets")
struct OnsetDetectorTests {
    /// Detects onsets in slices of irregular lengths.
    private func events(_ audio: SyntheticAudio, from start: MediaTime = .zero) -> [SharpEvent] {
        var detector = OnsetDetector(rate: audio.rate)
        var found: [SharpEvent] = []
        var (place, length) = (0, 1)
        while place < audio.samples.count {
            let end = min(place + length, audio.samples.count)
            let time = MediaTime(
                nanoseconds: start.nanoseconds + Int64(Double(place) / audio.rate * 1e9))
            found += detector.add(audio.samples[place..<end], at: time)
            (place, length) = (end, length * 7 % 1531 + 1)
        }
        return found + detector.finish()
    }

    private func seconds(_ event: SharpEvent) -> Double { Double(event.middle.nanoseconds) / 1e9 }

    @Test(
        "Clean beeps are detected to 0.05 ms at any rate and phase, and begin within the event's range",
        arguments: [8000.0, 16_000, 44_100, 48_000, 96_000])
    func clean(rate: Double) throws {
        var audio = SyntheticAudio(seconds: 4, rate: rate)
        let truths = [0.700_000, 1.703_217, 2.691_113, 3.5]
        for truth in truths { audio.beep(at: truth) }
        let found = events(audio, from: MediaTime(nanoseconds: 5_000_000_000))
        try #require(found.count == truths.count)
        for (event, truth) in zip(found, truths) {
            #expect(abs(seconds(event) - 5 - truth) < max(0.000_05, 0.5 / rate + 0.000_02))
            #expect(Double(event.earliest.nanoseconds) / 1e9 - 5 <= truth + 1e-8)
            #expect(Double(event.latest.nanoseconds) / 1e9 - 5 >= truth - 1e-8)
        }
    }

    @Test(
        "All beeps 20 dB above noise are detected to 0.5 ms, and nothing else",
        arguments: 1...20 as ClosedRange<UInt64>)
    func noisy(seed: UInt64) throws {
        var audio = SyntheticAudio(seconds: 10)
        audio.noise(0.0354, seed: seed)
        let truths = (1...9).map { Double($0) + 0.001_37 * Double($0) }
        for truth in truths { audio.beep(at: truth) }
        let found = events(audio)
        try #require(found.count == truths.count)
        for (event, truth) in zip(found, truths) { #expect(abs(seconds(event) - truth) < 0.000_5) }
    }

    @Test("A hand clap in a room is detected to 0.3 ms, but not its echoes")
    func clap() throws {
        var audio = SyntheticAudio(seconds: 3)
        audio.noise(0.001, seed: 3)
        var generator = SeededGenerator(seed: 4)
        // The sound is a burst that decays in 3 ms, and reverberation that decays by 60 dB in 0.5 s.
        audio.add(from: 1.25, lasting: 0.02) { 0.6 * exp(-$0 / 0.003) * generator.normal() / 2 }
        audio.add(from: 1.26, lasting: 1) { 0.05 * exp(-$0 * 6.9 / 0.5) * generator.normal() }
        let found = events(audio)
        try #require(found.count == 1)
        #expect(abs(seconds(found[0]) - 1.25) < 0.000_3)
    }

    @Test("Silence, noise, hum, a continuous tone, and audio present at the start do not contain onsets")
    func calm() {
        #expect(events(SyntheticAudio(seconds: 3)).isEmpty)
        for seed in 1...12 as ClosedRange<UInt64> {
            var noise = SyntheticAudio(seconds: 5)
            noise.noise(0.1, seed: seed)
            #expect(events(noise).isEmpty)
        }
        var hum = SyntheticAudio(seconds: 3)
        hum.noise(0.000_3, seed: 9)
        hum.add(from: 0, lasting: 3) { 0.1 * sin(2 * .pi * 50 * $0) + 0.03 * sin(2 * .pi * 150 * $0) }
        #expect(events(hum).isEmpty)
        var tone = SyntheticAudio(seconds: 5)
        tone.beep(at: 1, lasting: 3)
        #expect(events(tone).isEmpty)
        var early = SyntheticAudio(seconds: 2)
        early.beep(at: -0.01)
        #expect(events(early).isEmpty)
    }

    @Test("Noise that returns after a gap filled with silence is not an onset")
    func hole() {
        var audio = SyntheticAudio(seconds: 4)
        audio.noise(0.05, seed: 5)
        for index in 48_000..<96_000 { audio.samples[index] = 0 }
        #expect(events(audio).isEmpty)
    }

    @Test("At most one in twelve words is detected as an onset")
    func speech() {
        var (words, found) = (0, 0)
        for seed in 1...8 as ClosedRange<UInt64> {
            var audio = SyntheticAudio(seconds: 15)
            audio.noise(0.001, seed: seed)
            var speech = SyntheticSpeech(seed: seed)
            words += speech.speak(into: &audio)
            found += events(audio).count
        }
        #expect(words > 150)
        #expect(found * 12 <= words, "\(found) of \(words)")
    }

    @Test("No onset is reported during the refractory time after another one")
    func refractory() {
        var audio = SyntheticAudio(seconds: 3)
        for second in [1.0, 1.2, 1.6] { audio.beep(at: second) }
        #expect(events(audio).map { Int((seconds($0) * 10).rounded()) } == [10, 16])
    }

    @Test("NaN counts as silence")
    func notANumber() {
        var audio = SyntheticAudio(seconds: 2)
        audio.beep(at: 1)
        for index in stride(from: 0, to: 40_000, by: 100) { audio.samples[index] = .nan }
        #expect(events(audio).count == 1)
        audio.samples[20_000] = .infinity
        #expect(events(audio).allSatisfy { $0.strength.isFinite })
    }
}
