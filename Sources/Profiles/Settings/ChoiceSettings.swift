internal import MulticamMedia

/// Settings for choosing cameras for roles whose device is `any`.
package struct ChoiceSettings: Sendable, Equatable {
    /// How the session uses the preferred camera.
    package var policy: CameraPolicy
    /// Selector of the camera that is proposed when the profile is used for the first time. The user's later
    /// choices take precedence over this proposal.
    package var prefer: String?

    /// Creates camera choice settings.
    package init(policy: CameraPolicy = .list, prefer: String? = nil) {
        self.policy = policy
        self.prefer = prefer
    }
}

/// How a session uses the preferred camera, at the start and while the session isn't recording.
///
/// A camera is never replaced during a recording, regardless of the policy.
package enum CameraPolicy: String, Sendable, Codable, CaseIterable {
    /// The session always switches to the preferred camera immediately and doesn't let the user choose, as in
    /// a barcode scanner.
    case follow
    /// The session switches to the preferred camera, and the user may choose another camera, as in a video
    /// call. The user's choice applies until another camera is connected.
    case followAndChoose = "follow-and-choose"
    /// The session starts with the preferred camera and doesn't change the camera automatically, as in a
    /// browser.
    case list
    /// The camera last used for a role is used again, and no other camera is accepted.
    case fixed

    /// Whether a session automatically switches to another camera when that camera becomes the preferred
    /// camera.
    package var switchesAutomatically: Bool {
        switch self {
        case .follow, .followAndChoose: true
        case .list, .fixed: false
        }
    }

    /// Whether the user may choose another camera while the session is running, and whether the choice is
    /// stored for later sessions.
    package var allowsChoice: Bool {
        switch self {
        case .followAndChoose, .list: true
        case .follow, .fixed: false
        }
    }
}

extension ChoiceSettings {
    init(_ value: ProfileValue) throws(ProfileError) {
        let fields = try value.fields(["policy", "prefer"])
        let usual = ChoiceSettings()
        self.init(
            policy: fields.read("policy", else: usual.policy) { value throws(ProfileError) in
                try value.choice()
            },
            prefer: fields.read("prefer") { value throws(ProfileError) in
                let expected = "front, back, or the selector of one camera, for example serial:0123"
                let selector = try value.text(limit: 4096, expected: expected)
                switch selector {
                case "front", "back": return "position:\(selector)"
                case "any", "remembered": throw value.error(expected: expected)
                case _ where selector.hasPrefix("virtual:") || selector.hasPrefix("file:"):
                    throw value.error(
                        expected: "\(expected); set synthetic cameras and files in `device`")
                default: return selector
                }
            })
    }
}
