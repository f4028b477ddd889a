import MulticamSeededNoise
import Testing

@testable import MulticamTiming

@Suite("noise of timestamps")
struct StampNoiseTests {
    @Test("noise with hard bounds is flat up to the bounds; Gaussian noise is not flat", arguments: 1...20)
    func shape(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (flat, bell) = (StampNoise(), StampNoise())
        for _ in 0..<600 {
            flat.add(Double.random(in: -8e6...8e6, using: &generator))
            // This is an Irwin–Hall distribution: a sum of twelve uniform numbers is nearly normal.
            bell.add((0..<12).reduce(0) { sum, _ in sum + Double.random(in: -3e6...3e6, using: &generator) })
        }
        #expect(flat.flatness > 0.9)
        #expect(bell.flatness == 0)
        #expect((8e6...9.5e6).contains(flat.maxDeviation(stampCount: 600)))
        #expect(abs(flat.scale - 4.62e6) < 0.6e6)
        #expect(abs(bell.scale - 6e6) < 1e6)
    }

    @Test("one outlier in twenty timestamps does not widen the scale, and its influence is limited")
    func tail() {
        var noise = StampNoise()
        for index in 0..<2000 { noise.add(index % 20 == 0 ? 10e6 : index % 2 == 0 ? 1e5 : -1e5) }
        #expect(noise.scale < 2e5)
        #expect(noise.limitedDeviation(10e6) < 4e5)
        #expect(noise.limitedDeviation(-1e5) == -1e5)
    }

    @Test("if all timestamps are off the line, the scale grows until it includes them")
    func drift() {
        var noise = StampNoise()
        for index in 0..<1000 { noise.add(index % 2 == 0 ? 1e5 : -1e5) }
        for _ in 0..<1000 { noise.add(3e6) }
        #expect(noise.limitedDeviation(3e6) == 3e6)
    }
}
