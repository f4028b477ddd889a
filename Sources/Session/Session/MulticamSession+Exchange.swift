internal import Inputs
public import Media
public import Plan

extension MulticamSession {
    /// Gives a role another camera while it is recorded: the role's tracks, the program and taps go on with its frames. Blocks
    /// until the camera delivers and has taken the place; do not call it from a Swift task.
    ///
    /// A copied track goes on in a new part, of H.264 with the new camera's first key frame; an encoded one is scaled. Frames that
    /// are missing in between have the cause `change`. On standby the role keeps the camera until `close`.
    ///
    /// - Parameters:
    ///   - source: The opened camera, not yet started. The session stops it at the end of the recording.
    ///   - planned: The plan of the camera, under the role that it takes.
    /// - Throws: `SessionChangeError` when nothing is being recorded, when there is no such role, when the camera is in use or
    ///   does not fit the role's tracks or the budget, or when it does not deliver in time. The camera is stopped then, and
    ///   nothing has changed.
    public nonisolated func exchange(
        _ source: any CameraSource, as planned: PlannedCamera
    ) throws(SessionChangeError) {
        let words = "exchange \(planned.role) \(planned.selector.printable())"
        let offers = source.isChangeable ? source.device.formats : nil
        do throws(SessionChangeError) {
            guard controls.recordingTiming != nil else {
                throw SessionChangeError(
                    "camera \(planned.role) is not exchanged: nothing is being recorded at the moment.")
            }
            try checkFreedom(of: source.device, for: planned.role)
            // Checked before the camera is started, and again below, since another one may be exchanged meanwhile.
            let before = running.withLock { $0 }
            var rehearsal = before
            try rehearsal.exchange(planned, offers: offers)
            _ = try rehearsal.keepWithinBudget(since: before, asked: [], words: words)
            let input = try start(source, as: planned, in: before.plan)
            try waitUntilReady(input)
            let isTaken = try changeAndWait(as: [words]) { (running) throws(SessionChangeError) in
                try running.exchange(planned, offers: offers)
                if let delay = controls.recordingTiming?.alignmentDelay {
                    let slowest = input.slowestInterval(decidedAfter: delay)
                    running.devices.slowestIntervals[planned.role] = slowest
                    controls.note(slowestInterval: slowest, of: planned.role)
                }
                return [.exchange(role: planned.role, input)]
            }
            guard isTaken else {
                throw SessionChangeError(
                    "camera \(planned.role) is not exchanged: the recording has ended meanwhile.")
            }
        } catch {
            // In simulated time the source ends when this thread sleeps.
            let thread = MediaThread(name: "stop") { source.stop() }
            if clock.isRealTime { thread.join() }
            throw error
        }
    }

    /// The format of a role's camera, and whether its frames are copied.
    ///
    /// - Throws: `SessionChangeError` where there is no such camera, or it is off.
    package nonisolated func formatToExchange(of role: String) throws(SessionChangeError) -> (
        format: VideoFormat, isCopied: Bool
    ) {
        try running.withLock { $0 }.formatToExchange(of: role)
    }

    /// Checks that no role has a device. Synthetic ones and files may be of several roles.
    private nonisolated func checkFreedom(
        of device: CaptureDevice, for role: String
    ) throws(SessionChangeError) {
        for (other, input) in presentInputs {
            let taken = input.source.device
            guard taken.identity == device.identity, taken.node == device.node else { continue }
            let name = device.name.printable()
            if other == role {
                throw SessionChangeError("camera \(role) is “\(name)” already: name another one.")
            }
            guard taken.deviceType == .file || taken.deviceType == .virtual else {
                throw SessionChangeError("“\(name)” is the camera that \(other) has: name another one.")
            }
        }
    }

    private nonisolated func start(
        _ source: any CameraSource, as planned: PlannedCamera, in plan: SessionPlan
    ) throws(SessionChangeError) -> CameraInput {
        let role = planned.role
        guard let present = cameraInputs.withLock({ $0[role] }) else {
            throw SessionChangeError("camera \(role) does not run at the moment.")
        }
        do {
            let input = try CameraInput(
                role: role, source: source, latency: planned.latency,
                decodes: source.format.pixel == .h264 && present.hasPixels,
                sharesDecoding: plan.sharesDecoding(role), taps: TapBoard(),
                keepsLog: sinks.taps.wantsMetadata(of: role)
                    || plan.cameras.contains { $0.role == role && $0.metadataFile != nil },
                clock: clock, codecs: codecs)
            try input.start()
            // A camera that plays a file shows its first frame now.
            source.recordingBegins(at: clock.stampClock.now)
            return input
        } catch {
            throw SessionChangeError("camera \(role) is not exchanged: \(error)".printable(limit: 1000))
        }
    }
}
