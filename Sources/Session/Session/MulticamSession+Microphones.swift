internal import Inputs
public import Media
public import Plan
internal import Profiles

extension MulticamSession {
    /// Takes another microphone into the running recording: the program can mix it, and `track` begins. Blocks until
    /// the microphone delivers; do not call it from a Swift task.
    ///
    /// - Parameters:
    ///   - source: The opened microphone, not yet started. The session stops it at the end of the recording.
    ///   - planned: The plan of the microphone, under a role that no other device of the recording has or had.
    ///   - track: The plan of the microphone's own track, or `nil` for none. A session that runs without
    ///     files begins none.
    /// - Throws: `SessionChangeError` when nothing is being recorded, when the plan does not allow the microphone, or
    ///   when it does not deliver in time. The microphone is stopped then.
    public nonisolated func add(
        _ source: any MicrophoneSource, as planned: PlannedMicrophone, track: PlannedMicrophoneTrack?
    ) throws(SessionChangeError) {
        let words = "add-microphone \(planned.role) \(planned.selector.printable())"
        let track = folderPath == nil ? nil : track
        let refusal = "microphone \(planned.role) is not taken in"
        guard controls.recordingTiming != nil else {
            source.stop()
            throw SessionChangeError("\(refusal): nothing is being recorded at the moment.")
        }
        let input = MicrophoneInput(
            role: planned.role, source: source, offset: planned.offset, pick: planned.pick, clock: clock)
        input.limitSilence(to: currentPlan.limits.silence)
        do throws(SessionChangeError) {
            // Checked before the microphone is started, and again below, since another device may take the role meanwhile.
            let before = running.withLock { $0 }
            var rehearsal = before
            try rehearsal.admit(planned, track)
            _ = try rehearsal.keepWithinBudget(since: before, asked: [], words: words)
            do throws(DeviceError) {
                try input.start()
            } catch {
                throw SessionChangeError("\(refusal): \(error)".printable(limit: 1000))
            }
            // A microphone that plays a file is heard from its first sample now.
            source.recordingBegins(at: clock.stampClock.now)
            try waitUntilReady(input, refusal)
            let isTaken = try changeAndWait(as: [words]) { (running) throws(SessionChangeError) in
                try running.admit(planned, track)
                return [.admitAudio(input, track)]
            }
            guard isTaken else {
                throw SessionChangeError("\(refusal): the recording has ended meanwhile.")
            }
        } catch {
            source.stop()
            throw error
        }
    }

    private nonisolated func waitUntilReady(
        _ input: MicrophoneInput, _ refusal: String
    ) throws(SessionChangeError) {
        let deadline = clock.now + options.startTimeLimit
        while !SessionInputs.isReady(input) {
            guard controls.stopTime == nil else {
                throw SessionChangeError("\(refusal): the recording is being ended.")
            }
            guard clock.now < deadline else {
                throw SessionChangeError(
                    "\(refusal): \(input.source.device.name.printable()) has not delivered within "
                        + "\(Int(rounding: options.startTimeLimit.inSeconds, .up)) s. Look at its cable, and whether another program has it."
                )
            }
            clock.sleep(until: clock.now + .milliseconds(10), unless: controls.cancellation)
            // Audio that comes before the recording takes the microphone is dropped.
            input.keepLatest()
        }
        guard let delay = controls.recordingTiming?.alignmentDelay, input.deliveryDelay > delay else {
            return
        }
        throw SessionChangeError(
            "\(refusal): it delivers up to \(input.deliveryDelay.count / 1_000_000) ms late, and this recording's alignment delay has room "
                + "for \(delay.count / 1_000_000). Begin a recording with it.")
    }
}
