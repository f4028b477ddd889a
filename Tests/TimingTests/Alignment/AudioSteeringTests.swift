import Foundation
import Inputs
import Media
import Testing

@testable import SessionFolder
@testable import Timing

/// A microphone's clock model and its placement together, with a resampler that obeys exactly.
@Suite("audio steered by a clock model")
struct AudioSteeringTests {
    /// What came of it, slice by slice.
    private struct Course {
        /// Pitch of what is recorded, in parts per million of what was heard.
        var pitch: [Double] = []
        /// Where audio lies, less where it belongs, in milliseconds.
        var errors: [Double] = []
        /// Of the correction, in parts per million per second.
        var changes: [Double] = []
        /// Nothing was cut or bridged.
        var isWhole = true

        /// - Parameters:
        ///   - device: Counts samples.
        ///   - rate: Nominal samples per second.
        ///   - seconds: How long it runs.
        ///   - slicesPerSecond: It delivers as many.
        init(_ device: SimulatedDevice, rate: Double, seconds: Double, slicesPerSecond: Double = 100) {
            var device = device
            var clock = MicrophoneInput.clockModel(rate: Int(rate))
            var placement = AudioPlacement()
            let slice = Int64(rate / slicesPerSecond)
            let heard = Double(slice) * device.interval / 1e9
            // When the next sample is due on the track, in seconds of the session.
            var position: Double?
            var correction = 0.0
            for index in 0..<Int64(seconds * slicesPerSecond) {
                let time = clock.time(of: index * slice, stamped: device.stamp(index * slice))
                // As in a recording, which begins when devices have delivered for a while.
                guard Double(index) > slicesPerSecond / 2 else { continue }
                let due = Double(time.nanoseconds) / 1e9
                let previous = correction
                if let position {
                    let decision = placement.decide(
                        deviation: (due - position) * 48_000, clock: clock.reading, at: time)
                    if case .convert(let partsPerMillion) = decision {
                        correction = partsPerMillion
                    } else {
                        isWhole = false
                    }
                    changes.append(abs(correction - previous) / heard)
                } else {
                    correction = placement.begin(clock: clock.reading, at: time)
                }
                let truth = Double(device.truth(index * slice).nanoseconds) / 1e9
                errors.append(((position ?? due) - truth) * 1e3)
                let given = Double(slice) / rate * (1 + correction * 1e-6)
                pitch.append((heard / given - 1) * 1e6)
                position = (position ?? due) + given
            }
        }
    }

    private static let seconds = 120.0

    /// From when on the pitch holds: a bell tells least of where its middle is.
    private static let noises: [(noise: SimulatedDevice.Noise, settled: Double)] = [
        (.flat(.milliseconds(2)), 40), (.flat(.milliseconds(8)), 40), (.bell(.microseconds(300)), 40),
        (.bell(.milliseconds(1)), 90),
    ]

    @Test(
        "at ±200 ppm the pitch settles within 5 ppm and the place within 0.5 ms, and the pitch never changes by more than 20 ppm a second",
        arguments: [16_000.0, 44_100, 48_000], noises)
    func settles(rate: Double, noise: (noise: SimulatedDevice.Noise, settled: Double)) {
        let settled = Int((Self.seconds - noise.settled) * 100)
        for seed in 1...4 as ClosedRange<UInt64> {
            let drift = seed.isMultiple(of: 2) ? 200.0 : -200
            let device = SimulatedDevice(
                countsPerSecond: rate, partsPerMillion: drift, noise: noise.noise, seed: seed)
            let course = Course(device, rate: rate, seconds: Self.seconds)
            #expect(course.isWhole)
            #expect(course.changes.allSatisfy { $0 <= 20 })
            #expect(course.pitch.suffix(settled).allSatisfy { abs($0) < 5 })
            #expect(course.errors.suffix(settled).allSatisfy { abs($0) < 0.5 })
        }
    }

    @Test(
        "over ten hours, in slices of half a second, every microphone comes to within 0.5 ms and 5 ppm of the truth and stays",
        arguments: [(44_100.0, 200.0), (48_000, -200), (16_000, 200)])
    func tenHours(rate: Double, drift: Double) {
        let device = SimulatedDevice(
            countsPerSecond: rate, partsPerMillion: drift, noise: .flat(.milliseconds(2)), seed: 21)
        let course = Course(device, rate: rate, seconds: 36_000, slicesPerSecond: 2)
        // Half a second's slices tell as much in an hour as usual ones in a minute.
        let settled = course.errors.count - 2 * 3600
        #expect(course.isWhole && settled > 64_000)
        #expect(course.errors.suffix(settled).allSatisfy { abs($0) < 0.5 })
        #expect(course.pitch.suffix(settled).allSatisfy { abs($0) < 5 })
    }
}
