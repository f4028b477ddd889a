/// The result of giving one frame to a stream decoder.
public struct DecodedFrames: Sendable {
    /// Whole frames that became ready, with the capture time and sequence of the encoded ones they came from.
    public let ready: [CapturedFrame]
    /// Whether the frame that was given cannot be shown: it is damaged, or it needs one that is damaged or missing.
    public let isDamaged: Bool

    /// Makes a result from the decoder's output.
    public init(ready: [CapturedFrame], isDamaged: Bool) {
        self.ready = ready
        self.isDamaged = isDamaged
    }
}
