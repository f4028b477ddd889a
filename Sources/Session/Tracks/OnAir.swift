internal import Media
internal import Timing

/// When a camera was to be seen in the program, and what was lost of it meanwhile: nothing else is a loss of the program's.
struct OnAir: Sendable {
    /// Of the program's time, in order; the last may be open.
    private var stretches: [(from: MediaTime, to: MediaTime?)] = []
    private var lostBefore: [LossCause: Int] = [:]
    private var lostOnAir: [LossCause: Int] = [:]

    var isOn: Bool { stretches.last.map { $0.to == nil } ?? false }

    /// - Parameters:
    ///   - isOn: From now on.
    ///   - time: Of the first tick for which that holds.
    ///   - lost: The camera's whole losses until then.
    mutating func set(_ isOn: Bool, at time: MediaTime, lost: [LossCause: Int]) {
        guard isOn != self.isOn else { return }
        if isOn {
            stretches.append((time, nil))
            lostBefore = lost
        } else {
            lostOnAir = self.lost(lost)
            stretches[stretches.count - 1].to = time
        }
    }

    /// - Parameter inAll: The camera's whole losses until now.
    /// - Returns: Those of them while it was on air.
    func lost(_ inAll: [LossCause: Int]) -> [LossCause: Int] {
        guard isOn else { return lostOnAir }
        return inAll.reduce(into: lostOnAir) { lost, item in
            let new = item.value - (lostBefore[item.key] ?? 0)
            if new != 0 { lost[item.key, default: 0] += new }
        }
    }

    /// The parts of a camera's gaps during which it was on air.
    func gaps(_ gaps: [Gap]) -> [Gap] {
        gaps.flatMap { gap in
            stretches.compactMap { stretch in
                let (from, to) = (max(gap.from, stretch.from), min(gap.to, stretch.to ?? gap.to))
                guard from < to else { return nil }
                return Gap(track: gap.track, from: from, to: to, cause: gap.cause)
            }
        }
    }
}
