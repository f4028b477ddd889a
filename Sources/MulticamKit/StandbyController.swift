internal import MulticamControl
package import MulticamMedia
internal import MulticamSession
internal import MulticamSetup

/// Controls the process while it is on standby: provides the next step, starts recordings on request, and
/// selects the camera of the leading role. Thread-safe.
final class StandbyController: Sendable {
    private struct State {
        /// Tracks the leading role's camera while the session is on standby.
        var following: LeadingCameraTracker?
        /// Number of recordings that have begun or failed to begin.
        var attemptCount = 0
        /// The session folder of the last recording; `nil` if the last recording failed to begin.
        var lastFolder: String?
        /// Whether a requested recording has not yet begun or failed.
        var isStarting = false
        /// Whether standby has ended.
        var isEnded = false
    }

    private let clock: SteeredClock
    private let state = ConditionLock(State())
    private let steps: AsyncStream<StandbyStep>
    private let stepSink: AsyncStream<StandbyStep>.Continuation

    /// Maximum time to wait until a requested recording reaches T0.
    private static let startTimeout = Nanoseconds.seconds(20)

    /// Creates an instance without a session.
    ///
    /// - Parameter clock: The clock of the sessions.
    init(clock: SteeredClock) {
        self.clock = clock
        (steps, stepSink) = AsyncStream.makeStream()
    }

    /// Waits for the next step. Returns `nil` after standby has ended. Call this method from only one task.
    func nextStep() async -> StandbyStep? {
        for await step in steps { return step }
        return nil
    }

    /// Ends standby, and any wait for a recording to begin.
    func end() {
        state.broadcast { $0.isEnded = true }
        stepSink.yield(.end)
        stepSink.finish()
    }

    /// Sets the object that selects the leading role's camera; `nil` removes the object.
    func attach(_ following: LeadingCameraTracker?) { state.withLock { $0.following = following } }

    /// Requests another camera for the leading role.
    func requestCamera(_ camera: CaptureDevice) { stepSink.yield(.switchCamera(camera)) }

    /// Requests a recording and waits until the recording reaches T0.
    func start(_ request: SessionCommand.Start) -> ControlReply {
        // Start requests that arrive while another start is pending wait for the same recording.
        let (before, isFirst) = state.withLock { state in
            defer { state.isStarting = true }
            return (state.attemptCount, !state.isStarting)
        }
        if isFirst {
            let start = request.at.map { stamp in
                request.utc.map { clock.begin(at: stamp, utc: $0) } ?? clock.time(stamped: stamp)
            }
            stepSink.yield(.start(at: start, for: request.duration))
        }
        let now = MonotonicClock().now
        let begun = state.wait(until: max(now, request.at ?? now) + Self.startTimeout) {
            state -> String?? in
            state.attemptCount != before ? .some(state.lastFolder) : state.isEnded ? .some(nil) : nil
        }
        switch begun {
        case .some(.some(let folder)): return ControlReply(ok: true, text: "recording: \(folder.printable())")
        case .some(.none):
            return ControlReply(
                ok: false,
                text: "The recording did not start. See the terminal that runs the session for the reason.")
        case .none:
            return ControlReply(
                ok: false,
                text:
                    "The recording did not start within \(Int(Self.startTimeout.inSeconds)) s. To check the state, run `status`."
            )
        }
    }

    /// Records that a recording has begun or failed to begin, and sends the reply to the pending `start`
    /// command. After a failure, the clock no longer follows a group's time.
    ///
    /// - Parameter folder: Path of the recording's session folder; `nil` if the recording failed to begin.
    func notifyRecordingStarted(folder: String?) {
        // The `start` command may have synchronized the clock with the group. Because no recording follows,
        // the synchronization must be ended here.
        if folder == nil { clock.end() }
        state.broadcast { state in
            state.attemptCount += 1
            state.lastFolder = folder
            state.isStarting = false
        }
    }

    /// Switches the leading role to another camera. The call blocks until the selection is stored on disk.
    ///
    /// - Parameters:
    ///   - selector: Selector of the camera; `nil` selects the next camera.
    ///   - setup: The setup of the current session; `nil` without a session.
    ///   - isStandby: Whether devices keep running between recordings.
    /// - Returns: The reply to the sender.
    func selectCamera(_ selector: String?, _ setup: SessionSetup?, isStandby: Bool) -> ControlReply {
        guard let following = state.withLock(\.following) else {
            return ControlReply(
                ok: false,
                text: isStandby
                    ? Self.nothingToSelect(setup)
                    : "The camera can't be selected during a recording. Replace a role's camera with `replace-camera`, record with `--standby` to select cameras between recordings, or choose the camera for the next recording with `multicam prefer`."
            )
        }
        do {
            let outcome = try selector.map { try following.choose($0) } ?? following.selectNextCamera()
            switch outcome {
            case .unchanged(let camera):
                return ControlReply(
                    ok: true, text: "\(following.role) already uses \(camera.name.printable()).")
            case .later(let camera):
                return ControlReply(
                    ok: true,
                    text: "\(following.role) will use \(camera.name.printable()) after this recording.")
            case .now(let camera):
                // A recording that has begun in the meantime keeps its camera. The camera is switched when the
                // recording ends.
                if setup != nil { requestCamera(camera) }
                return ControlReply(ok: true, text: "\(following.role) now uses \(camera.name.printable()).")
            }
        } catch {
            return ControlReply(ok: false, text: "\(error)".printable(limit: 1000))
        }
    }

    private static func nothingToSelect(_ setup: SessionSetup?) -> String {
        if setup?.request?.usesVirtualDevices ?? false {
            return
                "No camera can be selected: with `--virtual`, all devices are virtual, and only real cameras can be selected."
        }
        return
            "No camera can be selected, because each role has a fixed camera. Set `device: any` for a role in the profile, and don't use `--camera` for this role."
    }
}

/// The next step of a process that is on standby, as returned by `SessionController.nextStep`.
package enum StandbyStep: Sendable {
    /// Begin the requested recording, at the given time and for the given duration if these values are set.
    case start(at: ClockTime?, for: Nanoseconds?)
    /// Switch the leading role to this camera.
    case switchCamera(CaptureDevice)
    /// End standby as requested.
    case end
}
