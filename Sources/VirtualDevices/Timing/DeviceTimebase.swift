import Media

/// A synthetic device's own clock: frame or sample n begins at tₙ = phase + n / (rate · (1 + drift)).
///
/// n counts from instant zero of CLOCK_MONOTONIC, so that everything about frame n is a function of the clock alone.
/// Times are exact to the nanosecond for any n: in 128 bits nothing is rounded before the end.
struct DeviceTimebase: Sendable, Equatable {
    private let phase: Int64
    // tₙ = phase + n · numerator / denominator nanoseconds.
    private let numerator: Int128
    private let denominator: Int128

    /// Units of drift in one: drift is counted in parts per billion.
    private static let driftUnit: Int64 = 1_000_000_000

    /// Makes a clock.
    ///
    /// - Parameters:
    ///   - rate: Nominal frames or samples per second.
    ///   - driftPerBillion: Clock error in 10⁻⁹, above 0 when the device runs fast; above −10⁹.
    ///   - phase: Start of frame or sample 0 on CLOCK_MONOTONIC.
    init(rate: FrameRate, driftPerBillion: Int64 = 0, phase: Nanoseconds = .zero) {
        precondition(driftPerBillion > -Self.driftUnit, "a clock runs forward")
        self.phase = phase.count
        numerator = Int128(rate.seconds) * 1_000_000_000 * Int128(Self.driftUnit)
        denominator = Int128(rate.frames) * Int128(Self.driftUnit + driftPerBillion)
    }

    /// The start of frame or sample `index`, to the nearest nanosecond.
    func time(of index: Int64) -> ClockTime {
        let elapsed = (Int128(index) * numerator * 2 + denominator).floorDivided(by: denominator * 2)
        return ClockTime(nanoseconds: phase + Int64(elapsed))
    }

    /// The index of the first frame or sample that begins at `instant` or later.
    func index(atOrAfter instant: ClockTime) -> Int64 {
        var index = Int64((Int128(instant.nanoseconds - phase) * denominator).floorDivided(by: numerator))
        while time(of: index) < instant { index += 1 }
        return index
    }

    /// Seconds from the start of one frame or sample to the start of the next.
    var intervalInSeconds: Double { Double(numerator) / Double(denominator) / 1e9 }
}
