internal import Media

/// A frame with the time at which its camera's clock model says it was captured.
struct DatedFrame: Sendable {
    package let frame: CapturedFrame
    let time: ClockTime
    /// What a stream decoder gave when it took this frame; `nil` where frames can be decoded one by one.
    let decoded: DecodedFrames?

    /// The pixels to be seen at its time; `nil` while a stream decoder has them still inside.
    var shown: CapturedFrame? { frame.pixel == .h264 ? decoded?.ready.last : frame }

    /// Whether it is of a stream that is damaged here, so that its predecessor stands in its place.
    var isUndecodable: Bool { decoded?.isDamaged == true && shown == nil }
}
