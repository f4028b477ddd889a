internal import Media
internal import Plan
internal import Profiles
internal import SessionFolder

/// Brings people's changes of a running session to the timeline, and remembers them for the manifest. Timeline's
/// thread only.
final class ChangeDirector {
    private let start: ClockTime
    private let timeline: Timeline
    /// All changes, in the order in which they take effect.
    private var changes: [Manifest.Change] = []
    /// For each change that was not told yet: whom to tell the outcome, and whether it changes the arrangement alone.
    private var waiting: [(decided: ChangeDecision?, isArrangement: Bool)] = []
    private var told = 0

    init(start: ClockTime, timeline: Timeline) {
        self.start = start
        self.timeline = timeline
    }

    /// Runs other plans.
    ///
    /// - Parameters:
    ///   - requests: Accepted requests, in the order in which they were made.
    ///   - carryOut: Carries out an order for devices and files, given the change's words and the time at which it
    ///     was asked for.
    func follow(
        _ requests: [SessionControls.PlanRequest], carryOut: (SessionOrder, String, MediaTime) -> Void
    ) {
        for request in requests {
            let words = request.words.joined(separator: ", ")
            let time = max(MediaTime(request.at, since: start), .zero)
            for order in request.orders { carryOut(order, words, time) }
            let at = timeline.arrange(request.plan, from: time)
            changes.append(
                Manifest.Change(
                    at_ns: at.nanoseconds, changes: request.words,
                    layout: request.plan.program?.arrangement.layout.rawValue,
                    shown: request.plan.program?.arrangement.shown, mix: request.plan.program?.mix))
            waiting.append((request.decided, request.orders.isEmpty))
        }
    }

    /// Returns the changes that took effect before a time, each once. A change that the recording does not come to is
    /// never told.
    func takeEvents(before time: MediaTime) -> [SessionEvent] {
        var events: [SessionEvent] = []
        while told < changes.count, changes[told].at_ns < time.nanoseconds {
            events.append(SessionEvent(changes[told]))
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
}

extension SessionEvent {
    fileprivate init(_ change: Manifest.Change) {
        var fields: [String: JSONValue] = [
            "changes": .array(change.changes.map { .string($0) }),
            "text": .string("changed: \(change.changes.joined(separator: ", "))"),
        ]
        if let layout = change.layout { fields["layout"] = .string(layout) }
        if let shown = change.shown { fields["shown"] = .array(shown.map { .string($0) }) }
        if let mix = change.mix { fields["mix"] = .array(mix.map { .string($0) }) }
        self.init(.switch, at: MediaTime(nanoseconds: change.at_ns), fields)
    }
}
