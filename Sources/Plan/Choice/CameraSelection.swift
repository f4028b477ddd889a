public import Media
public import Profiles

/// Which camera plays a role now, by a policy: a value that is asked whenever something has changed.
///
///     var selection = CameraSelection(policy: .follow, current: nil)
///     if case .use(let camera) = selection.ask(preference) { open(camera) }
///
/// While a recording runs the answer is always to keep what there is; at its end the question is asked again.
public struct CameraSelection: Sendable, Equatable {
    public enum Decision: Sendable, Equatable {
        /// Nothing changes. A camera that is away is waited for.
        case keep
        /// This camera from now on.
        case use(CaptureDevice)
    }

    public let policy: CameraPolicy
    /// The camera that is used, there or not.
    public private(set) var current: DeviceIdentity?
    public private(set) var isRecording = false
    /// Cameras that play other roles: not to be had.
    public var taken: Set<DeviceIdentity>
    /// What a person chose while a recording ran, where nothing else would lead to it.
    private var postponed: DeviceIdentity?

    public init(
        policy: CameraPolicy, current: DeviceIdentity? = nil, taken: Set<DeviceIdentity> = []
    ) {
        self.policy = policy
        self.current = current
        self.taken = taken
    }

    /// Asks what to use: at the beginning, and whenever a camera came or went or something was chosen elsewhere.
    public mutating func ask(_ preference: CameraPreference) -> Decision {
        guard !isRecording else { return .keep }
        if let postponed, let camera = preference.cameras.first(where: { $0.identity == postponed }) {
            return use(camera)
        }
        // What there is at the beginning, everybody takes.
        guard policy.follows || current == nil,
            let preferred = preference.systemPreferred(without: taken)
        else { return .keep }
        // A guess is no reason to leave a camera that works.
        if !preferred.reason.isWish, isPresent(in: preference) { return .keep }
        return use(preferred.device)
    }

    /// A person chooses a camera. `preference` is to be told first.
    ///
    /// - Parameters:
    ///   - camera: That was chosen.
    ///   - preference: As it is with that choice.
    /// - Returns: `.keep` during a recording too: the choice counts when that ends.
    /// - Throws: When the policy offers no choice, or another role has the camera.
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

    /// From here on nothing changes.
    public mutating func recordingBegan() {
        isRecording = true
    }

    /// Asks again.
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
