internal import Inputs
internal import Media
internal import Plan
public import Session
public import Stills

/// Follows the computer's orientation while a session records, for the cameras whose profile says `rotation: sensor`.
///
/// The program turns at the next tick, like any other committed change. A still has the angle of its moment. A camera's own file
/// has one matrix: it keeps the angle with which the recording began, and the next recording of the session begins with the angle
/// of its own beginning.
public final class SessionRotation: Sendable {
    /// A coordinator for each camera that follows the orientation, by role.
    public let coordinators: [String: RotationCoordinator]
    /// Messages for the user as orientations change, one sentence each. Ends with `stop`.
    public let sentences: AsyncStream<String>
    private let sink: AsyncStream<String>.Continuation
    private let observation: TurnObservation

    /// Starts to follow; does nothing when no camera of the plan asks for it.
    ///
    /// - Parameters:
    ///   - plan: The plan that is recorded.
    ///   - devices: The plan's cameras by role.
    ///   - tracker: The source of the computer's orientation.
    ///   - session: The session that records the plan.
    ///   - stills: The stills of that session; `nil` when there are none.
    init(
        _ plan: SessionPlan, devices: [String: CaptureDevice], tracker: any OrientationTracker,
        session: MulticamSession, stills: SessionStills?
    ) {
        let (sentences, sink) = AsyncStream.makeStream(of: String.self)
        (self.sentences, self.sink) = (sentences, sink)
        var coordinators: [String: RotationCoordinator] = [:]
        for camera in plan.cameras where camera.rotationSource == .sensor {
            guard let device = devices[camera.role] else { continue }
            let coordinator = RotationCoordinator(for: device, tracker: tracker)
            coordinators[camera.role] = coordinator
            let still = stills?.cameras.first { $0.role == camera.role }
            let file = plan.cameraTracks.first { $0.role == camera.role }?.file
            let turn = Turn(
                role: camera.role, file: file, hasProgram: plan.program != nil, session: session,
                still: still, sink: sink)
            // The computer may have been turned since the plan was made.
            coordinator.observe { turn.follow($0.capture) }
            if coordinator.angles.capture != camera.rotation { turn.follow(coordinator.angles.capture) }
        }
        self.coordinators = coordinators
        observation = tracker.observe { turn in
            guard case .unknown(let reason) = turn else { return }
            sink.yield(
                "how the computer is held is not known any more, so cameras keep their angles: \(reason).")
        }
    }

    deinit { stop() }

    /// Stops following, and ends `sentences`.
    public func stop() {
        observation.end()
        for coordinator in coordinators.values { coordinator.stop() }
        sink.finish()
    }

    /// Applies the orientation to one camera.
    private struct Turn: Sendable {
        let role: String
        /// The camera's own file; `nil` when it has none.
        let file: String?
        let hasProgram: Bool
        let session: MulticamSession
        let still: StillCamera?
        let sink: AsyncStream<String>.Continuation

        func follow(_ angle: Rotation) {
            still?.turn(to: angle)
            var text = "camera \(role) is turned: \(angle.degrees)° clockwise show it upright"
            do throws(SessionChangeError) {
                try session.turn(role, to: angle)
                if hasProgram { text += ", as the program does now" }
            } catch {
                text += ", but the program cannot follow: \(error.description)"
            }
            if let file, session.status.phase == .recording {
                text += "; \(file) keeps the angle that it began with"
            }
            sink.yield(text.trimmingFullStop + ".")
        }
    }
}

extension SessionSetup {
    /// Lets the program and the stills of a session follow the computer's orientation, until the result is stopped or released.
    ///
    /// - Parameters:
    ///   - session: A session of this setup, before it records.
    ///   - stills: The stills of that session.
    /// - Returns: `nil` when no camera of the plan has `rotation: sensor`.
    public func followRotation(of session: MulticamSession, stills: SessionStills? = nil) -> SessionRotation?
    {
        guard let tracker, plan.cameras.contains(where: { $0.rotationSource == .sensor }) else { return nil }
        return SessionRotation(
            plan, devices: cameras.mapValues(\.device), tracker: tracker, session: session, stills: stills)
    }
}
