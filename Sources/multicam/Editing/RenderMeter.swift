import Media

/// Shows how far work has come, and how long it will still take: one line that changes in a terminal, a line every ten seconds
/// elsewhere. Any thread.
final class RenderMeter: Sendable {
    private struct State {
        var step = ""
        var begun = ClockTime(nanoseconds: 0)
        var told = ClockTime(nanoseconds: 0)
    }

    private let state = ConditionLock(State())
    private let clock = MonotonicClock()
    private static let barLength = 24

    /// Shows a step of which a share is done, 0…1.
    func show(_ step: String, _ share: Double) {
        let now = clock.now
        let interval: Nanoseconds = Output.hasTerminal ? .milliseconds(100) : .seconds(10)
        let elapsed = state.withLock { state -> Nanoseconds? in
            if state.step != step {
                state.step = step
                state.begun = now
                if !Output.hasTerminal { state.told = now }
            }
            guard now - state.told >= interval else { return nil }
            state.told = now
            return now - state.begun
        }
        guard let elapsed else { return }
        let line = Self.line(step, min(max(share, 0), 1), elapsed)
        if Output.hasTerminal { Output.status(line) } else { Output.message(line) }
    }

    private static func line(_ step: String, _ share: Double, _ elapsed: Nanoseconds) -> String {
        let full = Int(share * Double(barLength))
        let bar = String(repeating: "▮", count: full) + String(repeating: "▯", count: barLength - full)
        let percent = Int(share * 100)
        guard share > 0.01 else { return "\(step) \(bar) \(percent) %" }
        let left = Nanoseconds.seconds(rounding: (elapsed.inSeconds * (1 - share) / share).rounded(.up))
        return "\(step) \(bar) \(percent) %, \(left.words) left"
    }
}
