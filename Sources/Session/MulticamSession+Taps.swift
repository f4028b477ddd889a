public import MulticamInputs
package import MulticamMedia
public import MulticamPlan
package import MulticamSessionFolder

extension MulticamSession {
    /// Converts a device timestamp to the session clock. A camera tap's frames carry device timestamps; audio
    /// and the program's frames are already on the session clock. Device timestamps differ from the session
    /// clock only in group recordings. Any thread may call this method.
    package func time(stamped stamp: ClockTime) -> ClockTime { clock.time(stamped: stamp) }

    /// Attaches a tap in any phase of the session. The tap's handler receives frames until `detach` or the
    /// end of the session. Any thread may call this method.
    ///
    /// - Parameter tap: A tap for a camera's role or for `program` that was never attached to a session.
    /// - Throws: `SessionChangeError` when the session has ended or doesn't have this camera or a program, or when
    ///   the tap was already attached.
    public func attach(_ tap: FrameTap) throws(SessionChangeError) {
        try check(tap.role, isKnown: { $0.cameras.contains { $0.role == tap.role } }, "camera")
        try begin(tap.attachment)
        sinks.taps.attach(tap)
    }

    /// Attaches a tap in any phase of the session. The tap's handler receives audio until `detach` or the end
    /// of the session. Any thread may call this method.
    ///
    /// - Parameter tap: A tap for a microphone's role or for `program` that was never attached to a session.
    /// - Throws: `SessionChangeError` when the session has ended or doesn't have this microphone or a program, or
    ///   when the tap was already attached.
    public func attach(_ tap: AudioTap) throws(SessionChangeError) {
        try check(tap.role, isKnown: { $0.microphones.contains { $0.role == tap.role } }, "microphone")
        try begin(tap.attachment)
        sinks.taps.attach(tap)
    }

    /// Attaches a tap in any phase of the session. During recordings, the tap's handler receives metadata
    /// until `detach` or the end of the session. Any thread may call this method.
    ///
    /// - Parameter tap: A tap for a camera's role that was never attached to a session.
    /// - Throws: `SessionChangeError` when the session has ended or doesn't have this camera, or when the tap was
    ///   already attached.
    public func attach(_ tap: MetadataTap) throws(SessionChangeError) {
        let cameras = currentPlan.cameras.map(\.role)
        guard cameras.contains(tap.role) else { throw Self.unknown(tap.role, "camera", among: cameras) }
        try begin(tap.attachment)
        sinks.taps.attach(tap)
    }

    /// Attaches a tap in any phase of the session. The tap's handler receives the program's packets until
    /// `detach` or the end of the session. Packets are delivered while the session records or runs, and also
    /// on standby if the tap requests standby packets. Any thread may call this method.
    ///
    /// - Parameter tap: A tap that was never attached to a session.
    /// - Throws: `SessionChangeError` when the session has ended or doesn't have a program, or when the tap was
    ///   already attached.
    public func attach(_ tap: PacketTap) throws(SessionChangeError) {
        try check("program", isKnown: { _ in false }, "program")
        try begin(tap.attachment)
        sinks.taps.attach(tap)
    }

    /// Detaches a tap. The tap's handler still receives the elements that are already queued, but no others. Does
    /// nothing if the tap isn't attached.
    public func detach(_ tap: FrameTap) { sinks.taps.detach(tap) }

    /// Detaches a tap. The tap's handler still receives the elements that are already queued, but no others. Does
    /// nothing if the tap isn't attached.
    public func detach(_ tap: AudioTap) { sinks.taps.detach(tap) }

    /// Detaches a tap. The tap's handler still receives the elements that are already queued, but no others. Does
    /// nothing if the tap isn't attached.
    public func detach(_ tap: MetadataTap) { sinks.taps.detach(tap) }

    /// Detaches a tap. The tap's handler still receives the elements that are already queued, but no others. Does
    /// nothing if the tap isn't attached.
    public func detach(_ tap: PacketTap) { sinks.taps.detach(tap) }

    /// Records that a tap is being attached.
    func begin(_ attachment: TapAttachment) throws(SessionChangeError) {
        guard !hasEnded else {
            throw SessionChangeError(.ended, "the session has ended, so no tap can be attached to it.")
        }
        guard attachment.begin() else {
            throw SessionChangeError(
                .inUse, "the tap was already attached to a session. Create a new tap for each session.")
        }
    }

    private func check(
        _ role: String, isKnown: (SessionPlan) -> Bool, _ kind: String
    ) throws(SessionChangeError) {
        let plan = currentPlan
        if role == TapRegistry.program {
            guard plan.program != nil else {
                throw SessionChangeError(
                    .unsupported, "this session doesn't compose a program, so the program can't be tapped.")
            }
        } else if !isKnown(plan) {
            let known = kind == "camera" ? plan.cameras.map(\.role) : plan.microphones.map(\.role)
            throw Self.unknown(role, kind, among: known)
        }
    }

    private static func unknown(_ role: String, _ kind: String, among known: [String]) -> SessionChangeError {
        let names = known.isEmpty ? "none" : known.joined(separator: ", ")
        return SessionChangeError(
            .notFound, "\(kind) \(role.printable()) not found. This session contains: \(names).")
    }
}

extension MulticamSession {
    /// Status of the session's live outputs, in the order in which they were first reported.
    package var liveOutputs: [LiveOutputStatus] { liveOutputRegistry.statuses }

    /// Updates the status of a live output. A change becomes an event and is stored in the manifest of the current
    /// recording. Never blocks.
    ///
    /// - Parameter liveOutput: The new status, with the time when it began, on CLOCK_MONOTONIC. A time in the
    ///   future is replaced by the current time.
    package func updateLiveOutput(_ liveOutput: LiveOutputStatus) {
        var liveOutput = liveOutput
        liveOutput.since = min(clock.time(stamped: liveOutput.since), clock.now)
        liveOutput.text = liveOutput.text?.printable(limit: 400)
        guard liveOutputRegistry.update(liveOutput) else { return }
        let reported = liveOutput
        publishEvent(at: reported.since) { SessionEvent(reported, at: $0) }
    }

    /// Adds a live output to the plan if the profile doesn't contain it, and keeps the plan within its
    /// budget. The running recording is notified only if cameras must be reduced to keep the session within
    /// its budget.
    ///
    /// - Parameter liveOutput: The live output to add.
    /// - Throws: `SessionChangeError` when the plan would be over budget, or when the recording has ended.
    package func addToPlan(_ liveOutput: PlannedLiveOutput) throws(SessionChangeError) {
        let words = "publish \(liveOutput.address)"
        let fits = running.withLock { running in
            var changed = running
            changed.publish(liveOutput)
            do throws(SessionChangeError) {
                guard try changed.fitToBudget(since: running, requested: [], words: words).orders.isEmpty
                else { return false }
            } catch {
                return false
            }
            running = changed
            return true
        }
        guard !fits else { return }
        try change(describedAs: [words]) { running in
            running.publish(liveOutput)
            return []
        }
    }

    /// Adds a live output to the plan, even if the plan is then over budget. Use this method for a live
    /// output that isn't in the profile but is already running.
    ///
    /// - Parameter liveOutput: The live output to add.
    package func addToPlanIgnoringBudget(_ liveOutput: PlannedLiveOutput) {
        running.withLock { $0.publish(liveOutput) }
    }

    /// Removes a live output from the plan.
    package func removeFromPlan(_ name: String) { running.withLock { $0.unpublish(name) } }

    /// Reports a warning. The current recording stores the warning with its events. Never blocks.
    ///
    /// - Parameter text: The warning, as a full sentence.
    package func warn(_ text: String) {
        publishEvent(at: clock.now) { SessionEvent(warning: text.printable(limit: 1000), at: $0) }
    }

    /// Sets the listener that is called with `true` when a recording begins, and with `false` when all data
    /// of the recording has been encoded.
    ///
    /// - Parameter listener: The new listener, which is called on the recording's threads and must not block
    ///   these threads. `nil` removes the current listener.
    package func setRecordingListener(_ listener: (@Sendable (Bool) -> Void)?) {
        liveOutputRegistry.setListener(listener)
    }

    /// Reports a camera's rotation, or that the computer's orientation became unknown. The current recording stores the
    /// event. Never blocks.
    package func report(_ orientation: SessionEvent.Orientation) {
        publishEvent(at: clock.now) { SessionEvent(.orientation(orientation), at: $0) }
    }

    func publishEvent(at time: ClockTime, _ make: @escaping @Sendable (MediaTime) -> SessionEvent) {
        // During a recording, the event is stored by the recording.
        if controls.recordingTiming != nil,
            controls.enqueue(SessionControls.EventRequest(at: time, make: make))
        {
            return
        }
        // Between recordings, times are relative to the start of the pause.
        let status = status
        let since = Nanoseconds(status.time.nanoseconds) - (status.takenAt - time)
        publish(make(status.phase == .standby ? MediaTime(nanoseconds: since.count) : status.time))
    }
}
