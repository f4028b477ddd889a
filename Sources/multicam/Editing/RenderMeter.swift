import Media

/// Shows how far work has come, and how long it will still take: a bar that changes in a terminal, lines as of `WorkProgress`
/// elsewhere. Any thread.
final class RenderMeter: Sendable {
    private struct State {
        var step = ""
        var begun = ClockTime(nanoseconds: 0)
        var told = ClockTime(nanoseconds: 0)
    }

    private let state = ConditionLock(State())
    private let clock = MonotonicClock()
    private let lines = WorkProgress()
    private static let barLength = 24
    /// The time from one change of the bar to the next.
    private static let interval = Nanoseconds.milliseconds(100)

    /// Shows a step of which a share is done, 0…1.
    func show(_ step: String, _ share: Double) {
        let now = clock.now
        let (elapsed, isDue) = state.withLock { state in
            if state.step != step { (state.step, state.begun) = (step, now) }
            let isDue = now - state.told >= Self.interval
            if isDue { state.told = now }
            return (now - state.begun, isDue)
        }
        let share = min(max(share, 0), 1)
        let left = Self.left(share, elapsed)
        if !Output.hasTerminal {
            lines.tell(share, step + left)
        } else if isDue {
            Output.status("\(step) \(Self.bar(share)) \(Int(share * 100)) %\(left)")
        }
    }

    private static func bar(_ share: Double) -> String {
        let full = Int(share * Double(barLength))
        return String(repeating: "▮", count: full) + String(repeating: "▯", count: barLength - full)
    }

    /// The time that the step will still take, by what it took so far; empty at its beginning.
    private static func left(_ share: Double, _ elapsed: Nanoseconds) -> String {
        guard share > 0.01 else { return "" }
        let left = Nanoseconds.seconds(rounding: (elapsed.inSeconds * (1 - share) / share).rounded(.up))
        return ", \(left.words) left"
    }
}
