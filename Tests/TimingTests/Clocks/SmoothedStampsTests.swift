import Inputs
import Media
import SeededNoise
import Testing
import Timing

@Suite("a clock model of stamps that share their errors")
struct SmoothedStampsTests {
    /// A sound card as a sound server tells of it: a report every 100 ms, 0.3 ms wide, of which every slice of 10 ms is dated. The
    /// first reports are averaged; later ones pull with an eighth of their deviation.
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

    /// What is wrong with 40 microphones' clocks after some seconds, as root mean squares: their rates by so many parts per
    /// million, what they tell of the latest stamp by so many microseconds, and what they say of that themselves.
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
                let time = clock.time(of: 480 * index, stamped: microphone.stamp(ofSlice: index))
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

    @Test("what the first second seems to say of the rate is not believed; a minute tells it")
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
        "the standard error that it states is the true one within a factor of three", arguments: [2, 20, 60])
    func honesty(seconds: Int64) {
        let errors = errors(after: seconds, correlation: .milliseconds(1500))
        #expect((1 / 3.0...3).contains(errors.stated / errors.time), "\(errors)")
    }
}
