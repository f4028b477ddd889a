public import Media

/// A still frame, with the facts of its moment and the frames around it.
public struct Still: Sendable {
    /// The camera's role.
    public let role: String
    /// The frame: as captured, or decoded if it came in an H.264 stream.
    public let frame: CapturedFrame
    /// Time, orientation and camera settings of the frame.
    public let facts: StillFacts
    /// The frames around the still, in the order of capture; empty when no clip was asked for. The camera's own JPEGs or
    /// H.264; raw frames were made JPEGs.
    public let clip: [CapturedFrame]
    /// How many frames at the beginning of `clip` are not shown: those that later H.264 frames need.
    public let leadCount: Int
    /// The audio of the clip, from its first shown frame on; `nil` for none.
    public let sound: ClipSound?
    /// The camera's nominal rate, which is the clip's grid.
    public let rate: FrameRate

    /// Creates a still; each parameter sets the property of its name.
    public init(
        role: String, frame: CapturedFrame, facts: StillFacts, clip: [CapturedFrame] = [],
        leadCount: Int = 0, sound: ClipSound? = nil, rate: FrameRate
    ) {
        self.role = role
        self.frame = frame
        self.facts = facts
        self.clip = clip
        self.leadCount = leadCount
        self.sound = sound
        self.rate = rate
    }
}
