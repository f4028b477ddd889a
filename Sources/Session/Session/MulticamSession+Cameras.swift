public import Inputs
public import Media
public import Plan

extension MulticamSession {
    /// Takes another camera into the running recording: the program can show it, and `track` begins. Blocks until the
    /// camera delivers; do not call it from a Swift task.
    ///
    /// - Parameters:
    ///   - source: The opened camera, not yet started. The session stops it at the end of the recording.
    ///   - planned: The plan of the camera, under a role that no other device of the recording has or had.
    ///   - track: The plan of the camera's own track, or `nil` for none. A session that runs without
    ///     files begins none.
    ///   - frameTap: Gets the camera's frames until the camera stops.
    /// - Throws: `SessionChangeError` when nothing is being recorded, when the plan does not allow the camera, or
    ///   when it does not deliver in time. The camera is stopped then.
    public nonisolated func add(
        _ source: any CameraSource, as planned: PlannedCamera, track: PlannedCameraTrack?,
        frameTap: FrameTap? = nil
    ) throws(SessionChangeError) {
        let track = folderPath == nil ? nil : track
        guard controls.recordingTiming != nil else {
            source.stop()
            throw SessionChangeError(
                "camera \(planned.role) is not taken in: nothing is being recorded at the moment.")
        }
        let offers = source.isChangeable ? source.device.formats : nil
        let words = "add \(planned.role) \(planned.selector.printable())"
        let input: CameraInput
        do {
            // Checked before the camera is started, and again below, since another device may take the role meanwhile.
            let before = running.withLock { $0 }
            var rehearsal = before
            try rehearsal.admit(planned, track, offers: offers)
            _ = try rehearsal.keepWithinBudget(since: before, asked: [], words: words)
            input = try CameraInput(
                role: planned.role, source: source, latency: planned.latency,
                decodes: source.format.pixel == .h264, taps: sinks.taps,
                keepsLog: planned.metadataFile != nil,
                clock: clock,
                codecs: codecs, onRefusal: onRefusal(of: planned.role))
            try input.start()
            // A camera that plays a file shows its first frame now.
            source.recordingBegins(at: clock.stampClock.now)
        } catch let error as SessionChangeError {
            source.stop()
            throw error
        } catch {
            source.stop()
            throw SessionChangeError("camera \(planned.role) is not taken in: \(error)")
        }
        do throws(SessionChangeError) {
            try waitUntilReady(input)
            let isTaken = try changeAndWait(as: [words]) { (running) throws(SessionChangeError) in
                try running.admit(planned, track, offers: offers)
                if let delay = controls.recordingTiming?.alignmentDelay {
                    running.devices.slowestIntervals[planned.role] = input.slowestInterval(
                        decidedAfter: delay)
                }
                return [.admit(input, planned, track)]
            }
            guard isTaken, let timing = controls.recordingTiming else {
                throw SessionChangeError(
                    "camera \(planned.role) is not taken in: the recording has ended meanwhile.")
            }
            controls.note(
                slowestInterval: input.slowestInterval(decidedAfter: timing.alignmentDelay), of: planned.role)
            cameraInputs.withLock { $0[planned.role] = input }
            if let frameTap { sinks.taps.attach(frameTap) }
        } catch {
            source.stop()
            throw error
        }
    }

    /// Waits until a camera that was started delivers, and checks that it delivers in time for the recording.
    nonisolated func waitUntilReady(_ input: CameraInput) throws(SessionChangeError) {
        let deadline = clock.now + options.startTimeLimit
        while input.progress.goodFrames < SessionInputs.framesNeeded(of: input) {
            guard controls.stopTime == nil else {
                throw SessionChangeError(
                    "camera \(input.role) is not taken in: the recording is being ended.")
            }
            guard clock.now < deadline else {
                throw SessionChangeError(
                    "camera \(input.role) (\(input.source.device.name.printable())) has not delivered within "
                        + "\(Int(rounding: options.startTimeLimit.inSeconds, .up)) s and is not taken in: look at its cable, or try another port."
                )
            }
            clock.sleep(until: clock.now + .milliseconds(10), unless: controls.cancellation)
            // Frames that come long before the recording takes the camera are dropped.
            input.dropDeliveries(butLast: 8)
        }
        let needed = input.deliveryDelay + input.source.format.rate.interval * 2
        guard let delay = controls.recordingTiming?.alignmentDelay, needed > delay else { return }
        throw SessionChangeError(
            "camera \(input.role) delivers up to \(needed.count / 1_000_000) ms late, and this recording's alignment delay has room for "
                + "\(delay.count / 1_000_000): begin a recording with it.")
    }

    /// Sets controls of a camera while it runs. The camera keeps them, also when it is unplugged and plugged in
    /// again. Asking the device takes milliseconds; do not call it from a Swift task.
    ///
    /// - Parameters:
    ///   - settings: Names and values as a person writes them: a number, `on` or `off`, or a word of the control's
    ///     menu.
    ///   - role: The camera's role.
    /// - Returns: The outcome of each setting.
    /// - Throws: `SessionChangeError` when there is no such camera or control, when a value is out of range, or when
    ///   the camera is away. Nothing is set then.
    public nonisolated func set(
        _ settings: [(name: String, value: String)], of role: String
    ) throws(SessionChangeError) -> [ControlOutcome] {
        let words = settings.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        return try set(of: role, saying: "set \(role) \(words)") { controls throws(DeviceError) in
            try controls.requests(for: settings, of: role)
        }
    }

    /// Sets controls of a camera while it runs, as the other `set` does.
    ///
    /// - Parameters:
    ///   - requests: What to set, in this order.
    ///   - role: The camera's role.
    ///   - words: How the change is told in the manifest.
    /// - Returns: The outcome of each request.
    /// - Throws: `SessionChangeError` when there is no such camera, or it is away. Nothing is set then.
    public nonisolated func set(
        _ requests: [ControlRequest], of role: String, saying words: String
    ) throws(SessionChangeError) -> [ControlOutcome] {
        try set(of: role, saying: words) { _ throws(DeviceError) in requests }
    }

    /// The camera that plays a role now, and its controls with their present values. Asking the device takes milliseconds; do not
    /// call it from a Swift task.
    ///
    /// - Throws: `SessionChangeError` when there is no such camera, or it is away.
    public nonisolated func controls(
        of role: String
    ) throws(SessionChangeError) -> (device: CaptureDevice, controls: [DeviceControl]) {
        let input = try runningInput(of: role)
        do throws(DeviceError) {
            return (input.source.device, try input.source.controls())
        } catch {
            throw SessionChangeError("camera \(error)".printable(limit: 1000))
        }
    }

    private nonisolated func runningInput(of role: String) throws(SessionChangeError) -> CameraInput {
        try running.withLock { $0 }.checkPresence(ofCamera: role)
        guard let input = cameraInputs.withLock({ $0[role] }) else {
            throw SessionChangeError("camera \(role) does not run at the moment.")
        }
        return input
    }

    private nonisolated func set(
        of role: String, saying words: String,
        _ requests: ([DeviceControl]) throws(DeviceError) -> [ControlRequest]
    ) throws(SessionChangeError) -> [ControlOutcome] {
        let input = try runningInput(of: role)
        let outcomes: [ControlOutcome]
        do throws(DeviceError) {
            outcomes = try input.set(try requests(try input.source.controls()))
        } catch {
            throw SessionChangeError("camera \(error)".printable(limit: 1000))
        }
        do throws(SessionChangeError) {
            try change(as: [words.printable(limit: 400)]) { _ in [] }
        } catch {
            // The camera has the settings even so; a recording that is over does not tell of them.
        }
        return outcomes
    }
}
