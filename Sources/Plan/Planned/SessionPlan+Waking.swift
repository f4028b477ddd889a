extension SessionPlan {
    /// In hertz. A leading grid of at least this rate wakes the timeline often enough for audio, too: a block of 20 ms waits for
    /// less than three of its lengths then. With a slower grid the timeline wakes for each block besides.
    package static let wakingRate = 20.0
}
