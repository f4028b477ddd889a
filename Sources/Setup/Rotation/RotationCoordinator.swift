public import MulticamMedia
public import MulticamPlan
package import MulticamProfiles

/// Computes the rotation angles of one camera's frames for files and for a preview, and updates them when the computer
/// is rotated. Create one coordinator per camera.
///
/// ```swift
/// let coordinator = RotationCoordinator(for: camera, tracker: SensorOrientationTracker(), surface: .locked(.none))
/// for await angles in coordinator.changes() { layer.rotation = angles.preview }
/// ```
///
/// A freestanding camera doesn't rotate with the computer. The capture angle of such a camera is fixed by the profile
/// or by its mounting, and its preview angle depends only on the surface. All methods are thread-safe.
public final class RotationCoordinator: Sendable {
    private struct State {
        let mounting: CameraMounting
        let isMirrored: Bool
        var surface: PreviewSurface
        var turn: MachineOrientation
        /// Last known orientation of the computer. Before the first reading, this is the default orientation.
        var known = Rotation.none
        var reported: RotationAngles
        var listeners = StreamListeners<RotationAngles>()
        var observers: [@Sendable (RotationAngles) -> Void] = []
        var isStopped = false

        init(_ stance: CameraMounting, _ surface: PreviewSurface, isMirrored: Bool, turn: MachineOrientation)
        {
            (self.mounting, self.surface, self.isMirrored, self.turn) = (stance, surface, isMirrored, turn)
            if case .rotated(let known) = turn { self.known = known }
            reported = stance.angles(forComputerRotation: known, on: surface, isMirrored: isMirrored)
        }

        /// Notifies the listeners if the angles have changed.
        mutating func update() {
            if case .rotated(let turn) = turn { known = turn }
            let angles = mounting.angles(forComputerRotation: known, on: surface, isMirrored: isMirrored)
            guard !isStopped, angles != reported else { return }
            reported = angles
            listeners.notify(angles)
            for observer in observers { observer(angles) }
        }
    }

    private let state: ConditionLock<State>
    private let observation: OrientationObservation

    /// Starts tracking the computer's orientation for one camera.
    ///
    /// - Parameters:
    ///   - camera: The camera that captures the frames.
    ///   - tracker: Source of the computer's orientation: a `SensorOrientationTracker`, or an implementation supplied
    ///     by the app.
    ///   - surface: The surface that shows the preview.
    public convenience init(
        for camera: CaptureDevice, tracker: any OrientationTracker, surface: PreviewSurface = .upright
    ) {
        self.init(for: camera, rotation: nil, tracker: tracker, surface: surface)
    }

    /// Starts tracking the computer's orientation for one camera.
    ///
    /// - Parameters:
    ///   - camera: The camera that captures the frames.
    ///   - rotation: A fixed angle. `nil` derives the angle from the camera's mounting and the computer's orientation.
    ///   - tracker: Source of the computer's orientation: a `SensorOrientationTracker`, or an implementation supplied
    ///     by the app.
    ///   - surface: The surface that shows the preview.
    ///   - mirroring: Whether the preview is mirrored.
    package init(
        for camera: CaptureDevice, rotation: Rotation? = nil, tracker: any OrientationTracker,
        surface: PreviewSurface = .upright, mirroring: PreviewMirroring = .auto
    ) {
        let state = ConditionLock(
            State(
                CameraMounting(camera, fixed: rotation), surface,
                isMirrored: mirroring.decision(for: camera).isMirrored, turn: tracker.orientation))
        self.state = state
        observation = tracker.observe { turn in
            state.withLock { state in
                state.turn = turn
                state.update()
            }
        }
    }

    deinit { stop() }

    /// The current rotation angles.
    public var angles: RotationAngles { state.withLock { $0.reported } }

    /// The reason why the computer's orientation is unknown, as a phrase that completes a sentence; `nil`
    /// while the orientation is known. The angles keep their last values.
    public var problem: String? {
        state.withLock { state in
            if case .unknown(let reason) = state.turn { reason } else { nil }
        }
    }

    /// Sets the surface that shows the preview, or updates its orientation.
    public func setSurface(_ surface: PreviewSurface) {
        state.withLock { state in
            state.surface = surface
            state.update()
        }
    }

    /// Returns a stream of the current angles and all later changes. A slow reader receives only the latest value.
    /// `stop` ends the stream; an open stream keeps the coordinator alive.
    public func changes() -> AsyncStream<RotationAngles> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RotationAngles.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state -> Int? in
            continuation.yield(state.reported)
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

    /// Calls `observer` on each change.
    ///
    /// - Parameter observer: Called with a lock held, on the thread that makes the change. The observer must not block
    ///   or call the coordinator.
    func observe(_ observer: @escaping @Sendable (RotationAngles) -> Void) {
        state.withLock { $0.observers.append(observer) }
    }

    /// Stops tracking and ends all streams of changes. The angles keep their last values.
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
