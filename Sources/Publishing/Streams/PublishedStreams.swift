package import Media

/// The streams that a connection begins with. Only those that it wants, and that there are, are set.
package struct PublishedStreams: Sendable, Equatable {
    /// H.264, with size, rate and Annex B parameter sets.
    package var video: StreamParameters?
    /// AAC, with its AudioSpecificConfig.
    package var audio: StreamParameters?
    /// Raw frames: pixel format, size and the rate at which they come at most.
    package var frames: VideoFormat?
    /// The mix, not encoded.
    package var samples: AudioFormat?

    /// Creates an empty description.
    package init() {}
}
