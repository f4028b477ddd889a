package import Media

/// Records when a camera was shown in the program, and how many of its frames were lost meanwhile. Losses at other times are not
/// the program's.
package struct OnAir: Sendable {
    /// Stretches during which the camera was shown, since T0, in order; the last may be open.
    private var stretches: [(from: MediaTime, to: MediaTime?)] = []
    /// The camera's losses when the present stretch began.
    private var lostBefore: [LossCause: Int] = [:]
    /// The losses in all closed stretches.
    private var lostOnAir: [LossCause: Int] = [:]

    /// Creates the record of a camera that has not been shown yet.
    package init() {}

    /// Whether the camera is shown now.
    package var isOn: Bool { stretches.last.map { $0.to == nil } ?? false }

    /// Notes that the camera is shown, or is no longer shown, from a tick on.
    ///
    /// - Parameters:
    ///   - isOn: Whether it is shown.
    ///   - time: Time since T0 of the first tick for which that holds.
    ///   - lost: The camera's losses so far.
    package mutating func set(_ isOn: Bool, at time: MediaTime, lost: [LossCause: Int]) {
        guard isOn != self.isOn else { return }
        if isOn {
            stretches.append((time, nil))
            lostBefore = lost
        } else {
            lostOnAir = self.lost(lost)
            stretches[stretches.count - 1].to = time
        }
    }

    /// Returns the losses while the camera was shown, by cause.
    ///
    /// - Parameter inAll: All losses of the camera so far, by cause.
    /// - Returns: The losses at times at which the camera was shown, in frames.
    package func lost(_ inAll: [LossCause: Int]) -> [LossCause: Int] {
        guard isOn else { return lostOnAir }
        return inAll.reduce(into: lostOnAir) { lost, item in
            let new = item.value - (lostBefore[item.key] ?? 0)
            if new != 0 { lost[item.key, default: 0] += new }
        }
    }

    /// Returns the parts of a camera's gaps during which the camera was shown.
    package func gaps(_ gaps: [Gap]) -> [Gap] {
        gaps.flatMap { gap in
            stretches.compactMap { stretch in
                let (from, to) = (max(gap.from, stretch.from), min(gap.to, stretch.to ?? gap.to))
                guard from < to else { return nil }
                return Gap(track: gap.track, from: from, to: to, cause: gap.cause)
            }
        }
    }
}
