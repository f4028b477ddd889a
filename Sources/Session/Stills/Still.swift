public import Media

/// A picture that was taken, with what is known of its moment, and the pictures around it.
public struct Still: Sendable {
    public let role: String
    public let picture: CapturedPicture
    public let facts: StillFacts
    /// The camera's own JPEGs around it, in the order of capture; empty where no clip was asked for.
    public let clip: [CapturedPicture]
    /// Of the camera, nominal: the clip's grid.
    public let rate: FrameRate

    public init(
        role: String, picture: CapturedPicture, facts: StillFacts, clip: [CapturedPicture] = [],
        rate: FrameRate
    ) {
        self.role = role
        self.picture = picture
        self.facts = facts
        self.clip = clip
        self.rate = rate
    }
}
