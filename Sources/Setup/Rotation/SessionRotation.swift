internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
package import MulticamSession
internal import MulticamSessionFolder
internal import MulticamStills

/// Tracks the computer's orientation while a session is recording, for cameras that are configured with
/// `rotation: sensor`.
///
/// Each change is reported as the event `orientation`. The rotation of the program changes at the next tick, like any other committed change. A still uses the
/// angle at the time of capture. The file of a camera has only one transformation matrix, so it keeps the
/// angle from the start of the recording. The next recording of the session uses the angle at its own start.
package final class SessionRotation: Sendable {
    /// The rotation coordinators of all cameras that follow the computer's orientation, by role.
    package let coordinators: [String: RotationCoordinator]
    private let observation: OrientationObservation

    /// Starts tracking the computer's orientation if at least one camera in the plan requests it.
    ///
    /// - Parameters:
    ///   - plan: The plan of the recording.
    ///   - devices: The plan's cameras by role.
    ///   - tracker: Source of the computer's orientation.
    ///   - session: The session that records the plan. It isn't retained.
    init(
        _ plan: SessionPlan, devices: [String: CaptureDevice], tracker: any OrientationTracker,
        session: MulticamSession
    ) {
        var coordinators: [String: RotationCoordinator] = [:]
        for camera in plan.cameras where camera.rotationSource == .sensor {
            guard let device = devices[camera.role] else { continue }
            let coordinator = RotationCoordinator(for: device, tracker: tracker)
            coordinators[camera.role] = coordinator
            let still = session.stills?.cameras.first { $0.role == camera.role }
            let file = plan.cameraTracks.first { $0.role == camera.role }?.file
            let turn = RotationApplier(
                role: camera.role, file: file, hasProgram: plan.program != nil, session: session,
                still: still)
            // The computer may have been rotated since the plan was created.
            coordinator.observe { turn.apply($0.capture) }
            if coordinator.angles.capture != camera.rotation { turn.apply(coordinator.angles.capture) }
        }
        self.coordinators = coordinators
        observation = tracker.observe { [weak session] turn in
            guard case .unknown(let reason) = turn else { return }
            session?.report(
                SessionEvent.Orientation(
                    text:
                        "the orientation of the computer is unknown, so cameras keep their current rotation: \(reason)."
                ))
        }
    }

    deinit { stop() }

    /// Stops tracking.
    package func stop() {
        observation.end()
        for coordinator in coordinators.values { coordinator.stop() }
    }

    /// Applies the computer's orientation to one camera.
    private struct RotationApplier: Sendable {
        let role: String
        /// The camera's own file, or `nil` if the camera isn't recorded separately.
        let file: String?
        let hasProgram: Bool
        weak let session: MulticamSession?
        let still: StillCamera?

        func apply(_ angle: Rotation) {
            guard let session else { return }
            still?.setRotation(angle)
            var text = "camera \(role) was rotated: its frames are now rotated \(angle.degrees)° clockwise"
            do throws(SessionChangeError) {
                try session.rotate(role, to: angle)
                if hasProgram { text += ", and the program was updated" }
            } catch {
                text += ", but the program could not be updated: \(error.description.trimmingFullStop)"
            }
            if let file, session.status.phase == .recording {
                text += "; \(file) keeps its initial rotation"
            }
            session.report(
                SessionEvent.Orientation(
                    track: role, degrees: Int64(angle.degrees), text: text.trimmingFullStop + "."))
        }
    }
}

extension SessionSetup {
    /// Rotates the program and the stills of a session with the computer's orientation, until the returned object is
    /// stopped or released.
    ///
    /// - Parameter session: A session of this setup that hasn't started recording yet. It isn't retained.
    /// - Returns: `nil` if no camera in the plan is configured with `rotation: sensor`.
    package func trackRotation(of session: MulticamSession) -> SessionRotation? {
        guard let tracker, plan.cameras.contains(where: { $0.rotationSource == .sensor }) else { return nil }
        return SessionRotation(
            plan, devices: cameras.mapValues(\.device), tracker: tracker, session: session)
    }
}

extension [String: PlannedDevice] {
    /// Returns the devices with the computer's orientation set on cameras that rotate with the computer and are
    /// configured with `rotation: sensor`.
    ///
    /// - Parameters:
    ///   - profile: The profile that configures the cameras.
    ///   - tracker: Source of the orientation. If the tracker is `nil` and a camera requests the orientation, this
    ///     function creates an accelerometer tracker and waits for its first reading.
    /// - Returns: The same devices, with the orientation set on the cameras that request it.
    func withOrientation(for profile: Profile, by tracker: inout (any OrientationTracker)?) -> Self {
        var devices = self
        for camera in profile.cameras where camera.rotation == .sensor {
            guard let device = devices[camera.role], device.device.rotatesWithComputer else { continue }
            let asked = tracker ?? SensorOrientationTracker()
            tracker = asked
            devices[camera.role]?.turn = asked.orientation
        }
        return devices
    }
}
