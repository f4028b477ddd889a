internal import Media
internal import Timing

/// When a camera was shown in the program, and what was lost of it meanwhile. Losses at other times are none of the
/// program's.
struct OnAir: Sendable {
    /// Stretches during which the camera was shown, since T0, in order; the last may be open.
    private var stretches: [(from: MediaTime, to: MediaTime?)] = []
    private var lostBefore: [LossCause: Int] = [:]
    private var lostOnAir: [LossCause: Int] = [:]

    /// Whether the camera is shown now.
    var isOn: Bool { stretches.last.map { $0.to == nil } ?? false }

    /// Notes that the camera is shown, or no longer, from a tick on.
    ///
    /// - Parameters:
    ///   - isOn: Whether it is shown.
    ///   - time: Time of the first tick for which that holds.
    ///   - lost: The camera's losses so far.
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

    /// The losses while the camera was shown.
    ///
    /// - Parameter inAll: The camera's losses so far.
    /// - Returns: Those of them that fall into times at which it was shown.
    func lost(_ inAll: [LossCause: Int]) -> [LossCause: Int] {
        guard isOn else { return lostOnAir }
        return inAll.reduce(into: lostOnAir) { lost, item in
            let new = item.value - (lostBefore[item.key] ?? 0)
            if new != 0 { lost[item.key, default: 0] += new }
        }
    }

    /// The parts of a camera's gaps during which it was shown.
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
