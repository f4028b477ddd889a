internal import Media
internal import Plan
public import Session

/// Follows how the computer is turned while a session records, for the cameras whose profile says `rotation: sensor`.
///
/// The program turns at the next tick, like any other change that is committed. Stills have the angle of their moment. A camera's own
/// file has one matrix, from its beginning to its end: it keeps the angle with which the recording began, and the next one of a
/// session that stands by begins with the angle of its own beginning.
public final class SessionRotation: Sendable {
    /// One for each camera that follows, by role.
    public let coordinators: [String: RotationCoordinator]
    /// What a person should know as it happens. Ends with `stop`.
    public let sentences: AsyncStream<String>
    private let sink: AsyncStream<String>.Continuation
    private let observation: TurnObservation

    /// Nothing is followed where no camera of the plan wants it.
    ///
    /// - Parameters:
    ///   - plan: That is recorded.
    ///   - devices: Its cameras by role.
    ///   - tracker: How the computer is turned.
    ///   - session: That records it.
    ///   - stills: Of that session; `nil` where there are none.
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
            // It may have been turned since it was asked for the plan.
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

    /// Follows no longer.
    public func stop() {
        observation.end()
        for coordinator in coordinators.values { coordinator.stop() }
        sink.finish()
    }

    /// One camera's.
    private struct Turn: Sendable {
        let role: String
        /// Its own; `nil` where it has none.
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
    /// Lets the program and stills of a session follow how the computer is turned, until it is stopped or nobody holds it any more.
    ///
    /// - Parameters:
    ///   - session: Of this setup, before it records.
    ///   - stills: Of that session.
    /// - Returns: `nil` where no camera of the plan has `rotation: sensor`.
    public func followRotation(of session: MulticamSession, stills: SessionStills? = nil) -> SessionRotation?
    {
        guard let tracker, plan.cameras.contains(where: { $0.rotationSource == .sensor }) else { return nil }
        return SessionRotation(
            plan, devices: cameras.mapValues(\.device), tracker: tracker, session: session, stills: stills)
    }
}
