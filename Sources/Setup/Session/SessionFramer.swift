internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
package import MulticamSession

/// Frames the cameras of a session automatically: moves the visible parts of the cameras in the program, so that people
/// stay in frame. The session keeps the framer alive.
///
/// The motions begin when an analysis arrives. While no analyses arrive, the visible parts don't
/// move. A camera that moves itself is turned by a `CameraMover` instead.
package final class SessionFramer: Sendable {
    private struct State {
        weak var session: MulticamSession?
        var policies: [String: FramingPolicy] = [:]
        var movers: [String: CameraMover] = [:]
    }

    private let state: ConditionLock<State>

    /// Creates a framer for a session.
    init(_ session: MulticamSession) {
        state = ConditionLock(State(session: session))
        _ = session.addAnalysisListener(
            AnalysisListener { [weak self] received in
                self?.receive(received.analysis, of: received.role, capturedAt: received.capturedAt)
            })
    }

    deinit { for mover in state.withLock(\.movers).values { mover.end() } }

    private func receive(_ analysis: FrameAnalysis, of role: String, capturedAt time: ClockTime) {
        guard let session = state.withLock(\.session) else { return }
        let plan = session.currentPlan
        guard let program = plan.program, let camera = plan.cameras.first(where: { $0.role == role }) else {
            return
        }
        let mode = program.arrangement.framingMode(of: camera)
        if camera.automaticFraming.mover == .camera {
            let mover = state.withLock { state in
                let mover = state.movers[role] ?? CameraMover(role, session)
                state.movers[role] = mover
                return mover
            }
            let target = CameraMover.Target(
                mode: mode, frame: camera.format.size, rotation: program.arrangement.rotation(of: camera),
                maxZoom: camera.automaticFraming.maxEnlargement)
            if mover.receive(analysis.faces, capturedAt: time, target) { return }
        }
        // A hidden camera is framed as if it filled the program, so that it is ready when it is shown.
        let size = program.settings.size
        let layer =
            program.layers.first { $0.role == role }
            ?? PlannedLayer(
                role: role,
                LayerShape(
                    PixelRectangle(x: 0, y: 0, width: size.width, height: size.height), fit: .cover,
                    rotation: program.arrangement.rotation(of: camera)))
        let view = FramedView(of: camera, rotation: layer.rotation, layer)
        let now = session.now
        let motion = state.withLock { state -> FramingMotion? in
            guard mode != .off else {
                state.policies[role] = nil
                return nil
            }
            let shown = program.motions[role]
            var policy = state.policies[role] ?? FramingPolicy(mode: mode, view: view, continuing: shown)
            policy.adapt(to: mode, view, showing: shown)
            defer { state.policies[role] = policy }
            return policy.update(analysis.faces, capturedAt: time, now: max(now, time))
        }
        if let motion, !session.setMotion(motion, of: role) {
            // The user has switched framing off in the meantime.
            state.withLock { $0.policies[role] = nil }
        }
    }
}

/// Turns one camera so that people stay in its picture. The camera is controlled by a separate thread, because setting a control
/// can take seconds.
private final class CameraMover: Sendable {
    /// What the camera keeps in its picture.
    struct Target: Equatable {
        var mode: FramingMode
        /// Size of the camera's stored frames.
        var frame: FrameSize
        var rotation: Rotation
        var maxZoom: Double
    }

    private struct State {
        weak var session: MulticamSession?
        var target: Target?
        /// The camera's position; `nil` until the camera's controls are known, and while framing is off.
        var aim: CameraAim?
        /// Whether the camera doesn't have the controls.
        var isFixed = false
        var isEnded = false
    }

    private enum Work {
        case end
        case open(Target)
        case step
    }

    private let role: String
    private let state: ConditionLock<State>

    /// Time between two settings of a camera that is turning.
    private static let interval = Nanoseconds.milliseconds(100)
    /// Time before the controls of a camera that can't be reached are read again.
    private static let retryInterval = Nanoseconds.seconds(2)

    init(_ role: String, _ session: MulticamSession) {
        self.role = role
        let state = ConditionLock(State(session: session))
        self.state = state
        MediaThread.startWhenPossible(name: "framing:\(role)") { Self.run(role, state) }
    }

    func end() { state.broadcast { $0.isEnded = true } }

    /// Receives the faces in a frame of the camera.
    ///
    /// - Returns: `false` if the camera can't be turned, so that its frames must be cropped.
    func receive(_ faces: [DetectedFace], capturedAt time: ClockTime, _ target: Target) -> Bool {
        state.signal { state in
            guard target.mode != .off else {
                (state.target, state.aim) = (nil, nil)
                return true
            }
            if let known = state.target, (known.frame, known.rotation) != (target.frame, target.rotation) {
                (state.aim, state.isFixed) = (nil, false)
            }
            state.target = target
            guard let session = state.session else { return true }
            state.aim?.adapt(to: target.mode)
            state.aim?.update(faces, capturedAt: time, now: max(session.now, time))
            return !state.isFixed
        }
    }

    private static func run(_ role: String, _ state: ConditionLock<State>) {
        while true {
            let work = state.wait { state -> Work? in
                if state.isEnded { return .end }
                if let target = state.target, state.aim == nil, !state.isFixed { return .open(target) }
                return state.aim?.isTurning ?? false ? .step : nil
            }
            switch work {
            case .end: return
            case .open(let target): open(role, target, state)
            case .step: step(role, state)
            }
        }
    }

    private static func open(_ role: String, _ target: Target, _ state: ConditionLock<State>) {
        guard let session = state.withLock(\.session) else { return end(state) }
        do throws(SessionChangeError) {
            let controls = try session.controls(of: role).controls
            let aim = CameraAim(
                controls, mode: target.mode, frame: target.frame, rotation: target.rotation,
                maxZoom: target.maxZoom)
            state.withLock { state in
                guard state.target != nil else { return }
                (state.aim, state.isFixed) = (aim, aim == nil)
            }
        } catch {
            // The camera is disconnected.
            wait(retryInterval, state)
        }
    }

    private static func step(_ role: String, _ state: ConditionLock<State>) {
        guard let session = state.withLock(\.session) else { return end(state) }
        let requests = state.withLock { $0.aim?.step(at: session.now) } ?? []
        do throws(SessionChangeError) {
            if !requests.isEmpty { try session.turn(role, requests) }
        } catch {
            // Framing was switched off, or the camera's position is unknown after a failure.
            state.withLock { ($0.target, $0.aim) = (nil, nil) }
        }
        wait(interval, state)
    }

    private static func end(_ state: ConditionLock<State>) { state.withLock { $0.isEnded = true } }

    private static func wait(_ duration: Nanoseconds, _ state: ConditionLock<State>) {
        _ = state.wait(until: MonotonicClock().now + duration) { $0.isEnded ? true : nil }
    }
}

extension SessionSetup {
    /// Creates the automatic framing of a session. It ends with the session.
    ///
    /// - Parameter session: A session of this setup.
    package func makeFramer(for session: MulticamSession) {
        guard plan.program != nil else { return }
        session.keep(SessionFramer(session))
    }
}
