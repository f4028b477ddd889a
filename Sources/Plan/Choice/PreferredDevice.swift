public import Media

/// A device that is the best to use now, and why.
public struct PreferredDevice: Sendable, Equatable {
    public enum Reason: String, Sendable, Codable {
        /// It was plugged in while we looked, later than anything was chosen.
        case pluggedIn
        /// A person chose it.
        case chosen
        /// A profile or a program begins with it.
        case proposed
        /// It can be used now, and has been before.
        case streamedBefore
        /// It can be used now, and looks where a camera should look.
        case position
        /// It can be used now.
        case ready
        /// None can be used now.
        case noneIsReady
        /// The sound server's own choice.
        case serverDefault
    }

    public let device: CaptureDevice
    public let reason: Reason
    /// Whether it was found at another port than where it was chosen.
    public let isElsewhere: Bool

    public init(device: CaptureDevice, reason: Reason, isElsewhere: Bool = false) {
        self.device = device
        self.reason = reason
        self.isElsewhere = isElsewhere
    }
}

extension PreferredDevice.Reason {
    /// For people, as the end of “it is preferred because …”.
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

    /// Whether somebody wanted it; else it is only the best guess.
    public var isWish: Bool {
        switch self {
        case .pluggedIn, .chosen, .proposed: true
        case .streamedBefore, .position, .ready, .noneIsReady, .serverDefault: false
        }
    }
}
