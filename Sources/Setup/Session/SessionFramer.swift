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
            if mode != .off { mover.startIfNeeded() }
            let target = CameraMover.Target(
                mode: mode, device: camera.identity, frame: camera.format.size,
                rotation: program.arrangement.rotation(of: camera),
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
        var device: DeviceIdentity
        /// Size of the camera's stored frames.
        var frame: FrameSize
        var rotation: Rotation
        var maxZoom: Double

        /// Whether the axes and the picture of the camera are those of another target.
        func hasSameAxes(as other: Target) -> Bool {
            (device, frame, rotation) == (other.device, other.frame, other.rotation)
        }
    }

    private struct State {
        weak var session: MulticamSession?
        var target: Target?
        /// The camera's position; `nil` until the camera's controls are known, and while framing is off.
        var aim: CameraAim?
        /// The position that the camera had when framing began.
        var home: CameraAim.Position?
        /// Whether the camera doesn't have the controls, or has refused them several times.
        var isFixed = false
        /// Number of consecutive refusals.
        var refusals = 0
        var isStarted = false
        var isEnded = false

        /// Forgets the camera's position because framing is off.
        mutating func switchOff() { (target, aim, home, isFixed, refusals) = (nil, nil, nil, false, 0) }
    }

    private enum Work {
        case end
        case open(Target)
        case step
        case wait
    }

    private let role: String
    private let state: ConditionLock<State>

    /// Time between two settings of a camera that is turning.
    private static let interval = Nanoseconds.milliseconds(100)
    /// Time before the controls of a camera that can't be reached are read again.
    private static let retryInterval = Nanoseconds.seconds(2)
    /// Longest time until the thread notices that framing was switched off.
    private static let pollInterval = Nanoseconds.seconds(1)
    /// Number of consecutive refusals after which the camera's frames are cropped instead.
    private static let mostRefusals = 3

    init(_ role: String, _ session: MulticamSession) {
        self.role = role
        state = ConditionLock(State(session: session))
    }

    /// Starts the thread.
    func startIfNeeded() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        let (role, state) = (role, state)
        MediaThread.startWhenPossible(name: "framing:\(role)") { Self.run(role, state) }
    }

    func end() { state.broadcast { $0.isEnded = true } }

    /// Receives the faces in a frame of the camera.
    ///
    /// - Returns: `false` if the camera can't be turned, so that its frames must be cropped.
    func receive(_ faces: [DetectedFace], capturedAt time: ClockTime, _ target: Target) -> Bool {
        state.signal { state in
            guard target.mode != .off else {
                state.switchOff()
                return true
            }
            if let known = state.target, known.device != target.device { state.switchOff() }
            if let known = state.target, !known.hasSameAxes(as: target) { state.aim = nil }
            state.target = target
            guard let session = state.session else { return true }
            state.aim?.adapt(to: target.mode)
            state.aim?.update(faces, capturedAt: time, now: max(session.now, time))
            return !state.isFixed
        }
    }

    private static func run(_ role: String, _ state: ConditionLock<State>) {
        while true {
            let work =
                state.wait(until: MonotonicClock().now + pollInterval) { state -> Work? in
                    if state.isEnded { return .end }
                    if let target = state.target, state.aim == nil, !state.isFixed { return .open(target) }
                    return state.aim?.isTurning ?? false ? .step : nil
                } ?? .wait
            switch work {
            case .end: return
            case .open(let target): open(role, target, state)
            case .step: step(role, state)
            case .wait: break
            }
            // While framing is off, the camera's frames may not be analyzed, so `receive` isn't called.
            if let session = state.withLock({ $0.target == nil ? nil : $0.session }),
                !session.isFramed(role)
            {
                state.withLock { $0.switchOff() }
            }
        }
    }

    private static func open(_ role: String, _ target: Target, _ state: ConditionLock<State>) {
        guard let session = state.withLock(\.session) else { return end(state) }
        do throws(SessionChangeError) {
            let controls = try session.controls(of: role).controls
            state.withLock { state in
                guard state.target?.hasSameAxes(as: target) ?? false else { return }
                state.aim = CameraAim(
                    controls, mode: target.mode, frame: target.frame, rotation: target.rotation,
                    maxZoom: target.maxZoom, home: state.home)
                (state.home, state.isFixed) = (state.aim?.home, state.aim == nil)
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
            if !requests.isEmpty {
                try session.turn(role, requests)
                state.withLock { $0.refusals = 0 }
            }
        } catch {
            // The camera's position is unknown after a failure.
            let isRefused = state.withLock { state in
                state.aim = nil
                state.refusals += 1
                state.isFixed = state.refusals >= mostRefusals
                return state.isFixed
            }
            if isRefused, session.isFramed(role) {
                session.warn(
                    "camera \(role) can't be turned, so automatic framing crops its frames in the program: \(error)"
                )
            }
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
