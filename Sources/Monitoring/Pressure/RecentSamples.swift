internal import Media

/// The recent values of a figure, and how they change.
struct RecentSamples: Sendable {
    /// The age from which values are forgotten.
    let window: Nanoseconds
    private var samples: [(time: ClockTime, value: Double)] = []

    init(window: Nanoseconds) {
        self.window = window
    }

    /// Adds a value; one that is no later than the last is the same reading again and is ignored.
    mutating func add(_ value: Double, at time: ClockTime) {
        if let last = samples.last, time <= last.time { return }
        samples.append((time, value))
        samples.removeAll { time - $0.time > window }
    }

    mutating func removeAll() { samples.removeAll() }

    /// The latest value.
    var last: Double? { samples.last?.value }

    /// The time from the first value to the last.
    var span: Nanoseconds {
        guard let first = samples.first, let last = samples.last else { return .zero }
        return last.time - first.time
    }

    /// The last value less the first: how far a counter went up.
    var increase: Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        return last.value - first.value
    }

    /// Change per second, by least squares; `nil` for fewer than three values.
    var slope: Double? {
        guard samples.count >= 3, let origin = samples.first?.time else { return nil }
        let count = Double(samples.count)
        let times = samples.map { ($0.time - origin).inSeconds }
        let (meanTime, meanValue) = (
            times.reduce(0, +) / count, samples.reduce(0) { $0 + $1.value } / count
        )
        var (product, square) = (0.0, 0.0)
        for (time, sample) in zip(times, samples) {
            product += (time - meanTime) * (sample.value - meanValue)
            square += (time - meanTime) * (time - meanTime)
        }
        return square > 0 ? product / square : nil
    }
}
