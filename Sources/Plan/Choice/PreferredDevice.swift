public import Media

/// The device that is the best to use now, and why.
public struct PreferredDevice: Sendable, Equatable {
    /// Why a device is preferred.
    public enum Reason: String, Sendable, Codable {
        /// The device was plugged in while devices were watched, after the latest choice.
        case pluggedIn
        /// A person chose the device.
        case chosen
        /// A profile or a program proposed the device to begin with.
        case proposed
        /// The camera can be used now, and has streamed before.
        case streamedBefore
        /// The camera can be used now, and looks towards the default position.
        case position
        /// The camera can be used now.
        case ready
        /// No camera can be used now; this one is the least hindered.
        case noneIsReady
        /// The sound server has the microphone as its default.
        case serverDefault
    }

    /// The preferred device.
    public let device: CaptureDevice
    /// Why the device is preferred.
    public let reason: Reason
    /// Whether the device was found at another port than the one where it was chosen.
    public let isElsewhere: Bool

    /// Creates a preferred device with the reason for its preference.
    public init(device: CaptureDevice, reason: Reason, isElsewhere: Bool = false) {
        self.device = device
        self.reason = reason
        self.isElsewhere = isElsewhere
    }
}

extension PreferredDevice.Reason {
    /// The reason for people, as the end of “it is preferred because …”.
    public var sentence: String {
        switch self {
        case .pluggedIn: "it was plugged in last"
        case .chosen: "you chose it"
        case .proposed: "the profile begins with it"
        case .streamedBefore: "it was used before and can be used now"
        case .position: "it can be used now and looks the usual way"
        case .ready: "it can be used now"
        case .noneIsReady: "no camera can be used now"
        case .serverDefault: "the sound server says so"
        }
    }

    /// Whether a person or a profile wanted the device; otherwise it is only the best guess.
    public var isWish: Bool {
        switch self {
        case .pluggedIn, .chosen, .proposed: true
        case .streamedBefore, .position, .ready, .noneIsReady, .serverDefault: false
        }
    }
}
