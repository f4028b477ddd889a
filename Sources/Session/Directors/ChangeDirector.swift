internal import Media
internal import Plan
internal import Profiles
internal import SessionFolder

/// Decides from when on people's changes of a running session hold, and remembers them for the manifest. Timeline's
/// thread only.
final class ChangeDirector {
    private let start: ClockTime
    /// All changes, in the order in which they take effect.
    private var changes: [Manifest.Change] = []
    /// The program's arrangement at T0 and after each change that is seen, in order, one for an instant; empty without a program.
    private var arrangements: [Manifest.Arrangement]
    /// For each change that was not told yet: whom to tell the outcome, and whether it changes the arrangement alone.
    private var waiting: [(decided: ChangeDecision?, isArrangement: Bool)] = []
    private var told = 0
    /// How many changes the manifest on the disks has.
    private var written = 0
    /// When the manifest on the disks was written last for changes, since T0; `nil` before.
    private var writtenAt: MediaTime?

    /// How long after the last time the manifest is written anew for changes, in nanoseconds. The events have them at once.
    private static let pause: Int64 = 5_000_000_000

    /// Creates the director of a recording.
    ///
    /// - Parameters:
    ///   - start: T0 on the session's clock.
    ///   - plan: The plan as the recording begins.
    init(start: ClockTime, plan: SessionPlan) {
        self.start = start
        arrangements = [Manifest.Arrangement(of: plan, at: .zero)].compactMap(\.self)
    }

    /// Runs another plan.
    ///
    /// - Parameters:
    ///   - request: An accepted request.
    ///   - position: How far the recording has come.
    ///   - carryOut: Carries out an order for devices and files, given the change's words and the time at which it was asked for.
    /// - Returns: The arrangement for the timeline.
    func follow(
        _ request: SessionControls.PlanRequest, at position: TimelinePosition,
        carryOut: (SessionOrder, String, MediaTime) -> Void
    ) -> TimelineCommand {
        let words = request.words.joined(separator: ", ")
        let time = max(MediaTime(request.at, since: start), .zero)
        for order in request.orders { carryOut(order, words, time) }
        let program = request.plan.program
        var at = time
        if let next = position.programTick, let rate = program?.settings.rate {
            at = rate.time(ofTick: max(next, rate.ticks(before: time)))
        }
        // The program shows changes in the order in which it gets them.
        if let last = changes.last { at = max(at, MediaTime(nanoseconds: last.at_ns)) }
        note(request.plan, at: at)
        changes.append(
            Manifest.Change(
                at_ns: at.nanoseconds, changes: request.words, layout: program?.arrangement.layout.rawValue,
                shown: program?.arrangement.shown, mix: program?.mix,
                cost: request.cost.map(Manifest.Cost.rounded),
                budget: request.cost.map { _ in request.plan.budget.hardwareCost },
                reductions: request.reductions.isEmpty ? nil : request.reductions))
        waiting.append((request.decided, request.orders.isEmpty))
        // Frames and audio change together, so that the manifest's arrangements tell both.
        return .arrange(request.plan, from: at)
    }

    private func note(_ plan: SessionPlan, at time: MediaTime) {
        guard let next = Manifest.Arrangement(of: plan, at: time), let last = arrangements.last,
            !next.looks(like: last)
        else { return }
        if last.at_ns == next.at_ns { arrangements.removeLast() }
        arrangements.append(next)
    }

    /// Returns the changes that took effect before a time, each once. A change that the recording does not come to is
    /// never told.
    func takeEvents(before time: MediaTime) -> [SessionEvent] {
        var events: [SessionEvent] = []
        while told < changes.count, changes[told].at_ns < time.nanoseconds {
            let time = changes[told].at_ns
            events.append(SessionEvent(changes[told], arrangements.last { $0.at_ns == time }))
            waiting.removeFirst().decided?(.recorded(from: MediaTime(nanoseconds: changes[told].at_ns)))
            told += 1
        }
        return events
    }

    /// Ends the changes with the recording, and tells the callers of those that it has not come to.
    func end(standsBy: Bool) {
        for change in waiting { change.decided?(change.isArrangement && standsBy ? .next : .ended) }
        waiting = []
        told = changes.count
    }

    /// The changes that took effect before the end.
    func changes(before end: MediaTime) -> [Manifest.Change] {
        changes.filter { $0.at_ns < end.nanoseconds }
    }

    /// The arrangements at T0, and from then on those that were seen before the end.
    func arrangements(before end: MediaTime) -> [Manifest.Arrangement] {
        arrangements.filter { $0.at_ns == 0 || $0.at_ns < end.nanoseconds }
    }

    /// Notes that the manifest on the disks is written anew, where changes were told that it does not have.
    ///
    /// - Parameter time: How far the recording has come, since T0.
    /// - Returns: Whether it has to be written now.
    func mustWrite(at time: MediaTime) -> Bool {
        let isPaused = writtenAt.map { time.nanoseconds < $0.nanoseconds + Self.pause } ?? false
        guard told > written, !isPaused else { return false }
        (written, writtenAt) = (told, time)
        return true
    }
}

extension SessionEvent {
    fileprivate init(_ change: Manifest.Change, _ arrangement: Manifest.Arrangement?) {
        var fields: [String: JSONValue] = [
            "changes": .array(change.changes.map { .string($0) }),
            "text": .string("changed: \(change.changes.joined(separator: ", "))"),
        ]
        if let reductions = change.reductions {
            fields["reductions"] = .array(reductions.map { .string($0) })
            fields["text"] = .string(
                "changed: \(change.changes.joined(separator: ", ")); to stay within the budget, "
                    + "\(reductions.joined(separator: ", ")).")
        }
        if let cost = change.cost { fields["cost"] = .number(cost) }
        if let budget = change.budget { fields["budget"] = .number(budget) }
        if let layout = change.layout { fields["layout"] = .string(layout) }
        if let shown = change.shown { fields["shown"] = .array(shown.map { .string($0) }) }
        if let mix = change.mix { fields["mix"] = .array(mix.map { .string($0) }) }
        if let arrangement { fields["arrangement"] = arrangement.json }
        self.init(.switch, at: MediaTime(nanoseconds: change.at_ns), fields)
    }
}
