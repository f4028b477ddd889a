package import MulticamMedia
package import MulticamProfiles

/// Selects the camera for a role according to the profile's policy. This value type doesn't monitor devices:
/// call `decide` whenever devices or the user's choices have changed.
///
/// ```swift
/// var selection = CameraSelection(policy: .follow, current: nil)
/// if case .use(let camera) = selection.decide(with: preference) { open(camera) }
/// ```
///
/// While a recording is running, the result is always `keep`. Call `recordingEnded` when the recording ends.
package struct CameraSelection: Sendable, Equatable {
    /// The decision about which camera a role uses.
    package enum Decision: Sendable, Equatable {
        /// The role keeps its camera. If the camera is disconnected, the role waits until the camera is
        /// reconnected.
        case keep
        /// The role switches to this camera.
        case use(CaptureDevice)
    }

    /// The profile's policy for choosing and changing the camera.
    package let policy: CameraPolicy
    /// The camera that the role uses, even if it is disconnected; `nil` if the role doesn't have a camera.
    package private(set) var current: DeviceIdentity?
    /// Whether a recording is running. The camera never changes during a recording.
    package private(set) var isRecording = false
    /// Cameras that have other roles and can't be chosen.
    package var camerasInUse: Set<DeviceIdentity>
    /// The camera that the user chose during a recording, if the policy doesn't switch to the preferred
    /// camera automatically.
    private var postponed: DeviceIdentity?

    /// Creates a selection for one role.
    ///
    /// - Parameters:
    ///   - policy: The profile's policy.
    ///   - current: The camera that is already in use, if any.
    ///   - camerasInUse: Cameras that have other roles.
    package init(
        policy: CameraPolicy, current: DeviceIdentity? = nil, camerasInUse: Set<DeviceIdentity> = []
    ) {
        self.policy = policy
        self.current = current
        self.camerasInUse = camerasInUse
    }

    /// Decides which camera to use. Call this method initially, and whenever a camera is connected,
    /// disconnected, or chosen in another process.
    package mutating func decide(with preference: CameraPreference) -> Decision {
        guard !isRecording else { return .keep }
        if let postponed, let camera = preference.cameras.first(where: { $0.identity == postponed }) {
            return select(camera)
        }
        // Every policy selects a camera initially.
        guard policy.switchesAutomatically || current == nil,
            let preferred = preference.systemPreferred(without: camerasInUse)
        else { return .keep }
        // A working camera is replaced only by a camera that the user or a profile requested.
        if !preferred.reason.isRequested, isPresent(in: preference) { return .keep }
        return select(preferred.device)
    }

    /// Applies the user's choice of a camera for the role. Record the choice in `preference` before you call
    /// this method.
    ///
    /// - Parameters:
    ///   - camera: The camera that was chosen.
    ///   - preference: The camera preference, which already includes the choice.
    /// - Returns: The decision. During a recording, the decision is always `.keep`, and the choice takes effect when
    ///   the recording ends.
    /// - Throws: `SelectionError.noChoice` if the policy doesn't allow choices, or `SelectionError.inUse`
    ///   if another role uses the camera.
    package mutating func choose(
        _ camera: CaptureDevice, _ preference: CameraPreference
    ) throws(SelectionError) -> Decision {
        guard policy.allowsChoice else { throw .noChoice(policy) }
        guard !camerasInUse.contains(camera.identity) else { throw .inUse(camera) }
        guard !isRecording else {
            // If the policy follows the preferred camera, the choice doesn't need to be stored, because
            // `preference` already contains it.
            if !policy.switchesAutomatically { postponed = camera.identity }
            return .keep
        }
        return select(camera)
    }

    /// Records that a recording started. Until the recording ends, every decision is `.keep`.
    package mutating func recordingBegan() {
        isRecording = true
    }

    /// Records that the recording ended, and decides again which camera to use.
    package mutating func recordingEnded(_ preference: CameraPreference) -> Decision {
        isRecording = false
        return decide(with: preference)
    }

    private func isPresent(in preference: CameraPreference) -> Bool {
        preference.cameras.contains { $0.identity == current }
    }

    private mutating func select(_ camera: CaptureDevice) -> Decision {
        postponed = nil
        guard camera.identity != current else { return .keep }
        current = camera.identity
        return .use(camera)
    }
}

/// Reason why a camera can't be chosen or switched to.
package enum SelectionError: Error, Sendable, Equatable {
    /// The profile's policy doesn't allow the user to choose the camera.
    case noChoice(CameraPolicy)
    /// The camera is used by another role.
    case inUse(CaptureDevice)
    /// No camera faces the requested direction.
    case noCamera(facing: CaptureDevice.Position)
}

extension SelectionError: CustomStringConvertible {
    /// User-readable message with the reason and a suggested fix.
    package var description: String {
        switch self {
        case .noChoice(let policy):
            "this profile does not allow choosing a camera, because `choice.policy` is `\(policy.rawValue)`. Set `choice.policy` to `follow-and-choose` or `list`."
        case .inUse(let camera):
            "“\(camera.name.printable())” (\(camera.selector.printable())) is already used for another role. Choose another camera, or swap the two cameras."
        case .noCamera(let position):
            "no camera to switch to: \(position == .back ? "no back camera" : "no external or front camera") was found. "
                + onCommandLine(
                    "Set the position of a camera with `multicam devices --set CAMERA --position \(position.rawValue)`, or specify a camera by name.",
                    otherwise: "Specify a camera by name.")
        }
    }
}

/// Implements a front/back switch that alternates between the camera facing the user and the camera facing away.
///
/// External cameras count as facing the user, because most of them are mounted on the screen. If no camera's
/// position is known, the switch cycles through all cameras.
package enum CameraSwitch {
    /// Returns the camera to switch to. For a front camera or a camera of unknown position, this is a back
    /// camera. For a back camera, this is an external camera of unknown position, or otherwise a front
    /// camera. If no camera's position is known, this is the next camera in order, and the first camera
    /// follows the last.
    ///
    /// - Parameters:
    ///   - current: The camera in use now.
    ///   - cameras: All cameras that are present, in the order of `CameraPreference.order`.
    ///   - taken: Cameras that have other roles and can't be chosen.
    /// - Returns: A camera other than `current`: the first suitable camera that is available now, or
    ///   otherwise the first suitable camera.
    /// - Throws: `SelectionError.noCamera` if no camera is suitable.
    package static func next(
        after current: CaptureDevice, among cameras: [CaptureDevice], without taken: Set<DeviceIdentity> = []
    ) throws(SelectionError) -> CaptureDevice {
        let others = cameras.filter {
            $0.mediaType == .video && $0.identity != current.identity && !taken.contains($0.identity)
        }
        func first(_ fits: (CaptureDevice) -> Bool) -> CaptureDevice? {
            let fitting = others.filter(fits)
            return fitting.first { $0.problem == nil } ?? fitting.first
        }
        if current.position == .unspecified, others.allSatisfy({ $0.position == .unspecified }),
            let next = inTurn(others, after: current, among: cameras)
        {
            return next
        }
        switch current.position {
        case .unspecified, .front:
            guard let back = first({ $0.position == .back }) else { throw .noCamera(facing: .back) }
            return back
        case .back:
            let external = first { $0.deviceType == .external && $0.position == .unspecified }
            guard let next = external ?? first({ $0.position == .front }) else {
                throw .noCamera(facing: .front)
            }
            return next
        }
    }

    /// Returns the next camera after the current one that is available now. If none is available, returns the
    /// next camera regardless of availability.
    private static func inTurn(
        _ others: [CaptureDevice], after current: CaptureDevice, among cameras: [CaptureDevice]
    ) -> CaptureDevice? {
        let place = cameras.firstIndex { $0.identity == current.identity } ?? 0
        let turned = cameras[place...] + cameras[..<place]
        let next = turned.filter { camera in others.contains { $0.identity == camera.identity } }
        return next.first { $0.problem == nil } ?? next.first
    }
}
