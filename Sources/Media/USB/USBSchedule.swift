/// What a bus has promised: the eight microframes of a frame and the time that is taken in each.
///
/// Fills as the kernel's EHCI driver does (`iso_stream_schedule`): a stream takes one place of its interval in which all of its
/// turns fit, the first that is found, or is refused (ENOSPC). It looks from a changing place on; here always from the first. A
/// value, so that what would fit can be tried.
package struct USBSchedule: Sendable, Hashable {
    package static let slots = 8
    private let budget: Nanoseconds
    private var taken = [Nanoseconds](repeating: .zero, count: slots)

    package init(budget: Nanoseconds) {
        self.budget = budget
    }

    /// The time of the fullest microframe.
    package var peak: Nanoseconds { taken.max() ?? .zero }

    /// The fullest microframe.
    package var fullest: Int { taken.firstIndex(of: peak) ?? 0 }

    /// Keeps room for a stream.
    ///
    /// - Parameters:
    ///   - time: Of one turn.
    ///   - microframes: From one turn to the next, at least 1. Those of over a frame count as one frame.
    /// - Returns: The first of its microframes; `nil`, and nothing is kept, where there is no room.
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

    /// Counts a stream that runs already, in the emptiest microframes, whether there is room by our sums or not.
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

    /// Whether there would be room.
    package func fits(_ time: Nanoseconds, each microframes: Int) -> Bool {
        var trial = self
        return trial.reserve(time, each: microframes) != nil
    }

    /// From one turn to the next, in slots.
    package static func step(_ microframes: Int) -> Int { min(max(microframes, 1), slots) }
}
