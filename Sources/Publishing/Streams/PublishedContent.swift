package import Media

/// Which items a kind of destination takes.
package struct PublishedContent: Sendable, Equatable {
    /// H.264 packets.
    package var video = false
    /// AAC packets.
    package var audio = false
    /// Raw frames in this pixel format, `nv12`, `i420` or `bgra`; `nil` for none.
    package var frames: PixelFormat?
    /// The mix, not encoded.
    package var samples = false

    /// Creates content; each parameter sets the property of its name.
    package init(
        video: Bool = false, audio: Bool = false, frames: PixelFormat? = nil, samples: Bool = false
    ) {
        (self.video, self.audio, self.frames, self.samples) = (video, audio, frames, samples)
    }

    /// What SRT and RTMP take.
    package static let packets = Self(video: true, audio: true)
}
