/// How the cameras of roles with `any` are chosen.
public struct ChoiceSettings: Sendable, Equatable {
    public var policy: CameraPolicy
    /// A selector of the camera to begin with: it becomes the preferred one the first time that the profile records, behind
    /// whatever a person has chosen.
    public var prefer: String?

    public init(policy: CameraPolicy = .list, prefer: String? = nil) {
        self.policy = policy
        self.prefer = prefer
    }
}
