import MulticamMedia
import Testing

@testable import MulticamTiming

@Suite("placement of audio on the session's samples")
struct AudioPlacementTests {
    private func reading(_ partsPerMillion: Double, residual: Nanoseconds = .zero) -> ClockReading {
        ClockReading(
            interval: .microseconds(21), partsPerMillion: partsPerMillion, residual: residual, isLocked: true,
            restarts: 0, moved: .zero)
    }

    @Test("audio of a device that is 200 ppm fast is steered to within 5 ms at first, and 0.1 ms at the end")
    func steering() {
        var placement = AudioPlacement()
        let devicePartsPerMillion = 200.0
        var deviation = 0.0
        var worst = 0.0
        var correction = 0.0
        for slice in 0..<6000 {
            let time = ClockTime(nanoseconds: Int64(slice) * 10_000_000)
            // The clock model reports 0 until its slope is known.
            let known = slice < 300 ? 0 : devicePartsPerMillion
            guard
                case .convert(let partsPerMillion) = placement.decide(
                    deviation: deviation, clock: reading(known), at: time)
            else {
                Issue.record("steering gave up at slice \(slice)")
                return
            }
            #expect(abs(partsPerMillion - correction) <= 0.2001)
            correction = partsPerMillion
            // A fast device delivers too many samples per slice, so they are placed too late.
            deviation -= 480 * (devicePartsPerMillion + correction) * 1e-6
            worst = max(worst, abs(deviation))
        }
        #expect(worst < 240)
        #expect(abs(deviation) < 4.8)
    }

    @Test("a jump is bridged or cut immediately", arguments: [(4800.0, true), (-4800.0, false)])
    func jumps(deviation: Double, isBridge: Bool) {
        var placement = AudioPlacement()
        let decision = placement.decide(
            deviation: deviation, clock: reading(0), at: ClockTime(nanoseconds: 0))
        #expect(decision == (isBridge ? .insertSilence(samples: 4800) : .cut(samples: 4800)))
    }
}
