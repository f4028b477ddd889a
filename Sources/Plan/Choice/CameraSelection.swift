public import Media
public import Profiles

/// The choice of the camera that plays a role now, by the profile's policy: a value to ask whenever something has changed.
///
///     var selection = CameraSelection(policy: .follow, current: nil)
///     if case .use(let camera) = selection.ask(preference) { open(camera) }
///
/// While a recording runs the answer is always `keep`; ask again when it ends.
public struct CameraSelection: Sendable, Equatable {
    /// The answer to the question which camera a role is to use.
    public enum Decision: Sendable, Equatable {
        /// The role keeps its camera, and waits for it if it is away.
        case keep
        /// The role switches to this camera.
        case use(CaptureDevice)
    }

    /// The profile's policy for choosing and changing the camera.
    public let policy: CameraPolicy
    /// The camera that the role uses, present or not; `nil` while it has none.
    public private(set) var current: DeviceIdentity?
    /// Whether a recording runs, during which the camera never changes.
    public private(set) var isRecording = false
    /// Cameras that play other roles and cannot be chosen.
    public var taken: Set<DeviceIdentity>
    /// The camera that a person chose while a recording ran, under a policy that would not come to it by itself.
    private var postponed: DeviceIdentity?

    /// Creates a selection for one role.
    ///
    /// - Parameters:
    ///   - policy: The profile's policy.
    ///   - current: The camera that is in use already, if any.
    ///   - taken: Cameras that play other roles.
    public init(
        policy: CameraPolicy, current: DeviceIdentity? = nil, taken: Set<DeviceIdentity> = []
    ) {
        self.policy = policy
        self.current = current
        self.taken = taken
    }

    /// Decides which camera to use: to be asked at the beginning, and whenever a camera came or went or was chosen elsewhere.
    public mutating func ask(_ preference: CameraPreference) -> Decision {
        guard !isRecording else { return .keep }
        if let postponed, let camera = preference.cameras.first(where: { $0.identity == postponed }) {
            return use(camera)
        }
        // Every policy takes a camera at the beginning.
        guard policy.follows || current == nil,
            let preferred = preference.systemPreferred(without: taken)
        else { return .keep }
        // A guess is no reason to leave a camera that works.
        if !preferred.reason.isWish, isPresent(in: preference) { return .keep }
        return use(preferred.device)
    }

    /// Takes over a person's choice of a camera. Tell `preference` of the choice first.
    ///
    /// - Parameters:
    ///   - camera: The camera that was chosen.
    ///   - preference: The preference, which knows of the choice already.
    /// - Returns: The decision: always `.keep` during a recording, at whose end the choice takes effect.
    /// - Throws: `noChoice` when the policy offers no choice, `taken` when another role has the camera.
    public mutating func choose(
        _ camera: CaptureDevice, _ preference: CameraPreference
    ) throws(SelectionRefusal) -> Decision {
        guard policy.offersChoice else { throw .noChoice(policy) }
        guard !taken.contains(camera.identity) else { throw .taken(camera) }
        guard !isRecording else {
            // A policy that follows hears of it from the preference, and of what was plugged in later too.
            if !policy.follows { postponed = camera.identity }
            return .keep
        }
        return use(camera)
    }

    /// Notes that a recording began: from now on every decision is `.keep`.
    public mutating func recordingBegan() {
        isRecording = true
    }

    /// Notes that the recording ended, and decides again which camera to use.
    public mutating func recordingEnded(_ preference: CameraPreference) -> Decision {
        isRecording = false
        return ask(preference)
    }

    private func isPresent(in preference: CameraPreference) -> Bool {
        preference.cameras.contains { $0.identity == current }
    }

    private mutating func use(_ camera: CaptureDevice) -> Decision {
        postponed = nil
        guard camera.identity != current else { return .keep }
        current = camera.identity
        return .use(camera)
    }
}
