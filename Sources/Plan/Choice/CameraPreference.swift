public import MulticamMedia

/// Determines the camera that the user prefers and the best camera to use now.
///
/// This is a value type: the caller passes in device changes and user choices, and acts on the result. The
/// best camera is the first of the following that is present:
/// 1. the camera that was plugged in last, if the user hasn't chosen a camera since then. Plugging in a
///    camera counts as choosing it;
/// 2. the camera that the user chose most recently, even if another program uses it;
/// 3. the initial camera that a profile or client proposed;
/// 4. the camera that streamed most recently, if it is available now;
/// 5. a camera that faces `defaultPosition`, or otherwise an external camera, whose direction is unknown.
package struct CameraPreference: Sendable, Equatable {
    private var preferences: DevicePreferences
    /// Cameras that have streamed, most recent first.
    package var streamed: [DeviceIdentity]
    /// Preferred position of the camera if the user hasn't chosen one.
    package var defaultPosition: CaptureDevice.Position

    /// Creates a preference from the user's stored choices and the cameras that are present.
    ///
    /// - Parameters:
    ///   - history: The user's choices in this application.
    ///   - streamed: Cameras that have streamed, most recent first.
    ///   - defaultPosition: The preferred position if the user hasn't chosen a camera; `front` for a computer
    ///     whose camera faces the user.
    ///   - present: Cameras that are present initially. Devices that aren't cameras are ignored.
    package init(
        history: DeviceHistory = DeviceHistory(), streamed: [DeviceIdentity] = [],
        defaultPosition: CaptureDevice.Position = .front, present: [CaptureDevice] = []
    ) {
        preferences = DevicePreferences(of: .video, history: history, present: present)
        self.streamed = streamed
        self.defaultPosition = defaultPosition
    }

    /// The user's camera choices. Assign this property after rereading the stored history.
    package var history: DeviceHistory {
        get { preferences.history }
        set { preferences.history = newValue }
    }

    /// Cameras that are present, in listing or connection order.
    package var cameras: [CaptureDevice] { preferences.present }

    /// Cameras that are present, in default order: color cameras before infrared cameras, each group in
    /// listing or connection order. Choosing or using a camera doesn't change this order, so that cycling
    /// through the list reaches every camera.
    package var order: [CaptureDevice] {
        cameras.filter { !$0.isGray } + cameras.filter(\.isGray)
    }

    /// Updates the list of cameras after devices are connected, disconnected, or changed. Devices that aren't
    /// cameras are ignored.
    ///
    /// - Parameter changes: The changes that were reported at the same time.
    package mutating func handle(_ changes: [DeviceChange]) {
        preferences.handle(changes)
    }

    /// Records that the user chose a camera, regardless of where the choice was made. Don't call this method
    /// for automatic camera changes.
    ///
    /// - Parameters:
    ///   - camera: The camera that was chosen.
    ///   - role: The role that the camera was chosen for; `nil` for a choice without a role.
    package mutating func choose(_ camera: DeviceIdentity, for role: String? = nil) {
        preferences.choose(camera, for: role)
    }

    /// Replaces the choices with the stored ones after another process changed them. If the most
    /// recently stored choice was made after the previous call, it counts as if it had been made in this process.
    ///
    /// - Parameters:
    ///   - history: The current stored choices.
    ///   - streamed: The stored list of cameras that have streamed, most recent first.
    package mutating func adopt(_ history: DeviceHistory, streamed: [DeviceIdentity]) {
        let isNewChoice = history.chosen.first != nil && history.chosen.first != self.history.chosen.first
        self.history = history
        self.streamed = streamed
        if isNewChoice, let choice = history.chosen.first {
            preferences.choose(choice.identity, for: choice.role)
        }
    }

    /// The highest-ranked camera of the history that is present; `nil` if none is present.
    package var userPreferred: CaptureDevice? { preferences.remembered()?.device }

    /// The best camera to use now and the reason; `nil` if no camera is present.
    package var systemPreferred: PreferredDevice? { systemPreferred() }

    /// Returns the best camera to use now and the reason.
    ///
    /// - Parameter taken: Cameras that have other roles and can't be chosen.
    /// - Returns: The camera and the reason; `nil` if no camera is left.
    package func systemPreferred(without taken: Set<DeviceIdentity> = []) -> PreferredDevice? {
        if let device = preferences.pluggedIn(without: taken) {
            return PreferredDevice(device: device, reason: .pluggedIn)
        }
        if let requested = preferences.remembered(without: taken) {
            return PreferredDevice(
                device: requested.device, reason: requested.isProposed ? .proposed : .chosen,
                isElsewhere: requested.isElsewhere)
        }
        return ranked(cameras.filter { !taken.contains($0.identity) }).first
    }

    /// Sentence for the user if a stored choice matches several present cameras and is therefore ignored;
    /// otherwise `nil`.
    package var ambiguityWarning: String? {
        preferences.ambiguousChoice.map { identity, candidates in
            let names = candidates.map { $0.selector.printable() }.joined(separator: " or ")
            return
                "the preferred camera “\(identity.name.printable())” is ambiguous: \(names). Choose one\(onCommandLine(" with `multicam prefer CAMERA`"))."
        }
    }

    /// Ranks cameras, best first, without considering user choices.
    ///
    /// Color cameras come before infrared cameras, which are used only if the user names them. The other
    /// criteria are, in order: whether the camera is available now, how recently the camera streamed, its
    /// position, and its place in `cameras`.
    package func ranked(_ cameras: [CaptureDevice]) -> [PreferredDevice] {
        let streams = DeviceIdentity.search(for: streamed, among: cameras).map { search -> CaptureDevice? in
            if case .found(let device, _) = search { device } else { nil }
        }
        func rank(_ camera: CaptureDevice, _ index: Int) -> [Int] {
            [
                camera.isGray ? 1 : 0, camera.problem == nil ? 0 : camera.mayBeOpened ? 1 : 2,
                streams.firstIndex(of: camera) ?? streams.count, positionRank(camera.position), index,
            ]
        }
        return cameras.enumerated().map { (camera: $1, rank: rank($1, $0)) }
            .sorted { $0.rank.lexicographicallyPrecedes($1.rank) }
            .map { entry in
                let reason: PreferredDevice.Reason =
                    if entry.camera.problem != nil {
                        .noneIsReady
                    } else if streams.contains(entry.camera) {
                        .streamedBefore
                    } else if defaultPosition != .unspecified, entry.camera.position == defaultPosition {
                        .position
                    } else {
                        .ready
                    }
                return PreferredDevice(device: entry.camera, reason: reason)
            }
    }

    private func positionRank(_ position: CaptureDevice.Position) -> Int {
        switch position {
        case defaultPosition: 0
        case .unspecified: 1
        case .front, .back: 2
        }
    }
}

/// The best device to use now, and the reason.
public struct PreferredDevice: Sendable, Equatable {
    /// Reason why a device is preferred.
    package enum Reason: String, Sendable, Codable {
        /// The device was plugged in after the user's most recent choice, while devices were being monitored.
        case pluggedIn = "plugged-in"
        /// The user chose the device explicitly.
        case chosen
        /// A profile or a client proposed the device as the initial one.
        case proposed
        /// The camera is available now and has streamed before.
        case streamedBefore = "streamed-before"
        /// The camera is available now and faces the default position.
        case position
        /// The camera is available now.
        case ready
        /// No camera is available now; this camera has the least severe problem.
        case noneIsReady = "none-is-ready"
        /// The microphone is the sound server's default.
        case serverDefault = "server-default"
    }

    /// The preferred device.
    public let device: CaptureDevice
    /// Reason for the preference.
    package let reason: Reason
    /// Whether the device is now connected to a different port than when it was chosen.
    package let isElsewhere: Bool

    /// User-readable reason, which completes the sentence "it is preferred because …".
    public var explanation: String { reason.sentence }

    /// Creates a preferred device with the reason for its preference.
    package init(device: CaptureDevice, reason: Reason, isElsewhere: Bool = false) {
        self.device = device
        self.reason = reason
        self.isElsewhere = isElsewhere
    }
}

extension PreferredDevice.Reason {
    /// User-readable reason, which completes the sentence "it is preferred because ...".
    package var sentence: String {
        switch self {
        case .pluggedIn: "it was plugged in last"
        case .chosen: "you chose it"
        case .proposed: "the profile suggests it"
        case .streamedBefore: "it was used before and is available"
        case .position: "it is available and faces the preferred direction"
        case .ready: "it is available"
        case .noneIsReady: "no camera is available"
        case .serverDefault: "it is the sound server's default"
        }
    }

    /// Whether the user or a profile requested the device. A device that wasn't requested was selected
    /// automatically.
    package var isRequested: Bool {
        switch self {
        case .pluggedIn, .chosen, .proposed: true
        case .streamedBefore, .position, .ready, .noneIsReady, .serverDefault: false
        }
    }
}
