extension SessionPlan {
    /// The lowest rate in hertz of a leading grid that wakes the timeline often enough for audio, too: a block of 20 ms then
    /// waits for less than three of its lengths. With a slower grid the timeline also wakes for each block.
    package static let wakingRate = 20.0
}
