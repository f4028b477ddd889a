import Foundation
import MulticamMedia
import Testing

@testable import MulticamKit

@Suite("Search for a control value that makes frames look alike")
struct LookSearchTests {
    /// Searches as `match` does, with a camera that produces `look` at a value.
    private static func found(
        isRatio: Bool, from start: Int64, wanted: Double, _ look: (Int64) -> Double
    ) -> (value: Int64, look: Double, steps: Int) {
        var search = ControlValueSearch(isRatio: isRatio)
        var value = start
        for step in 0..<5 {
            if abs(look(value) - wanted) <= 0.015 { return (value, look(value), step) }
            value = search.next(value: value, own: look(value), wanted: wanted)
        }
        return (value, look(value), 5)
    }

    @Test(
        "finds an exposure time in a few steps for any gamma of the camera",
        arguments: [1.0, 0.45, 1 / 2.2, 0.7])
    func exposure(gamma: Double) {
        for start in [20, 60, 156, 400, 900] as [Int64] {
            let found = Self.found(isRatio: true, from: start, wanted: 0.45) {
                min(1, pow(Double($0) / 500, gamma))
            }
            #expect(abs(found.look - 0.45) <= 0.015, "from \(start): \(found)")
        }
    }

    @Test(
        "finds a color temperature in a few steps for any sensitivity of the camera",
        arguments: [0.2, 0.5, 1.0])
    func temperature(strength: Double) {
        for start in [3500, 4600, 5800] as [Int64] {
            let found = Self.found(isRatio: false, from: start, wanted: 0.05) {
                strength * (Double($0) - 4600) / 3000
            }
            #expect(abs(found.look - 0.05) <= 0.015, "from \(start): \(found)")
        }
    }

    @Test("requests no impossible values if frames are black, white, or don't change")
    func hopeless() {
        for look in [0.0, 1.0, .nan] {
            for isRatio in [true, false] {
                var search = ControlValueSearch(isRatio: isRatio)
                var value: Int64 = 100
                for _ in 0..<20 { value = search.next(value: value, own: look, wanted: 0.5) }
                #expect(value >= Int64.min && value <= Int64.max)
            }
        }
    }

    @Test("the best tried value is kept if the last one is worse")
    func best() {
        var trials = ControlValueTrials(100, 0.2)
        for (value, difference) in [(200, 0.05), (400, 0.3), (300, .nan), (250, 0.05)] as [(Int64, Double)] {
            trials.add(value, difference)
        }
        #expect(trials.best == 200)
        var worse = ControlValueTrials(100, 0.2)
        worse.add(200, 0.4)
        #expect(worse.best == 100)
    }
}
