/// The promises of a bus: the eight microframes of a frame, and the time that is taken in each.
///
/// Fills as the kernel's EHCI driver does (`iso_stream_schedule`): a stream takes one place of its interval in which all of
/// its turns fit, the first that is found, or is refused (ENOSPC). The kernel looks from a changing place on; this always
/// from the first. A value, so that what would fit can be tried.
package struct USBSchedule: Sendable, Hashable {
    /// Number of microframes in a frame.
    package static let slots = 8
    private let budget: Nanoseconds
    private var taken = [Nanoseconds](repeating: .zero, count: slots)

    /// Makes an empty schedule that may promise `budget` of each microframe.
    package init(budget: Nanoseconds) {
        self.budget = budget
    }

    /// The time that is taken in the fullest microframe.
    package var peak: Nanoseconds { taken.max() ?? .zero }

    /// The index of the fullest microframe, 0…7; the first of several.
    package var fullest: Int { taken.firstIndex(of: peak) ?? 0 }

    /// Reserves room for a stream.
    ///
    /// - Parameters:
    ///   - time: The time of one turn.
    ///   - microframes: The distance of two turns, at least 1. More than a frame counts as one frame.
    /// - Returns: The first of its microframes; `nil`, and nothing is reserved, where there is no room.
    package mutating func reserve(_ time: Nanoseconds, each microframes: Int) -> Int? {
        let step = Self.step(microframes)
        for first in 0..<step {
            let turns = stride(from: first, to: Self.slots, by: step)
            if turns.allSatisfy({ taken[$0] + time <= budget }) {
                for turn in turns { taken[turn] = taken[turn] + time }
                return first
            }
        }
        return nil
    }

    /// Counts a stream that runs already, in the emptiest microframes, whether there is room by these sums or not.
    ///
    /// - Returns: The first of its microframes.
    @discardableResult
    package mutating func add(_ time: Nanoseconds, each microframes: Int) -> Int {
        let step = Self.step(microframes)
        func peak(from first: Int) -> Nanoseconds {
            stride(from: first, to: Self.slots, by: step).map { taken[$0] }.max() ?? .zero
        }
        let first = (0..<step).min { peak(from: $0) < peak(from: $1) } ?? 0
        for turn in stride(from: first, to: Self.slots, by: step) { taken[turn] = taken[turn] + time }
        return first
    }

    /// Whether there would be room for a stream.
    package func fits(_ time: Nanoseconds, each microframes: Int) -> Bool {
        var trial = self
        return trial.reserve(time, each: microframes) != nil
    }

    /// The distance of two turns in slots, 1…8.
    package static func step(_ microframes: Int) -> Int { min(max(microframes, 1), slots) }
}
