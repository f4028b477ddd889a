public import Media
public import Plan
public import Profiles

/// Computes the rotation of one camera's frames, for files and for a preview, as the computer is turned. Create one for each
/// camera.
///
///     let coordinator = RotationCoordinator(for: camera, tracker: SensorOrientationTracker(), surface: .locked(.none))
///     for await angles in coordinator.changes() { layer.rotation = angles.preview }
///
/// A camera that stands on its own does not turn with the computer: its capture angle stays that of the profile or its mounting,
/// and its preview angle follows the surface alone. Every call is safe from any thread.
public final class RotationCoordinator: Sendable {
    private struct State {
        let stance: CameraMounting
        let isMirrored: Bool
        var surface: PreviewSurface
        var turn: MachineTurn
        /// The computer's last known orientation; before any is known, the usual one.
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

        /// Tells the listeners when the angles have changed.
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

    /// Follows the computer's orientation for one camera.
    ///
    /// - Parameters:
    ///   - camera: The camera whose frames are rotated.
    ///   - rotation: A fixed angle; `nil` follows the camera's mounting and the computer.
    ///   - tracker: The source of the computer's orientation: a `SensorOrientationTracker`, or a program's own.
    ///   - surface: The surface that shows the preview.
    ///   - mirroring: Whether the preview is mirrored.
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

    /// The present angles.
    public var angles: RotationAngles { state.withLock { $0.told } }

    /// Why the computer's orientation is unknown, as the end of a sentence; `nil` while it is known. The angles keep their last
    /// values.
    public var problem: String? {
        state.withLock { state in
            if case .unknown(let reason) = state.turn { reason } else { nil }
        }
    }

    /// Changes the surface that shows the preview, or its orientation.
    public func show(on surface: PreviewSurface) {
        state.withLock { state in
            state.surface = surface
            state.follow()
        }
    }

    /// Delivers the present angles, then each change; a slow reader gets only the latest. Ends with `stop`; an open stream keeps
    /// the coordinator alive.
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
        // The closure keeps this coordinator alive until the stream ends.
        continuation.onTermination = { _ in self.state.withLock { $0.listeners.remove(number) } }
        return stream
    }

    /// Calls `observer` with each change.
    ///
    /// - Parameter observer: Called under a lock on the thread of the change: it must neither wait nor call the coordinator.
    func observe(_ observer: @escaping @Sendable (RotationAngles) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Stops following, and ends all streams of changes. The angles keep their last values.
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
