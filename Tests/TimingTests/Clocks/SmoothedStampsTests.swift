import MulticamInputs
import MulticamMedia
import MulticamSeededNoise
import MulticamTiming
import Testing

@Suite("a clock model for timestamps with correlated errors")
struct SmoothedStampsTests {
    /// A sound card as reported by a sound server. Every 100 ms, the server measures the time with an error
    /// of 0.3 ms, and derives the timestamps of all 10 ms slices from it. The first measurements are
    /// averaged; each later one changes the result by an eighth of the deviation.
    private struct Microphone {
        var device: SimulatedDevice
        private var deviation = Nanoseconds.zero
        private var reports: Int64 = 0

        init(partsPerMillion: Double, seed: UInt64) {
            device = SimulatedDevice(
                countsPerSecond: 48_000, partsPerMillion: partsPerMillion, noise: .bell(.microseconds(300)),
                seed: seed)
        }

        mutating func stamp(ofSlice index: Int64) -> ClockTime {
            let truth = device.truth(480 * index)
            if index.isMultiple(of: 10) {
                reports += 1
                deviation = deviation + (device.jittered(truth) - truth - deviation) / min(reports, 8)
            }
            return truth + deviation
        }
    }

    /// Returns root mean squares for the clocks of 40 microphones after some seconds: the error of the rate
    /// in parts per million, and the actual and the stated error of the latest capture time in microseconds.
    private func errors(
        after seconds: Int64, correlation: Nanoseconds
    ) -> (rate: Double, time: Double, stated: Double) {
        var sums = (rate: 0.0, time: 0.0, stated: 0.0)
        for seed in 1...40 as ClosedRange<UInt64> {
            let drift = seed.isMultiple(of: 2) ? 40.0 : -40
            var microphone = Microphone(partsPerMillion: drift, seed: seed)
            var clock = MicrophoneInput.clockModel(rate: 48_000, correlation: correlation)
            var error = Nanoseconds.zero
            for index in 0...(100 * seconds) {
                let time = clock.estimateTime(of: 480 * index, stamped: microphone.stamp(ofSlice: index))
                error = time - microphone.device.truth(480 * index)
            }
            let rate = clock.partsPerMillion - drift
            let (microseconds, stated) = (
                error.inMilliseconds * 1000, clock.residual.inMilliseconds * 1000
            )
            sums.rate += rate * rate
            sums.time += microseconds * microseconds
            sums.stated += stated * stated
        }
        return (
            (sums.rate / 40).squareRoot(), (sums.time / 40).squareRoot(), (sums.stated / 40).squareRoot()
        )
    }

    @Test("the apparent rate of the first second has little weight; after a minute, the rate is known")
    func rate() {
        let correlation = Nanoseconds.milliseconds(1500)
        #expect(errors(after: 1, correlation: correlation).rate < 60)
        for seconds in [2, 3, 5] as [Int64] {
            #expect(errors(after: seconds, correlation: correlation).rate < 50, "after \(seconds) s")
        }
        #expect(errors(after: 60, correlation: correlation).rate < 10)
        #expect(errors(after: 1, correlation: .zero).rate > 120, "else there is nothing to be careful of")
    }

    @Test(
        "its stated standard error is correct within a factor of three", arguments: [2, 20, 60])
    func honesty(seconds: Int64) {
        let errors = errors(after: seconds, correlation: .milliseconds(1500))
        #expect((1 / 3.0...3).contains(errors.stated / errors.time), "\(errors)")
    }
}
