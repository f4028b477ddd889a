internal import Media
internal import Plan
internal import Profiles
internal import SessionFolder

/// Brings what people change of a running session to the timeline, and remembers it for the manifest. Timeline's thread only.
final class ChangeDirector {
    private let start: ClockTime
    private let timeline: Timeline
    /// In the order in which they take effect.
    private var changes: [Manifest.Change] = []
    /// Of each change that has not been told of: whom to tell, and whether it is of the arrangement alone.
    private var waiting: [(decided: ChangeDecision?, isArrangement: Bool)] = []
    private var told = 0

    init(start: ClockTime, timeline: Timeline) {
        self.start = start
        self.timeline = timeline
    }

    /// Exchanges the session's plan for others.
    ///
    /// - Parameters:
    ///   - requests: Accepted, in the order in which they were made.
    ///   - carryOut: Does what a change asks of devices and files, with its words and the instant at which it was asked for.
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

    /// What took effect before a time, told once: what the recording does not come to has not happened.
    func takeEvents(before time: MediaTime) -> [SessionEvent] {
        var events: [SessionEvent] = []
        while told < changes.count, changes[told].at_ns < time.nanoseconds {
            events.append(SessionEvent(changes[told]))
            waiting.removeFirst().decided?(.recorded(from: MediaTime(nanoseconds: changes[told].at_ns)))
            told += 1
        }
        return events
    }

    /// The recording is over: tells those whose changes it has not come to.
    func end(standsBy: Bool) {
        for change in waiting { change.decided?(change.isArrangement && standsBy ? .next : .ended) }
        waiting = []
        told = changes.count
    }

    /// What took effect before the end.
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
