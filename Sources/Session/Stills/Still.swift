public import Media

/// A still frame, with the facts of its moment and the frames around it.
public struct Still: Sendable {
    /// The camera's role.
    public let role: String
    /// The frame: as captured, or decoded if it came in an H.264 stream.
    public let frame: CapturedFrame
    /// Time, orientation and camera settings of the frame.
    public let facts: StillFacts
    /// The camera's own JPEGs around the frame, in the order of capture; empty when no clip was asked for.
    public let clip: [CapturedFrame]
    /// The camera's nominal rate, which is the clip's grid.
    public let rate: FrameRate

    /// Creates a still; each parameter sets the property of its name.
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
