internal import Media

/// Session time over `CLOCK_MONOTONIC`: straight pieces, each from where the last one ended, so that it never jumps and always goes
/// forward.
struct SteeredLine: Sendable {
    private struct Piece {
        /// Where it begins, on `CLOCK_MONOTONIC` and on the session clock.
        let stamp: ClockTime
        let time: ClockTime
        /// How fast the session clock runs on it.
        var ppm: Double

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

    /// So many pieces, those of some hours, are kept as they were. Of more the older half becomes one, but for the first ones: T0 is on
    /// them.
    private static let (most, first) = (1 << 16, 64)
    /// A turn is made in steps of this length, by no more than this each. `AudioPlacement` follows 19 ppm a second.
    private static let (step, largestChangePerSecond) = (Nanoseconds.milliseconds(200), 15.0)
    /// So many steps lead from any rate to any other.
    private static let mostSteps = 400

    func time(stamped stamp: ClockTime) -> ClockTime {
        pieces[index { $0.stamp <= stamp }].time(stamped: stamp)
    }

    func stamp(of time: ClockTime) -> ClockTime { pieces[index { $0.time <= time }].stamp(of: time) }

    /// How fast the session clock runs at an instant of `CLOCK_MONOTONIC`, in parts per million.
    func partsPerMillion(at stamp: ClockTime) -> Double { pieces[index { $0.stamp <= stamp }].ppm }

    /// The last piece that has begun, else the first.
    private func index(_ hasBegun: (Piece) -> Bool) -> Int {
        var (begun, other) = (0, pieces.count)
        while other - begun > 1 {
            let middle = (begun + other) / 2
            if hasBegun(pieces[middle]) { begun = middle } else { other = middle }
        }
        return begun
    }

    /// Goes on at another rate from an instant on; what was planned from there on is forgotten.
    ///
    /// - Parameters:
    ///   - stamp: The instant on `CLOCK_MONOTONIC`.
    ///   - ppm: The rate, within ±500.
    mutating func turn(at stamp: ClockTime, to ppm: Double) {
        let time = time(stamped: stamp)
        while let last = pieces.last, last.stamp >= stamp { pieces.removeLast() }
        pieces.append(Piece(stamp: stamp, time: time, ppm: ppm))
        guard pieces.count > Self.most else { return }
        let (from, to) = (pieces[Self.first], pieces[Self.most / 2])
        let passed = Double((to.stamp - from.stamp).count)
        pieces[Self.first].ppm = (Double((to.time - from.time).count) - passed) / passed * 1e6
        pieces.removeSubrange(Self.first + 1..<Self.most / 2)
    }

    /// Goes over to another rate from an instant on, by no more than 15 parts per million in a second.
    ///
    /// - Parameters:
    ///   - stamp: The instant on `CLOCK_MONOTONIC`.
    ///   - ppm: The rate in the end, within ±500.
    mutating func turnGently(at stamp: ClockTime, to ppm: Double) {
        let present = pieces[index { $0.stamp <= stamp }]
        var (instant, rate) = (stamp, present.ppm)
        // A turn that was a moment ago has used up its part of the second.
        var length = max(min(stamp - present.stamp, Self.step), .zero)
        for _ in 0..<Self.mostSteps {
            let change = Self.largestChangePerSecond * length.inSeconds
            rate = (ppm - rate).magnitude <= change ? ppm : rate + (ppm - rate).limited(to: change)
            turn(at: instant, to: rate)
            if rate == ppm { return }
            (instant, length) = (instant + Self.step, Self.step)
        }
    }

    /// Forgets what was long ago, so that what comes next is kept.
    mutating func forget() { pieces.removeFirst(max(pieces.count - Self.first / 2, 0)) }
}
