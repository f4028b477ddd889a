package import Media

/// What a bus has promised: the eight microframes of a frame and the time that is taken in each.
///
/// Fills as the kernel's EHCI driver does: a stream takes the first microframe of its interval in which all of its turns
/// fit, or is refused (ENOSPC). A value, so that what would fit can be tried.
package struct USBSchedule: Sendable, Hashable {
    private let budget: Nanoseconds
    private var taken = [Nanoseconds](repeating: .zero, count: 8)

    package init(budget: Nanoseconds) {
        self.budget = budget
    }

    /// The time of the fullest microframe.
    package var peak: Nanoseconds { taken.max() ?? .zero }

    /// Keeps room for a stream.
    ///
    /// - Parameters:
    ///   - time: Of one turn.
    ///   - microframes: From one turn to the next, at least 1. Those of over a frame count as one frame.
    /// - Returns: `false`, and nothing is kept, where there is no room.
    package mutating func reserve(_ time: Nanoseconds, each microframes: Int) -> Bool {
        let step = min(max(microframes, 1), taken.count)
        for first in 0..<step {
            let turns = stride(from: first, to: taken.count, by: step)
            if turns.allSatisfy({ taken[$0] + time <= budget }) {
                for turn in turns { taken[turn] = taken[turn] + time }
                return true
            }
        }
        return false
    }

    /// Counts a stream that runs already, in the emptiest microframes, whether there is room by our sums or not.
    package mutating func add(_ time: Nanoseconds, each microframes: Int) {
        let step = min(max(microframes, 1), taken.count)
        func peak(from first: Int) -> Nanoseconds {
            stride(from: first, to: taken.count, by: step).map { taken[$0] }.max() ?? .zero
        }
        let first = (0..<step).min { peak(from: $0) < peak(from: $1) } ?? 0
        for turn in stride(from: first, to: taken.count, by: step) { taken[turn] = taken[turn] + time }
    }

    /// Whether there would be room.
    package func fits(_ reservation: USBReservation) -> Bool {
        var trial = self
        return trial.reserve(reservation.busTime, each: reservation.microframes)
    }
}
