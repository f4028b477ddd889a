public import Media

/// A frame that was taken, with what is known of its moment, and the frames around it.
public struct Still: Sendable {
    public let role: String
    public let frame: CapturedFrame
    public let facts: StillFacts
    /// The camera's own JPEGs around it, in the order of capture; empty where no clip was asked for.
    public let clip: [CapturedFrame]
    /// Of the camera, nominal: the clip's grid.
    public let rate: FrameRate

    public init(
        role: String, frame: CapturedFrame, facts: StillFacts, clip: [CapturedFrame] = [],
        rate: FrameRate
    ) {
        self.role = role
        self.frame = frame
        self.facts = facts
        self.clip = clip
        self.rate = rate
    }
}
