internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSessionFolder

/// Decides when the user's changes to a running session take effect, and stores them for the manifest. Use
/// this type only on the timeline's thread.
final class ChangeDirector {
    private let start: ClockTime
    /// All changes, in the order in which they take effect.
    private var changes: [Manifest.Change] = []
    /// The program's arrangement at T0 and after each visible change, in order, one per instant. Empty without a
    /// program.
    private var arrangements: [Manifest.Arrangement]
    /// The motions of automatic framing, in order, at most one per camera and instant.
    private var framings: [Manifest.Framing] = []
    /// What the program shows after the last change or motion; `nil` without a program.
    private var shown: Manifest.Arrangement?
    /// The outcome handler of each change not yet reported, and whether the change affects only the arrangement.
    private var pendingDecisions: [(decided: ChangeCompletion?, isArrangement: Bool)] = []
    private var reportedCount = 0
    /// Motions of automatic framing that haven't been reported, in order.
    private var pendingFramings: [Manifest.Framing] = []
    /// Number of changes in the manifest on the disks.
    private var writtenCount = 0
    /// Time when the manifest was last written to the disks because of a change, relative to T0; `nil` if no
    /// change has been written yet.
    private var writtenAt: MediaTime?

    /// Minimum time between two manifest updates caused by changes, in nanoseconds. The event stream contains
    /// the changes without this delay.
    private static let writeInterval: Int64 = 5_000_000_000

    /// Creates the director of a recording.
    ///
    /// - Parameters:
    ///   - start: T0, the start time of the recording, on the session's clock.
    ///   - plan: The plan at the start of the recording.
    init(start: ClockTime, plan: SessionPlan) {
        self.start = start
        shown = Manifest.Arrangement(of: plan, at: .zero, since: start)
        arrangements = [shown].compactMap(\.self)
    }

    /// Switches to another plan.
    ///
    /// - Parameters:
    ///   - request: A request that has been accepted.
    ///   - position: Progress of the recording.
    ///   - carryOut: Executes an order for devices and files. The closure's other arguments are the text of
    ///     the change and the time when the change was requested.
    /// - Returns: The command that makes the timeline show the new arrangement.
    func handle(
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
        // The program shows changes in the order of their arrival.
        if let last = changes.last { at = max(at, MediaTime(nanoseconds: last.at_ns)) }
        if let last = arrangements.last { at = max(at, MediaTime(nanoseconds: last.at_ns)) }
        if let last = framings.last { at = max(at, MediaTime(nanoseconds: last.at_ns)) }
        if let role = request.framedRole {
            recordMotion(of: role, in: request.plan, at: at)
            return .arrange(request.plan, from: at)
        }
        recordArrangement(of: request.plan, at: at)
        changes.append(
            Manifest.Change(
                at_ns: at.nanoseconds, changes: request.words, layout: program?.arrangement.layout,
                shown: program?.arrangement.shown, mix: program?.mix,
                cost: request.cost.map(Manifest.Cost.rounded),
                budget: request.cost.map { _ in request.plan.budget.hardwareCost },
                reductions: request.reductions.isEmpty ? nil : request.reductions))
        pendingDecisions.append((request.decided, request.orders.isEmpty))
        // Frames and audio change together, so one arrangement in the manifest describes both.
        return .arrange(request.plan, from: at)
    }

    private func recordArrangement(of plan: SessionPlan, at time: MediaTime) {
        guard let next = Manifest.Arrangement(of: plan, at: time, since: start), let shown,
            !next.hasSameContent(as: shown)
        else { return }
        self.shown = next
        if arrangements.last?.at_ns == next.at_ns { arrangements.removeLast() }
        arrangements.append(next)
        // The arrangement contains the motions that began at the same time.
        while framings.last?.at_ns == next.at_ns { framings.removeLast() }
        while pendingFramings.last?.at_ns == next.at_ns { pendingFramings.removeLast() }
    }

    /// Records a motion of a visible camera. The next arrangement that shows a hidden camera contains its motion.
    private func recordMotion(of role: String, in plan: SessionPlan, at time: MediaTime) {
        guard let next = Manifest.Arrangement(of: plan, at: time, since: start),
            let motion = next.layers.first(where: { $0.role == role })?.motion
        else { return }
        shown = next
        let framing = Manifest.Framing(at_ns: time.nanoseconds, role: role, motion: motion)
        func replaces(_ other: Manifest.Framing) -> Bool {
            other.at_ns == framing.at_ns && other.role == role
        }
        if let index = framings.lastIndex(where: { $0.at_ns < framing.at_ns || replaces($0) }),
            replaces(framings[index])
        {
            framings.remove(at: index)
            pendingFramings.removeAll(where: replaces)
        }
        framings.append(framing)
        pendingFramings.append(framing)
    }

    /// Returns the changes that took effect before a time and haven't been returned yet. Changes scheduled after the
    /// end of the recording are never reported.
    func dequeueEvents(before time: MediaTime) -> [SessionEvent] {
        var events: [SessionEvent] = []
        /// Reports the motions up to a time. A motion at the time of a change follows the change.
        func dequeueFramings(before time: Int64) {
            let framings = pendingFramings.prefix { $0.at_ns < time }
            pendingFramings.removeFirst(framings.count)
            events += framings.map {
                SessionEvent(
                    .framing(SessionEvent.Framing(track: $0.role, motion: $0.motion)),
                    at: MediaTime(nanoseconds: $0.at_ns))
            }
        }
        while reportedCount < changes.count, changes[reportedCount].at_ns < time.nanoseconds {
            let time = changes[reportedCount].at_ns
            dequeueFramings(before: time)
            events.append(SessionEvent(changes[reportedCount], arrangements.last { $0.at_ns == time }))
            pendingDecisions.removeFirst().decided?(
                .recorded(from: MediaTime(nanoseconds: changes[reportedCount].at_ns)))
            reportedCount += 1
        }
        dequeueFramings(before: time.nanoseconds)
        return events
    }

    /// Discards pending changes when the recording ends. Notifies the callers whose changes hadn't taken effect.
    func end(isOnStandby: Bool) {
        for change in pendingDecisions {
            change.decided?(change.isArrangement && isOnStandby ? .nextRecording : .recordingEnded)
        }
        pendingDecisions = []
        pendingFramings = []
        reportedCount = changes.count
    }

    /// The changes that took effect before the end of the recording.
    func changes(before end: MediaTime) -> [Manifest.Change] {
        changes.filter { $0.at_ns < end.nanoseconds }
    }

    /// The arrangement at T0, and all later arrangements that were visible before the end.
    func arrangements(before end: MediaTime) -> [Manifest.Arrangement] {
        arrangements.filter { $0.at_ns == 0 || $0.at_ns < end.nanoseconds }
    }

    /// The motions of automatic framing that began before the end.
    func framings(before end: MediaTime) -> [Manifest.Framing] {
        framings.filter { $0.at_ns < end.nanoseconds }
    }

    /// Returns whether reported changes are missing from the manifest on the disks. If so, the changes are
    /// counted as written.
    ///
    /// - Parameter time: Progress of the recording, relative to T0.
    /// - Returns: Whether the manifest must be written now.
    func consumeUnwrittenChanges(at time: MediaTime) -> Bool {
        let isPaused = writtenAt.map { time.nanoseconds < $0.nanoseconds + Self.writeInterval } ?? false
        guard reportedCount > writtenCount, !isPaused else { return false }
        (writtenCount, writtenAt) = (reportedCount, time)
        return true
    }
}

extension SessionEvent {
    fileprivate init(_ change: Manifest.Change, _ arrangement: Manifest.Arrangement?) {
        let words = "changed: \(change.changes.joined(separator: ", "))"
        let text = change.reductions.map {
            "\(words); reduced to stay within the budget: \($0.joined(separator: ", "))."
        }
        self.init(
            .change(
                Change(
                    changes: change.changes, text: text ?? words, layout: change.layout,
                    shown: change.shown, mix: change.mix, cost: change.cost, budget: change.budget,
                    reductions: change.reductions, arrangement: arrangement)),
            at: MediaTime(nanoseconds: change.at_ns))
    }
}
