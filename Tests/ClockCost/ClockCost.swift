import MulticamEncoding
import MulticamMedia
import MulticamTiming

/// Measures the CPU time of clock models and resampling as a share of a core, for four cameras and four
/// microphones. Use a release build; see `tools/clock-cost`.
@main
struct ClockCost {
    private static let seconds = 600.0

    static func main() throws {
        var clocks = Nanoseconds.zero
        for rate in [24.0, 25, 29.97, 60] {
            clocks = clocks + stamps(DeviceClock(nominalSecondsPerCount: 1 / rate), rate, 1)
        }
        for rate in [16_000.0, 44_100, 48_000, 96_000] {
            let clock = DeviceClock(
                nominalSecondsPerCount: 1 / rate, windowLength: 12_000, priorPartsPerMillion: 50)
            clocks = clocks + stamps(clock, rate, Int64(rate / 100))
        }
        report("dating by 4 cameras and 4 microphones", clocks, of: 0.5)
        for rate in [16_000, 44_100, 48_000] {
            report("resampling one channel from \(rate) Hz", try resampling(rate), of: 1)
        }
    }

    /// Returns the time that a model needs to process timestamps with uniform jitter, `step` counts apart,
    /// and to place audio.
    private static func stamps(_ clock: DeviceClock, _ rate: Double, _ step: Int64) -> Nanoseconds {
        var (clock, placement) = (clock, AudioPlacement())
        var generator = SystemRandomNumberGenerator()
        let times = (0..<Int64(seconds * rate / Double(step))).map { index in
            let jitter = Int64.random(in: -8_000_000...8_000_000, using: &generator)
            return ClockTime(nanoseconds: Int64(Double(index * step) * 1e9 / rate * 1.0001) + jitter)
        }
        let begin = MediaThread.cpuTimeOfCurrentThread
        for (index, stamp) in times.enumerated() {
            let time = clock.estimateTime(of: Int64(index) * step, stamped: stamp)
            if step > 1 { _ = placement.decide(deviation: 1, clock: clock.reading, at: time) }
        }
        return MediaThread.cpuTimeOfCurrentThread - begin
    }

    private static func resampling(_ rate: Int) throws -> Nanoseconds {
        let resampler = try Codecs().makeResampler(from: AudioFormat(rate: rate, channels: 1), name: "cost")
        let slice = (0..<rate / 100).map { Float($0 % 48) / 48 }
        let begin = MediaThread.cpuTimeOfCurrentThread
        for index in 0..<Int(seconds * 100) {
            try resampler.correct(partsPerMillion: 100 + Double(index % 10))
            _ = try resampler.convert(slice)
        }
        return MediaThread.cpuTimeOfCurrentThread - begin
    }

    private static func report(_ what: String, _ time: Nanoseconds, of limit: Double) {
        let hundredths = Int((time.inSeconds / seconds * 10_000).rounded(.up))
        let share = "\(hundredths / 100).\(hundredths % 100 / 10)\(hundredths % 10)"
        print("\(what): \(share) % of a core (meant: below \(limit) %)")
    }
}
