internal import Media

/// Session time over `CLOCK_MONOTONIC`: straight pieces, each from where the last one ended, so that it never jumps and always goes
/// forward.
struct SteeredLine: Sendable {
    private struct Piece {
        /// Where it begins, on `CLOCK_MONOTONIC` and on the session clock.
        let stamp: ClockTime
        let time: ClockTime
        /// How fast the session clock runs on it.
        let ppm: Double

        func time(stamped other: ClockTime) -> ClockTime {
            let passed = other - stamp
            return time + passed + Nanoseconds(Int64(rounding: Double(passed.count) * ppm * 1e-6))
        }

        func stamp(of other: ClockTime) -> ClockTime {
            let passed = other - time
            let share = ppm * 1e-6 / (1 + ppm * 1e-6)
            return stamp + passed - Nanoseconds(Int64(rounding: Double(passed.count) * share))
        }
    }

    /// In order; the first also holds for all that was before, the last for all that is to come.
    private var pieces = [Piece(stamp: ClockTime(nanoseconds: 0), time: ClockTime(nanoseconds: 0), ppm: 0)]

    /// With a turn or two a second this is a minute: no frame is dated so late.
    private static let most = 128

    func time(stamped stamp: ClockTime) -> ClockTime {
        let piece = pieces.last { $0.stamp <= stamp } ?? pieces[0]
        return piece.time(stamped: stamp)
    }

    func stamp(of time: ClockTime) -> ClockTime {
        let piece = pieces.last { $0.time <= time } ?? pieces[0]
        return piece.stamp(of: time)
    }

    /// How fast the session clock runs at an instant of `CLOCK_MONOTONIC`, in parts per million.
    func partsPerMillion(at stamp: ClockTime) -> Double {
        (pieces.last { $0.stamp <= stamp } ?? pieces[0]).ppm
    }

    /// Goes on at another rate from an instant on; what was planned from there on is forgotten.
    ///
    /// - Parameters:
    ///   - stamp: The instant on `CLOCK_MONOTONIC`.
    ///   - ppm: The rate, within ±500.
    mutating func turn(at stamp: ClockTime, to ppm: Double) {
        let time = time(stamped: stamp)
        pieces.removeAll { $0.stamp >= stamp }
        pieces.append(Piece(stamp: stamp, time: time, ppm: ppm))
        if pieces.count > Self.most { pieces.removeFirst(pieces.count - Self.most) }
    }
}
