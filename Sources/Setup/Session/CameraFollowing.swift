internal import Capture
public import Media
internal import Plan
internal import Profiles

/// Says which camera the leading role of a session is to have, between its recordings: by the profile's policy, and by what a person
/// chooses meanwhile.
///
///     let following = try CameraFollowing(of: setup, application: .multicam)
///     for await camera in following.cameras() { … }
///
/// While a recording runs it says nothing; what has changed meanwhile `recordingEnded` tells. Safe to call from any thread.
public final class CameraFollowing: Sendable {
    /// What a person's choice came to.
    public enum Outcome: Sendable, Equatable {
        /// The role has it already.
        case unchanged(CaptureDevice)
        /// From now on.
        case now(CaptureDevice)
        /// As soon as the recording ends.
        case later(CaptureDevice)
    }

    /// The role that it is about.
    public let role: String
    private let choice: DeviceChoice
    private let selection: ConditionLock<CameraSelection>
    private let current: CaptureDevice

    /// Looks for devices from now on, until `stop`. Blocks as `DiscoverySession` does. `nil` where every role names its own camera, or
    /// the leading one's is synthetic: nothing can be followed then.
    ///
    /// - Parameters:
    ///   - setup: Of the session.
    ///   - application: Whose user's choices are meant.
    /// - Throws: When the system lets us hear of no device.
    public convenience init?(
        of setup: SessionSetup, application: ApplicationIdentifier
    ) throws(DeviceError) {
        guard let role = setup.leadingRole, let selection = setup.cameraSelection,
            let camera = setup.cameras[role]?.device
        else { return nil }
        self.init(role, camera, selection, choice: try DeviceChoice(application: application))
    }

    /// - Parameters:
    ///   - role: The leading one.
    ///   - camera: That it has.
    ///   - selection: With that camera.
    ///   - choice: What is there and preferred.
    init(_ role: String, _ camera: CaptureDevice, _ selection: CameraSelection, choice: DeviceChoice) {
        self.role = role
        self.choice = choice
        self.selection = ConditionLock(selection)
        current = camera
    }

    /// The cameras that the role is to have from now on, each when that is known. Ends with `stop`.
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

    /// A person wants the camera after this one (`CameraSwitch`). Waits for the disk, as all choices; not in a Swift task.
    ///
    /// - Returns: What came of it.
    /// - Throws: `SelectionRefusal`, or a `StateFileError` where it cannot be remembered.
    public func switchCamera() throws -> Outcome {
        let preference = choice.cameraPreference
        let (taken, policy) = selection.withLock { ($0.taken, $0.policy) }
        guard policy.offersChoice else { throw SelectionRefusal.noChoice(policy) }
        let from = preference.cameras.first { $0.identity == currentIdentity } ?? current
        return try choose(try CameraSwitch.next(after: from, among: preference.cameras, without: taken))
    }

    /// A person wants a camera. Waits as above.
    ///
    /// - Parameter selector: Of one that is there.
    /// - Returns: What came of it.
    /// - Throws: As above, or a `DeviceError` where no camera or several fit.
    public func choose(_ selector: String) throws -> Outcome {
        try choose(
            try DeviceSelector.resolve(
                DeviceSelector.withoutLinks(selector), kind: "camera", among: choice.cameraPreference.cameras)
        )
    }

    /// From here on nothing changes.
    public func recordingBegan() {
        choice.recordingBegan()
        selection.withLock { $0.recordingBegan() }
    }

    /// - Returns: The camera from now on, where it is another one than before.
    public func recordingEnded() -> CaptureDevice? {
        choice.recordingEnded()
        let preference = choice.cameraPreference
        return Self.camera(selection.withLock { $0.recordingEnded(preference) })
    }

    /// Listens no longer.
    public func stop() { choice.stop() }

    private var currentIdentity: DeviceIdentity? { selection.withLock { $0.current } }

    private func ask() -> CaptureDevice? {
        let preference = choice.cameraPreference
        return Self.camera(selection.withLock { $0.ask(preference) })
    }

    private func choose(_ camera: CaptureDevice) throws -> Outcome {
        // Refused before it is remembered.
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
