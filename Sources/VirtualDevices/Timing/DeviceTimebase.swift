import MulticamMedia

/// A synthetic device's own clock. Frame or sample n begins at tₙ = phase + n / (rate · (1 + drift)).
///
/// The number n counts from time zero of CLOCK_MONOTONIC, so the properties of frame n depend only on the clock. Times
/// are exact to the nanosecond for any n, because intermediate results have 128 bits and are rounded only at the end.
struct DeviceTimebase: Sendable, Equatable {
    private let phase: Int64
    // Frame or sample n begins at tₙ = phase + n · numerator / denominator nanoseconds.
    private let numerator: Int128
    private let denominator: Int128

    /// The drift value that represents 100 %, because drift is measured in parts per billion.
    private static let driftUnit: Int64 = 1_000_000_000

    /// Creates the clock of a device.
    ///
    /// - Parameters:
    ///   - rate: Nominal frames or samples per second.
    ///   - driftPerBillion: Clock error in units of 10⁻⁹. The value is positive if the device runs fast, and must be
    ///   greater than −10⁹.
    ///   - phase: Start of frame or sample 0 on CLOCK_MONOTONIC.
    init(rate: FrameRate, driftPerBillion: Int64 = 0, phase: Nanoseconds = .zero) {
        precondition(driftPerBillion > -Self.driftUnit, "the clock must run forward")
        self.phase = phase.count
        numerator = Int128(rate.seconds) * 1_000_000_000 * Int128(Self.driftUnit)
        denominator = Int128(rate.frames) * Int128(Self.driftUnit + driftPerBillion)
    }

    /// Returns the start of frame or sample `index`, to the nearest nanosecond.
    func time(of index: Int64) -> ClockTime {
        let elapsed = (Int128(index) * numerator * 2 + denominator).floorDivided(by: denominator * 2)
        return ClockTime(nanoseconds: phase + Int64(elapsed))
    }

    /// Returns the index of the first frame or sample that begins at `instant` or later.
    func index(atOrAfter instant: ClockTime) -> Int64 {
        var index = Int64((Int128(instant.nanoseconds - phase) * denominator).floorDivided(by: numerator))
        while time(of: index) < instant { index += 1 }
        return index
    }

    /// Number of seconds from the start of one frame or sample to the start of the next.
    var intervalInSeconds: Double { Double(numerator) / Double(denominator) / 1e9 }
}

/// A simulated clap, which all synthetic cameras and microphones capture at every whole second of
/// CLOCK_MONOTONIC.
enum Clap {
    private static let interval: Int64 = 1_000_000_000

    /// Returns whether a clap occurs during the exposure [`start`, `end`).
    static func occurs(from start: ClockTime, until end: ClockTime) -> Bool {
        (end.nanoseconds - 1).floorDivided(by: interval) * interval >= start.nanoseconds
    }

    /// Returns the time from the last clap to `instant`, which is less than one second.
    static func timeSinceLast(at instant: ClockTime) -> Nanoseconds {
        Nanoseconds(instant.nanoseconds - instant.nanoseconds.floorDivided(by: interval) * interval)
    }
}

extension FixedWidthInteger where Self: SignedInteger {
    /// Returns the quotient rounded toward negative infinity, so that a grid has equal steps below zero as well.
    ///
    /// - Precondition: `divisor` is greater than zero.
    func floorDivided(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
