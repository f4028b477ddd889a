package import MulticamInputs
package import MulticamMedia
public import MulticamPlan
package import MulticamProfiles

extension MulticamSession {
    /// The current connections, including all committed changes. A connection describes which part of a
    /// device's data an output receives, and how. The connections are derived from the running plan. `commit`
    /// changes the connections.
    public var connections: [PlannedConnection] { running.withLock { $0.connections } }
}

extension MulticamSession {
    /// Adds a camera to the running recording. The program can then show the camera, and `track` begins.
    /// Blocks until the camera delivers frames; don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - source: The opened camera, not yet started. The session stops this source at the end of the
    ///     recording.
    ///   - planned: The plan of the camera, with a role that no other device of this recording uses or has
    ///     used.
    ///   - track: The plan of the camera's own track, or `nil` for no separate track. Ignored in a session
    ///     that runs without files.
    ///   - frameTap: Receives the camera's frames until the camera stops.
    /// - Throws: `SessionChangeError` when nothing is being recorded, when the plan doesn't allow the camera,
    ///   or when the camera doesn't deliver data in time. If an error is thrown, the camera is stopped.
    package func add(
        _ source: any CameraSource, as planned: PlannedCamera, track: PlannedCameraTrack?,
        frameTap: FrameTap? = nil
    ) throws(SessionChangeError) {
        let track = folderPath == nil ? nil : track
        try checkIsUnused(source)
        guard controls.recordingTiming != nil else {
            source.stop()
            throw SessionChangeError(
                .notRunning, "camera \(planned.role) was not added: nothing is being recorded.")
        }
        let offers = source.canChangeFormat ? source.device.formats : nil
        let words = "add \(planned.role) \(planned.selector.printable())"
        let input: CameraInput
        if let frameTap { try begin(frameTap.attachment) }
        do {
            // The plan is checked before the camera starts, and again below because another device may take
            // the role in the meantime.
            let before = running.withLock { $0 }
            var rehearsal = before
            try rehearsal.add(planned, track, offers: offers)
            _ = try rehearsal.fitToBudget(since: before, requested: [], words: words)
            input = try CameraInput(
                role: planned.role, source: source, latency: planned.latency,
                decodes: source.format.pixel == .h264, taps: sinks.taps,
                keepsLog: planned.metadataFile != nil,
                clock: clock,
                codecs: codecs, onRefusal: makeRefusalHandler(for: planned.role))
            try input.start()
            // If the camera plays a file, playback begins now at the first frame.
            source.setRecordingStart(clock.stampClock.now)
        } catch let error as SessionChangeError {
            source.stop()
            throw error
        } catch {
            source.stop()
            throw SessionChangeError(.failed, "camera \(planned.role) was not added: \(error)")
        }
        do throws(SessionChangeError) {
            try waitUntilReady(input)
            // The files are created before the change is accepted, so that the change is rejected if the
            // track can't begin, and no change has to be reverted.
            let opened = try open("camera \(planned.role) was not added") {
                (opener) throws(RecordingError) in
                try track.map { (track) throws(RecordingError) in try opener.open(track, of: input) }
            }
            let isTaken = try changeAndWait(describedAs: [words], orAbandon: { opened?.abandon() }) {
                (running) throws(SessionChangeError) in
                try running.add(planned, track, offers: offers)
                if let delay = controls.recordingTiming?.alignmentDelay {
                    running.devices.slowestIntervals[planned.role] = input.slowestInterval(
                        decidedAfter: delay)
                }
                return [.admit(input, planned, opened)]
            }
            guard isTaken, let timing = controls.recordingTiming else {
                throw SessionChangeError(
                    .ended, "camera \(planned.role) was not added: the recording has ended.")
            }
            controls.setSlowestInterval(
                input.slowestInterval(decidedAfter: timing.alignmentDelay), of: planned.role)
            cameraInputs.withLock { $0[planned.role] = input }
            if let frameTap { sinks.taps.attach(frameTap) }
        } catch {
            runStop { source.stop() }
            throw error
        }
    }

    /// Stops a source that was started, and waits until it has ended. In simulated time, the source ends when
    /// this thread sleeps.
    private func runStop(_ body: @escaping @Sendable () -> Void) {
        let thread = MediaThread.startOrRunInline(name: "stop", body)
        if clock.isRealTime { thread.join() }
    }

    /// Creates the files and encoders of a device that is about to be added.
    ///
    /// - Throws: `SessionChangeError` with the reason when the files or encoders can't be created, or when
    ///   the recording has ended.
    private func open<Opened>(
        _ refusal: String, _ body: (TrackOpener) throws(RecordingError) -> Opened
    ) throws(SessionChangeError) -> Opened {
        guard let opener = controls.recordingTiming?.opener else {
            throw SessionChangeError(.ended, "\(refusal): the recording has ended in the meantime.")
        }
        do throws(RecordingError) { return try body(opener) } catch {
            throw SessionChangeError(
                .failed, "\(refusal): its track could not be started: \(error)".printable(limit: 1000))
        }
    }

    /// Waits until a started camera delivers frames, and checks that the frames arrive early enough for the
    /// recording.
    func waitUntilReady(_ input: CameraInput) throws(SessionChangeError) {
        let deadline = clock.now + options.startTimeLimit
        while input.progress.goodFrames < SessionInputs.framesNeeded(of: input) {
            guard controls.stopTime == nil else {
                throw SessionChangeError(
                    .ended, "camera \(input.role) was not added: the recording is ending.")
            }
            guard clock.now < deadline else {
                throw SessionChangeError(
                    .failed,
                    "camera \(input.role) (\(input.source.device.name.printable())) delivered no frames within "
                        + "\(Int(rounding: options.startTimeLimit.inSeconds, .up)) s and was not added. \(SourceKind(input.source.device).advice)."
                )
            }
            clock.sleep(until: clock.now + .milliseconds(10), unless: controls.cancellation)
            // Drops frames captured long before the recording adds the camera.
            input.dropDeliveries(butLast: 8)
        }
        // A tick shows the frame captured nearest to the tick, so the following frame must have arrived as
        // well. The alignment delay includes one additional frame interval, which covers the jitter of
        // cameras similar to those in the recording.
        let needed = input.deliveryDelay + input.source.format.rate.interval
        guard let delay = controls.recordingTiming?.alignmentDelay, needed > delay else { return }
        throw SessionChangeError(
            .unsupported,
            "camera \(input.role) delivers frames up to \((needed.count + 999_999) / 1_000_000) ms late, but this recording's alignment delay allows only "
                + "\(delay.count / 1_000_000) ms. Start a new recording that includes the camera.")
    }

    /// Sets controls of a running camera. The settings are restored after the camera is unplugged and
    /// reconnected. Communication with the device takes several milliseconds; don't call this method from a
    /// Swift task.
    ///
    /// - Parameters:
    ///   - settings: Names and values as the user writes them: a number, `on` or `off`, or an entry of the control's
    ///     menu.
    ///   - role: The camera's role.
    /// - Returns: The outcome of each setting.
    /// - Throws: `SessionChangeError` when the camera or control doesn't exist, when a value is out of range,
    ///   or when the camera is disconnected. If an error is thrown, no control is set.
    package func set(
        _ settings: [(name: String, value: String)], of role: String
    ) throws(SessionChangeError) -> [ControlOutcome] {
        let words = settings.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        return try set(of: role, describedAs: "set \(role) \(words)") { controls throws(DeviceError) in
            try controls.requests(for: settings, of: role)
        }
    }

    /// Sets controls of a running camera by control requests instead of names and values as text.
    ///
    /// - Parameters:
    ///   - requests: The controls to set, in this order.
    ///   - role: The camera's role.
    ///   - words: Text that describes the change in the manifest.
    /// - Returns: The outcome of each request.
    /// - Throws: `SessionChangeError` when the camera doesn't exist or is disconnected. If an error is
    ///   thrown, no control is set.
    package func set(
        _ requests: [ControlRequest], of role: String, describedAs words: String
    ) throws(SessionChangeError) -> [ControlOutcome] {
        try set(of: role, describedAs: words) { _ throws(DeviceError) in requests }
    }

    /// Returns whether automatic framing of a camera is on.
    package func isFramed(_ role: String) -> Bool {
        let plan = currentPlan
        guard let program = plan.program, let camera = plan.cameras.first(where: { $0.role == role }) else {
            return false
        }
        return program.arrangement.framingMode(of: camera) != .off
    }

    /// Turns a camera that automatic framing moves. This isn't a change by the user. The manifest lists the camera's last
    /// position, but not each turn.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - requests: Values of the camera's controls for pan, tilt, and zoom.
    /// - Throws: `SessionChangeError` if automatic framing of the camera is off, or if the camera is missing, disconnected, or
    ///   doesn't accept a value.
    package func turn(_ role: String, _ requests: [ControlRequest]) throws(SessionChangeError) {
        guard isFramed(role) else {
            throw SessionChangeError(.unsupported, "automatic framing of camera \(role) is off.")
        }
        let input = try runningInput(of: role)
        do throws(DeviceError) {
            let refused = try input.set(requests).first { $0.fault != nil }
            if let refused, let fault = refused.fault {
                throw DeviceError(
                    device: role, operation: "setting \(refused.request.name.printable())",
                    reason: .control(fault))
            }
        } catch {
            throw SessionChangeError(error)
        }
    }

    /// Returns the camera that currently has a role, and its controls with their current values.
    /// Communication with the device takes several milliseconds; don't call this method from a Swift task.
    ///
    /// - Throws: `SessionChangeError` when the camera doesn't exist or is disconnected.
    package func controls(
        of role: String
    ) throws(SessionChangeError) -> (device: CaptureDevice, controls: [DeviceControl]) {
        let input = try runningInput(of: role)
        do throws(DeviceError) {
            return (input.source.device, try input.source.readControls())
        } catch {
            throw SessionChangeError(error)
        }
    }

    private func runningInput(of role: String) throws(SessionChangeError) -> CameraInput {
        try running.withLock { $0 }.checkPresence(ofCamera: role)
        let state = lifecycleState
        guard state.isRecording || state.isStandby, let input = cameraInputs.withLock({ $0[role] }) else {
            throw SessionChangeError(.notRunning, "camera \(role) is not running.")
        }
        return input
    }

    private func set(
        of role: String, describedAs words: String,
        _ requests: ([DeviceControl]) throws(DeviceError) -> [ControlRequest]
    ) throws(SessionChangeError) -> [ControlOutcome] {
        let input = try runningInput(of: role)
        let outcomes: [ControlOutcome]
        do throws(DeviceError) {
            let asked = try requests(try input.source.readControls())
            // The user takes over from automatic framing.
            if asked.contains(where: { CameraAim.isAimed(by: $0.name) }) {
                running.withLock { $0.endTurning(of: role) }
            }
            outcomes = try input.set(asked)
        } catch {
            throw SessionChangeError(error)
        }
        do throws(SessionChangeError) {
            try change(describedAs: [words.printable(limit: 400)]) { _ in [] }
        } catch {
            // If the recording has ended, the settings still apply to the camera, but the manifest doesn't list them.
        }
        return outcomes
    }
}

extension MulticamSession {
    /// Replaces the camera of a role during a recording. The role's tracks, the program and the taps continue
    /// with the new camera's frames. Blocks until the new camera delivers frames and has replaced the old
    /// one; don't call this method from a Swift task.
    ///
    /// A copied track continues in a new part; an H.264 part begins with the new camera's first key frame. An
    /// encoded track scales the new frames. Frames missing during the replacement are counted with the cause
    /// `reconfigured`. On standby the role keeps the new camera until `close`.
    ///
    /// - Parameters:
    ///   - source: The opened camera, not yet started. The session stops this source at the end of the
    ///     recording.
    ///   - planned: The plan of the new camera, with the role of the camera that it replaces.
    /// - Throws: `SessionChangeError` when nothing is being recorded, when the role doesn't exist, when the
    ///   camera is in use or doesn't fit the role's tracks or the budget, or when the camera doesn't deliver
    ///   data in time. If an error is thrown, the new camera is stopped, and the recording is unchanged.
    package func replaceCamera(
        with source: any CameraSource, as planned: PlannedCamera
    ) throws(SessionChangeError) {
        try checkIsUnused(source)
        let words = "replace-camera \(planned.role) \(planned.selector.printable())"
        let offers = source.canChangeFormat ? source.device.formats : nil
        do throws(SessionChangeError) {
            guard controls.recordingTiming != nil else {
                throw SessionChangeError(
                    .notRunning, "camera \(planned.role) was not replaced: nothing is being recorded.")
            }
            try checkAvailability(of: source.device, for: planned.role)
            // The plan is checked before the camera starts, and again below because another replacement may
            // happen in the meantime.
            let before = running.withLock { $0 }
            var rehearsal = before
            try rehearsal.replaceCamera(with: planned, offers: offers)
            _ = try rehearsal.fitToBudget(since: before, requested: [], words: words)
            let input = try start(source, as: planned, in: before.plan)
            try waitUntilReady(input)
            let isTaken = try changeAndWait(describedAs: [words]) { (running) throws(SessionChangeError) in
                try running.replaceCamera(with: planned, offers: offers)
                if let delay = controls.recordingTiming?.alignmentDelay {
                    let slowest = input.slowestInterval(decidedAfter: delay)
                    running.devices.slowestIntervals[planned.role] = slowest
                    controls.setSlowestInterval(slowest, of: planned.role)
                }
                return [.replaceCamera(role: planned.role, input)]
            }
            guard isTaken else {
                throw SessionChangeError(
                    .ended, "camera \(planned.role) was not replaced: the recording has ended.")
            }
        } catch {
            runStop { source.stop() }
            throw error
        }
    }

    /// Returns the format of a role's camera, and whether its frames are copied without re-encoding.
    ///
    /// - Throws: `SessionChangeError` when the camera doesn't exist or is off.
    package func formatToReplace(of role: String) throws(SessionChangeError) -> (
        format: VideoFormat, isCopied: Bool
    ) {
        try running.withLock { $0 }.formatToReplace(of: role)
    }

    /// Checks that a device isn't already used by another role. Synthetic devices and files may be used by
    /// several roles. The application's own cameras don't have unique names; see `checkIsUnused`.
    private func checkAvailability(
        of device: CaptureDevice, for role: String
    ) throws(SessionChangeError) {
        guard SourceKind(device) != .own else { return }
        for (other, input) in presentInputs {
            let taken = input.source.device
            guard taken.identity == device.identity, taken.node == device.node else { continue }
            let name = device.name.printable()
            if other == role {
                throw SessionChangeError(
                    .unchanged, "camera \(role) already uses “\(name)”. Choose another camera.")
            }
            guard taken.deviceType == .file || taken.deviceType == .virtual else {
                throw SessionChangeError(
                    .inUse, "“\(name)” is already used by camera \(other). Choose another camera.")
            }
        }
    }

    /// Checks that no role uses a source. The source of another role must not be stopped if the change is rejected.
    private func checkIsUnused(_ source: any CameraSource) throws(SessionChangeError) {
        for (role, input) in presentInputs where input.source as AnyObject === source as AnyObject {
            let name = source.device.name.printable()
            throw SessionChangeError(
                .inUse, "“\(name)” is already used by camera \(role). Create a source for each role.")
        }
    }

    private func start(
        _ source: any CameraSource, as planned: PlannedCamera, in plan: SessionPlan
    ) throws(SessionChangeError) -> CameraInput {
        let role = planned.role
        guard let present = cameraInputs.withLock({ $0[role] }) else {
            throw SessionChangeError(.notRunning, "camera \(role) is not running.")
        }
        do {
            let input = try CameraInput(
                role: role, source: source, latency: planned.latency,
                decodes: source.format.pixel == .h264 && present.hasPixels,
                sharesDecoding: plan.sharesDecoding(role), taps: TapRegistry(),
                keepsLog: sinks.taps.wantsMetadata(of: role)
                    || plan.cameras.contains { $0.role == role && $0.metadataFile != nil },
                clock: clock, codecs: codecs)
            try input.start()
            // If the camera plays a file, playback begins now at the first frame.
            source.setRecordingStart(clock.stampClock.now)
            return input
        } catch {
            throw SessionChangeError(
                .failed, "camera \(role) was not replaced: \(error)".printable(limit: 1000))
        }
    }
}

extension MulticamSession {
    /// Adds a microphone to the running recording. The microphone can then be mixed into the program, and `track`
    /// begins. Blocks until the microphone delivers audio; don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - source: The opened microphone, not yet started. The session stops this source at the end of the
    ///     recording.
    ///   - planned: The plan of the microphone, with a role that no other device of this recording uses or
    ///     has used.
    ///   - track: The plan of the microphone's own track, or `nil` for no separate track. Ignored in a
    ///     session that runs without files.
    /// - Throws: `SessionChangeError` when nothing is being recorded, when the plan doesn't allow the
    ///   microphone, or when the microphone doesn't deliver data in time. If an error is thrown, the
    ///   microphone is stopped.
    package func add(
        _ source: any MicrophoneSource, as planned: PlannedMicrophone, track: PlannedMicrophoneTrack?
    ) throws(SessionChangeError) {
        let words = "add-microphone \(planned.role) \(planned.selector.printable())"
        let track = folderPath == nil ? nil : track
        let refusal = "microphone \(planned.role) was not added"
        guard controls.recordingTiming != nil else {
            source.stop()
            throw SessionChangeError(.notRunning, "\(refusal): nothing is being recorded.")
        }
        let input = MicrophoneInput(
            role: planned.role, source: source, offset: planned.offset,
            sourceChannels: planned.sourceChannels, clock: clock)
        input.limitSilence(to: currentPlan.limits.silence)
        do throws(SessionChangeError) {
            // The plan is checked before the microphone starts, and again below because another device may
            // take the role in the meantime.
            let before = running.withLock { $0 }
            var rehearsal = before
            try rehearsal.add(planned, track)
            _ = try rehearsal.fitToBudget(since: before, requested: [], words: words)
            do throws(DeviceError) {
                try input.start()
            } catch {
                throw SessionChangeError(.failed, "\(refusal): \(error)".printable(limit: 1000))
            }
            // If the microphone plays a file, playback begins now at the first sample.
            source.setRecordingStart(clock.stampClock.now)
            try waitUntilReady(input, refusal)
            let opened = try open(refusal) { (opener) throws(RecordingError) in
                try opener.open(track, of: input, isNew: true)
            }
            let isTaken = try changeAndWait(describedAs: [words], orAbandon: { opened.abandon() }) {
                (running) throws(SessionChangeError) in
                try running.add(planned, track)
                return [.admitAudio(opened)]
            }
            guard isTaken else {
                throw SessionChangeError(.ended, "\(refusal): the recording has ended.")
            }
        } catch {
            runStop { source.stop() }
            throw error
        }
    }

    private func waitUntilReady(
        _ input: MicrophoneInput, _ refusal: String
    ) throws(SessionChangeError) {
        let deadline = clock.now + options.startTimeLimit
        while !SessionInputs.isReady(input) {
            guard controls.stopTime == nil else {
                throw SessionChangeError(.ended, "\(refusal): the recording is ending.")
            }
            guard clock.now < deadline else {
                throw SessionChangeError(
                    .failed,
                    "\(refusal): \(input.source.device.name.printable()) delivered no audio within "
                        + "\(Int(rounding: options.startTimeLimit.inSeconds, .up)) s. \(SourceKind(input.source.device).advice)."
                )
            }
            clock.sleep(until: clock.now + .milliseconds(10), unless: controls.cancellation)
            // Drops audio that arrived before the recording adds the microphone.
            input.dropOldAudio()
        }
        guard let delay = controls.recordingTiming?.alignmentDelay, input.deliveryDelay > delay else {
            return
        }
        throw SessionChangeError(
            .unsupported,
            "\(refusal): the microphone delivers audio up to \(input.deliveryDelay.count / 1_000_000) ms late, but this recording's alignment delay "
                + "allows only \(delay.count / 1_000_000) ms. Start a new recording that includes the microphone."
        )
    }
}

/// Scenes are named arrangements of the program.
extension MulticamSession {
    /// Saves the program's current layout and mix as a scene of this session. Replaces an existing scene with
    /// the same name. No file is changed: `SessionSetup.save` writes the scene to the profile.
    /// `commit([.scene(name)])` applies the scene to the program.
    ///
    /// - Parameter name: The scene's name, at most a few words.
    /// - Returns: The scene with the program's current arrangement.
    /// - Throws: `SessionChangeError` when the name isn't valid for a scene, or when the session doesn't have a
    ///   program.
    package func saveScene(named name: String) throws(SessionChangeError) -> SceneSettings {
        try running.withLock { running -> Result<SceneSettings, SessionChangeError> in
            Result { () throws(SessionChangeError) in try running.saveScene(named: name) }
        }.get()
    }

    /// Deletes a scene from this session. The program's video and audio don't change. No file is changed:
    /// `SessionSetup.delete` removes the scene from the profile.
    ///
    /// - Parameter name: The scene's name.
    /// - Throws: `SessionChangeError` when the session doesn't have a scene with this name.
    package func deleteScene(named name: String) throws(SessionChangeError) {
        try running.withLock { running -> Result<Void, SessionChangeError> in
            Result { () throws(SessionChangeError) in try running.deleteScene(named: name) }
        }.get()
    }

    /// Removes a scene that was deleted in an earlier session of the same profile.
    package func dropScene(named name: String) {
        running.withLock { $0.dropScene(named: name) }
    }

    /// Adds a scene that was saved in an earlier session of the same profile.
    package func save(_ scene: SceneSettings) { running.withLock { $0.save(scene) } }
}
