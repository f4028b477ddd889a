import Foundation
import MulticamInputs
import MulticamMedia
import Testing

@testable import MulticamSessionFolder
@testable import MulticamTiming

/// Tests a microphone's clock model and its placement, with an exact resampler.
@Suite("audio controller with a clock model")
struct AudioSteeringTests {
    /// The results of a run, with one value per slice.
    private struct Course {
        /// Pitch deviation of the recorded audio, in parts per million.
        var pitch: [Double] = []
        /// Position of the audio minus its correct position, in milliseconds.
        var errors: [Double] = []
        /// Changes of the correction, in parts per million per second.
        var changes: [Double] = []
        /// Whether no audio was cut or bridged.
        var isWhole = true

        /// - Parameters:
        ///   - device: A device that counts samples.
        ///   - rate: Nominal samples per second.
        ///   - seconds: Duration of the run.
        ///   - slicesPerSecond: Number of slices delivered per second.
        init(_ device: SimulatedDevice, rate: Double, seconds: Double, slicesPerSecond: Double = 100) {
            var device = device
            var clock = MicrophoneInput.clockModel(rate: Int(rate))
            var placement = AudioPlacement()
            let slice = Int64(rate / slicesPerSecond)
            let heard = Double(slice) * device.interval / 1e9
            // The session time of the track's next sample, in seconds.
            var position: Double?
            var correction = 0.0
            for index in 0..<Int64(seconds * slicesPerSecond) {
                let time = clock.estimateTime(of: index * slice, stamped: device.stamp(index * slice))
                // A recording begins after the devices have delivered for a while.
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

    /// The kinds of noise, with the time until the pitch has settled. It is the longest for Gaussian noise,
    /// which contains the least information about its mean.
    private static let noises: [(noise: SimulatedDevice.Noise, settled: Double)] = [
        (.flat(.milliseconds(2)), 40), (.flat(.milliseconds(8)), 40), (.bell(.microseconds(300)), 40),
        (.bell(.milliseconds(1)), 90),
    ]

    @Test(
        "at ±200 ppm, the pitch settles within 5 ppm and the position within 0.5 ms, and the pitch changes by at most 20 ppm per second",
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
        "over ten hours in slices of half a second, every microphone settles within 0.5 ms and 5 ppm",
        arguments: [(44_100.0, 200.0), (48_000, -200), (16_000, 200)])
    func tenHours(rate: Double, drift: Double) {
        let device = SimulatedDevice(
            countsPerSecond: rate, partsPerMillion: drift, noise: .flat(.milliseconds(2)), seed: 21)
        let course = Course(device, rate: rate, seconds: 36_000, slicesPerSecond: 2)
        // Half-second slices give the same amount of information per hour as normal slices per minute.
        let settled = course.errors.count - 2 * 3600
        #expect(course.isWhole && settled > 64_000)
        #expect(course.errors.suffix(settled).allSatisfy { abs($0) < 0.5 })
        #expect(course.pitch.suffix(settled).allSatisfy { abs($0) < 5 })
    }
}
