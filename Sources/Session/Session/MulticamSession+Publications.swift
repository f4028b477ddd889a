internal import Inputs
internal import Media
package import Plan
public import SessionFolder

extension MulticamSession {
    /// How the session's live outputs go, in the order in which they were first told of.
    public nonisolated var publications: [PublicationStatus] { publicationBoard.present }

    /// Notes how a live output goes: a change becomes an event, and the manifest of the recording that runs keeps it. Never blocks.
    ///
    /// - Parameter publication: How it goes, since an instant on CLOCK_MONOTONIC; a time to come counts as now.
    public nonisolated func note(_ publication: PublicationStatus) {
        var publication = publication
        publication.since = min(clock.time(stamped: publication.since), clock.now)
        publication.text = publication.text?.printable(limit: 400)
        guard publicationBoard.take(publication) else { return }
        let told = publication
        note(at: told.since) { SessionEvent(told, at: $0) }
    }

    /// Takes a live output that the profile does not name into the plan, and keeps within the budget. The recording is told only of cameras
    /// that are reduced for it.
    ///
    /// - Parameter publication: The output.
    /// - Throws: `SessionChangeError` when the plan would be over budget, or when the recording is over.
    package nonisolated func plan(_ publication: PlannedPublication) throws(SessionChangeError) {
        let words = "publish \(publication.destination)"
        let fits = running.withLock { running in
            var changed = running
            changed.publish(publication)
            do throws(SessionChangeError) {
                guard try changed.keepWithinBudget(since: running, asked: [], words: words).orders.isEmpty
                else { return false }
            } catch {
                return false
            }
            running = changed
            return true
        }
        guard !fits else { return }
        try change(as: [words]) { running in
            running.publish(publication)
            return []
        }
    }

    /// Takes a live output into the plan that the profile does not name and that is on the air already, over budget or not.
    ///
    /// - Parameter publication: The output.
    package nonisolated func count(_ publication: PlannedPublication) {
        running.withLock { $0.publish(publication) }
    }

    /// Takes a live output out of the plan again.
    package nonisolated func unplan(_ name: String) { running.withLock { $0.unpublish(name) } }

    /// Tells a warning, which the recording that runs keeps among its events. Never blocks.
    ///
    /// - Parameter text: A sentence.
    public nonisolated func warn(_ text: String) {
        note(at: clock.now) { SessionEvent(.warning, at: $0, ["text": .string(text.printable(limit: 1000))]) }
    }

    /// Sets who is told when a recording begins (`true`), and when all of it has been encoded (`false`).
    ///
    /// - Parameter listener: Called on threads of the recording, which it must not block; `nil` for nobody.
    package nonisolated func followRecordings(_ listener: (@Sendable (Bool) -> Void)?) {
        publicationBoard.follow(listener)
    }

    private nonisolated func note(at time: ClockTime, _ make: @escaping @Sendable (MediaTime) -> SessionEvent)
    {
        // At T0 a recording tells of all that runs already.
        if controls.recordingTiming != nil, controls.note(SessionControls.EventRequest(at: time, make: make))
        {
            return
        }
        // Between recordings times count from the pause.
        let status = status
        let since = Nanoseconds(status.time.nanoseconds) - (status.takenAt - time)
        tell(make(status.phase == .standby ? MediaTime(nanoseconds: since.count) : status.time))
    }
}
