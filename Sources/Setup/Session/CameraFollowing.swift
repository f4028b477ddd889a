internal import Capture
public import Media
internal import Plan
internal import Profiles

/// Tells which camera the leading role should have between the recordings of a session: by the profile's policy and the user's
/// choices.
///
///     let following = try CameraFollowing(of: setup, application: .multicam)
///     for await camera in following.cameras() { … }
///
/// While a recording runs it reports nothing; `recordingEnded` returns what has changed. Safe to call from any thread.
public final class CameraFollowing: Sendable {
    /// The effect of a person's choice.
    public enum Outcome: Sendable, Equatable {
        /// The role has the camera already.
        case unchanged(CaptureDevice)
        /// The role has the camera from now on.
        case now(CaptureDevice)
        /// The role gets the camera when the recording ends.
        case later(CaptureDevice)
    }

    /// The leading role, whose camera is followed.
    public let role: String
    private let choice: DeviceChoice
    private let selection: ConditionLock<CameraSelection>
    private let current: CaptureDevice

    /// Watches the connected devices until `stop`. Blocks as `DiscoverySession.init` does. `nil` when every role names its own
    /// camera, or the leading role's camera is synthetic.
    ///
    /// - Parameters:
    ///   - setup: The setup of the session.
    ///   - application: The application whose user's choices count.
    /// - Throws: `DeviceError` when the system does not report changes of devices.
    public convenience init?(
        of setup: SessionSetup, application: ApplicationIdentifier
    ) throws(DeviceError) {
        guard let role = setup.leadingRole, let selection = setup.cameraSelection,
            let camera = setup.cameras[role]?.device
        else { return nil }
        self.init(role, camera, selection, choice: try DeviceChoice(application: application))
    }

    /// Follows one role.
    ///
    /// - Parameters:
    ///   - role: The leading role.
    ///   - camera: The role's present camera.
    ///   - selection: The rule, which holds that camera.
    ///   - choice: The connected devices and the user's preferences.
    init(_ role: String, _ camera: CaptureDevice, _ selection: CameraSelection, choice: DeviceChoice) {
        self.role = role
        self.choice = choice
        self.selection = ConditionLock(selection)
        current = camera
    }

    /// Delivers each camera that the role should change to. Ends with `stop`.
    public func cameras() -> AsyncStream<CaptureDevice> {
        let preferred = choice.systemPreferredCameras()
        let (stream, continuation) = AsyncStream.makeStream(of: CaptureDevice.self)
        let task = Task {
            for await _ in preferred {
                if let camera = ask() { continuation.yield(camera) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Switches to the next camera at a person's wish (`CameraSwitch`). Waits for the disk; do not call it in a Swift task.
    ///
    /// - Returns: The effect of the choice.
    /// - Throws: `SelectionRefusal` when the policy or the cameras forbid it, `StateFileError` when it cannot be remembered.
    public func switchCamera() throws -> Outcome {
        let preference = choice.cameraPreference
        let (taken, policy) = selection.withLock { ($0.taken, $0.policy) }
        guard policy.offersChoice else { throw SelectionRefusal.noChoice(policy) }
        let from = preference.cameras.first { $0.identity == currentIdentity } ?? current
        return try choose(try CameraSwitch.next(after: from, among: preference.order, without: taken))
    }

    /// Switches to a camera at a person's wish. Waits for the disk; do not call it in a Swift task.
    ///
    /// - Parameter selector: The selector of a connected camera.
    /// - Returns: The effect of the choice.
    /// - Throws: `DeviceError` when no camera or several fit, `SelectionRefusal` when the policy forbids it or another role has
    ///   the camera, `StateFileError` when it cannot be remembered.
    public func choose(_ selector: String) throws -> Outcome {
        try choose(
            try DeviceSelector.resolve(
                DeviceSelector.withoutLinks(selector), kind: "camera", among: choice.cameraPreference.cameras)
        )
    }

    /// Pins the role's camera until `recordingEnded`.
    public func recordingBegan() {
        choice.recordingBegan()
        selection.withLock { $0.recordingBegan() }
    }

    /// Lets the role's camera change again.
    ///
    /// - Returns: The camera to use from now on when it is another one; `nil` otherwise.
    public func recordingEnded() -> CaptureDevice? {
        choice.recordingEnded()
        let preference = choice.cameraPreference
        return Self.camera(selection.withLock { $0.recordingEnded(preference) })
    }

    /// Stops watching, and ends `cameras`.
    public func stop() { choice.stop() }

    private var currentIdentity: DeviceIdentity? { selection.withLock { $0.current } }

    private func ask() -> CaptureDevice? {
        let preference = choice.cameraPreference
        return Self.camera(selection.withLock { $0.ask(preference) })
    }

    private func choose(_ camera: CaptureDevice) throws -> Outcome {
        // Checked first, so that a refused choice is not remembered.
        let (policy, taken) = selection.withLock { ($0.policy, $0.taken) }
        guard policy.offersChoice else { throw SelectionRefusal.noChoice(policy) }
        guard !taken.contains(camera.identity) else { throw SelectionRefusal.taken(camera) }
        try choice.setUserPreferredCamera(camera)
        let preference = choice.cameraPreference
        let (decision, isRecording) = selection.withLock { selection in
            let decision = Result { () throws(SelectionRefusal) in
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
