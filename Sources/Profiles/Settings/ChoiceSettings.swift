/// How the cameras of roles with `any` are chosen.
public struct ChoiceSettings: Sendable, Equatable {
    /// How the session uses the preferred camera.
    public var policy: CameraPolicy
    /// A selector of the camera to begin with, which is proposed the first time that the profile records; a person's choices come
    /// before it.
    public var prefer: String?

    /// Creates choice settings.
    public init(policy: CameraPolicy = .list, prefer: String? = nil) {
        self.policy = policy
        self.prefer = prefer
    }
}
