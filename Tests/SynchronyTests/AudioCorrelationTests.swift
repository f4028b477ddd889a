import Glibc
import MulticamMedia
import Testing

@testable import MulticamSynchrony

@Suite("Audio correlation")
struct AudioCorrelationTests {
    private let rate = 16_000.0

    @Test(
        "Speech in a room, as loud as the noise, gives the offset to 0.15 ms, with or without drift",
        arguments: [(1, 0.0, 0.0), (2, 0.0213, 0), (3, -0.31, 20), (4, 0.105, -100), (5, 0.4404, 200)]
            as [(UInt64, Double, Double)])
    func speech(seed: UInt64, offset: Double, drift: Double) throws {
        let room = SyntheticRoom(seed: seed, seconds: 12, rate: rate, echoes: 20)
        let (first, second) = (room.microphone(0), room.microphone(1, offset: offset, drift: drift))
        let correlation = try AudioCorrelation(rate: rate)
        let peak = try #require(correlation.peak(of: first.samples, and: second.samples))
        #expect(peak.isCertain, "\(peak)")
        // The delay of audio at time t is offset + drift · t, where t is the middle of the window.
        let truth = offset + drift * 1e-6 * 6
        #expect(abs(peak.offset.inSeconds - truth) < 0.000_15, "\(peak) instead of \(truth)")
    }

    @Test("Noise of two rooms with the same hum, a tone, and silence do not give a certain offset")
    func nothing() throws {
        let correlation = try AudioCorrelation(rate: rate)
        for seed in 1...10 as ClosedRange<UInt64> {
            var audioBlocks: [SyntheticAudio] = []
            for microphone in 0..<2 as Range<UInt64> {
                var audio = SyntheticAudio(seconds: 12, rate: rate)
                audio.noise(0.003, seed: seed * 2 + microphone)
                audio.hum(0.01, phases: (1...20).map { Double($0 * $0) })
                audioBlocks.append(audio)
            }
            let peak = correlation.peak(of: audioBlocks[0].samples, and: audioBlocks[1].samples)
            #expect(peak?.isCertain == false, "\(seed): \(String(describing: peak))")
        }
        var tone = SyntheticAudio(seconds: 12, rate: rate)
        tone.beep(at: 0, lasting: 12)
        #expect(correlation.peak(of: tone.samples, and: tone.samples)?.isCertain == false)
        let later = Array(repeating: 0, count: 53) + tone.samples.dropLast(53)
        #expect(correlation.peak(of: tone.samples, and: later)?.isCertain == false)
        let silence = SyntheticAudio(seconds: 12, rate: rate)
        #expect(correlation.peak(of: silence.samples, and: tone.samples) == nil)
        #expect(correlation.peak(of: Array(tone.samples.prefix(1000)), and: tone.samples) == nil)
    }
}
