import SeededNoise
import Testing

@testable import Timing

@Suite("how stamps scatter")
struct StampNoiseTests {
    @Test("noise between hard bounds is flat, its edge is its bound; a bell is not flat", arguments: 1...20)
    func shape(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (flat, bell) = (StampNoise(), StampNoise())
        for _ in 0..<600 {
            flat.add(Double.random(in: -8e6...8e6, using: &generator))
            // Irwin and Hall: a sum of twelve uniform numbers is all but normal.
            bell.add((0..<12).reduce(0) { sum, _ in sum + Double.random(in: -3e6...3e6, using: &generator) })
        }
        #expect(flat.flatness > 0.9)
        #expect(bell.flatness == 0)
        #expect((8e6...9.5e6).contains(flat.edge(stampCount: 600)))
        #expect(abs(flat.scale - 4.62e6) < 0.6e6)
        #expect(abs(bell.scale - 6e6) < 1e6)
    }

    @Test("one stamp in twenty far off neither widens the scale nor pulls beyond it")
    func tail() {
        var noise = StampNoise()
        for index in 0..<2000 { noise.add(index % 20 == 0 ? 10e6 : index % 2 == 0 ? 1e5 : -1e5) }
        #expect(noise.scale < 2e5)
        #expect(noise.held(10e6) < 4e5)
        #expect(noise.held(-1e5) == -1e5)
    }

    @Test("a line that all stamps lie off is followed: the scale grows until it takes them in")
    func drift() {
        var noise = StampNoise()
        for index in 0..<1000 { noise.add(index % 2 == 0 ? 1e5 : -1e5) }
        for _ in 0..<1000 { noise.add(3e6) }
        #expect(noise.held(3e6) == 3e6)
    }
}
