internal import MulticamCapture
package import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles

/// Determines between recordings which camera the leading role should use, based on the profile's policy and the user's
/// choices.
///
/// ```swift
/// let tracker = try LeadingCameraTracker(of: setup, application: .multicam)
/// for await camera in tracker.cameras() { … }
/// ```
///
/// No camera changes are reported during a recording. If another camera was selected in the meantime,
/// `recordingEnded` returns that camera. All methods are thread-safe.
package final class LeadingCameraTracker: Sendable {
    /// The effect of a user's choice.
    package enum Outcome: Sendable, Equatable {
        /// The role already uses this camera.
        case unchanged(CaptureDevice)
        /// The role uses this camera from now on.
        case now(CaptureDevice)
        /// The role will use this camera after the recording ends.
        case later(CaptureDevice)
    }

    /// The leading role.
    package let role: String
    private let choice: DeviceChoice
    private let selection: ConditionLock<CameraSelection>
    private let current: CaptureDevice

    /// Monitors the connected devices until `stop` is called. Blocks until the device list is complete, like
    /// `DiscoverySession.init`. Returns `nil` if every role names a specific camera, or if the leading role's
    /// camera is synthetic.
    ///
    /// - Parameters:
    ///   - setup: The setup of the session.
    ///   - application: The application that the user's stored choices belong to.
    /// - Throws: `DeviceError` if the system doesn't report device changes.
    package convenience init?(
        of setup: SessionSetup, application: ApplicationIdentifier
    ) throws(DeviceError) {
        guard let role = setup.leadingRole, let selection = setup.cameraSelection,
            let camera = setup.cameras[role]?.device
        else { return nil }
        self.init(role, camera, selection, choice: try DeviceChoice(blockingFor: application))
    }

    /// Starts tracking the camera of one role.
    ///
    /// - Parameters:
    ///   - role: The leading role.
    ///   - camera: The role's current camera.
    ///   - selection: The rule that selects the role's camera. The current camera is one of its inputs.
    ///   - choice: The connected devices and the user's preferences.
    init(_ role: String, _ camera: CaptureDevice, _ selection: CameraSelection, choice: DeviceChoice) {
        self.role = role
        self.choice = choice
        self.selection = ConditionLock(selection)
        current = camera
    }

    /// Returns a stream of the cameras that the role should switch to. `stop` ends the stream.
    package func cameras() -> AsyncStream<CaptureDevice> {
        let preferred = choice.systemPreferredCameras()
        let (stream, continuation) = AsyncStream.makeStream(of: CaptureDevice.self)
        let task = Task(executorPreference: TaskThreads.shared) {
            for await _ in preferred {
                if let camera = self.updateSelection() { continuation.yield(camera) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Selects the next camera at the user's request (`CameraSwitch`). Blocks on disk I/O; don't call this from a Swift
    /// task.
    ///
    /// - Returns: The effect of the choice.
    /// - Throws: `SelectionError` if the policy or the available cameras don't permit the change. `StateFileError` if
    ///   the choice can't be stored.
    package func selectNextCamera() throws -> Outcome {
        let preference = choice.cameraPreference
        let (taken, policy) = selection.withLock { ($0.camerasInUse, $0.policy) }
        guard policy.allowsChoice else { throw SelectionError.noChoice(policy) }
        let from = preference.cameras.first { $0.identity == currentIdentity } ?? current
        return try choose(try CameraSwitch.next(after: from, among: preference.order, without: taken))
    }

    /// Selects a camera at the user's request. Blocks on disk I/O; don't call this from a Swift task.
    ///
    /// - Parameter selector: The selector of a connected camera.
    /// - Returns: The effect of the choice.
    /// - Throws: `DeviceError` if no camera or several cameras match. `SelectionError` if the policy doesn't permit
    ///   the change, or another role uses the camera. `StateFileError` if the choice can't be stored.
    package func choose(_ selector: String) throws -> Outcome {
        try choose(
            try DeviceSelector.resolve(
                DeviceSelector.withoutLinks(selector), kind: "camera", among: choice.cameraPreference.cameras)
        )
    }

    /// Locks the role's camera until `recordingEnded` is called.
    package func recordingBegan() {
        choice.recordingBegan()
        selection.withLock { $0.recordingBegan() }
    }

    /// Unlocks the role's camera.
    ///
    /// - Returns: The camera that the role uses from now on, or `nil` if the camera is unchanged.
    package func recordingEnded() -> CaptureDevice? {
        choice.recordingEnded()
        let preference = choice.cameraPreference
        return Self.camera(selection.withLock { $0.recordingEnded(preference) })
    }

    /// Stops monitoring and ends `cameras`.
    package func stop() { choice.stop() }

    private var currentIdentity: DeviceIdentity? { selection.withLock { $0.current } }

    private func updateSelection() -> CaptureDevice? {
        let preference = choice.cameraPreference
        return Self.camera(selection.withLock { $0.decide(with: preference) })
    }

    private func choose(_ camera: CaptureDevice) throws -> Outcome {
        // Check the choice first, so that a rejected choice isn't stored.
        let (policy, taken) = selection.withLock { ($0.policy, $0.camerasInUse) }
        guard policy.allowsChoice else { throw SelectionError.noChoice(policy) }
        guard !taken.contains(camera.identity) else { throw SelectionError.inUse(camera) }
        _ = try choice.storeChoice(of: camera)
        let preference = choice.cameraPreference
        let (decision, isRecording) = selection.withLock { selection in
            let decision = Result { () throws(SelectionError) in
                try selection.choose(camera, preference)
            }
            return (decision, selection.isRecording)
        }
        guard case .use(let used) = try decision.get() else {
            return isRecording && currentIdentity != camera.identity ? .later(camera) : .unchanged(camera)
        }
        return .now(used)
    }

    private static func camera(_ decision: CameraSelection.Decision) -> CaptureDevice? {
        guard case .use(let camera) = decision else { return nil }
        return camera
    }
}
