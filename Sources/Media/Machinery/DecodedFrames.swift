/// What a stream decoder gave when it took one frame.
public struct DecodedFrames: Sendable {
    /// Whole frames that became ready, with capture time and sequence of the ones they came from.
    public let ready: [CapturedFrame]
    /// Whether this one cannot be shown: it is damaged, or it needs one that is damaged or missing.
    public let isDamaged: Bool

    public init(ready: [CapturedFrame], isDamaged: Bool) {
        self.ready = ready
        self.isDamaged = isDamaged
    }
}
