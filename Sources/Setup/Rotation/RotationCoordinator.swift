public import Media
public import Plan
public import Profiles

/// By how much one camera's frames are turned, for files and for a preview, as the computer is turned: a new one for each camera.
///
///     let coordinator = RotationCoordinator(for: camera, tracker: SensorTracker(), surface: .locked(.none))
///     for await angles in coordinator.changes() { layer.rotation = angles.preview }
///
/// A camera that stands on its own does not turn with the computer; its capture angle stays what the profile or its mounting says,
/// and the preview's follows the surface alone. All is safe to call from any thread.
public final class RotationCoordinator: Sendable {
    private struct State {
        let stance: CameraMounting
        let isMirrored: Bool
        var surface: PreviewSurface
        var turn: MachineTurn
        /// The last that was known; before that as the computer usually is.
        var known = Rotation.none
        var told: RotationAngles
        var listeners = StreamListeners<RotationAngles>()
        var observers: [@Sendable (RotationAngles) -> Void] = []
        var isStopped = false

        init(_ stance: CameraMounting, _ surface: PreviewSurface, isMirrored: Bool, turn: MachineTurn) {
            (self.stance, self.surface, self.isMirrored, self.turn) = (stance, surface, isMirrored, turn)
            if case .turned(let known) = turn { self.known = known }
            told = stance.angles(whileComputerIs: known, on: surface, isMirrored: isMirrored)
        }

        /// Tells what has become another.
        mutating func follow() {
            if case .turned(let turn) = turn { known = turn }
            let angles = stance.angles(whileComputerIs: known, on: surface, isMirrored: isMirrored)
            guard !isStopped, angles != told else { return }
            told = angles
            listeners.tell(angles)
            for observer in observers { observer(angles) }
        }
    }

    private let state: ConditionLock<State>
    private let observation: TurnObservation

    /// - Parameters:
    ///   - camera: Whose frames are turned.
    ///   - rotation: A person's own angle, which nothing changes; `nil` follows the camera's mounting and the computer.
    ///   - tracker: How the computer is turned: a `SensorOrientationTracker`, or a program's own.
    ///   - surface: That shows the preview.
    ///   - mirroring: Of that preview.
    public init(
        for camera: CaptureDevice, rotation: Rotation? = nil, tracker: any OrientationTracker,
        surface: PreviewSurface = .upright, mirroring: PreviewMirroring = .auto
    ) {
        let state = ConditionLock(
            State(
                CameraMounting(camera, fixed: rotation), surface,
                isMirrored: mirroring.decision(for: camera).isMirrored, turn: tracker.turn))
        self.state = state
        observation = tracker.observe { turn in
            state.withLock { state in
                state.turn = turn
                state.follow()
            }
        }
    }

    deinit { stop() }

    /// As they are now.
    public var angles: RotationAngles { state.withLock { $0.told } }

    /// Why the computer's turn is not known now: the end of a sentence; `nil` while it is. The angles stay what they were.
    public var problem: String? {
        state.withLock { state in
            if case .unknown(let reason) = state.turn { reason } else { nil }
        }
    }

    /// The preview is shown elsewhere from now on, or its surface was turned.
    public func show(on surface: PreviewSurface) {
        state.withLock { state in
            state.surface = surface
            state.follow()
        }
    }

    /// First the angles as they are, then each change as it happens. Ends with `stop`; as long as somebody listens, this is kept.
    public func changes() -> AsyncStream<RotationAngles> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RotationAngles.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            continuation.yield(state.told)
            return state.isStopped ? nil : state.listeners.add(continuation)
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        // Holds this coordinator until then.
        continuation.onTermination = { _ in self.state.withLock { $0.listeners.remove(number) } }
        return stream
    }

    /// Calls `observer` with each change.
    ///
    /// - Parameter observer: Called under a lock, on the thread that brings the change: it must neither wait nor call this.
    func observe(_ observer: @escaping @Sendable (RotationAngles) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Follows no longer, and ends all streams of changes. The angles stay as they are.
    public func stop() {
        observation.end()
        let listeners = state.withLock { state in
            state.isStopped = true
            state.observers = []
            return state.listeners.removeAll()
        }
        for listener in listeners { listener.finish() }
    }
}
