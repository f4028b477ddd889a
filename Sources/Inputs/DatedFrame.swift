package import Media

/// A frame with its capture time by the camera's clock model.
package struct DatedFrame: Sendable {
    /// The frame as captured.
    package let frame: CapturedFrame
    /// Capture time on the session's clock, less the camera's latency.
    package let time: ClockTime
    /// What the stream decoder returned when it took this frame, or `nil` when frames can be decoded one by one.
    let decoded: DecodedFrames?

    /// How many sources the camera's input had before the one that delivered the frame.
    package let stream: Int

    package init(frame: CapturedFrame, time: ClockTime, decoded: DecodedFrames?, stream: Int = 0) {
        self.stream = stream
        self.frame = frame
        self.time = time
        self.decoded = decoded
    }

    /// The same frame as one of another source of the input.
    func numbered(_ stream: Int) -> DatedFrame {
        DatedFrame(frame: frame, time: time, decoded: decoded, stream: stream)
    }

    /// The pixels to show at the frame's time, or `nil` while the stream decoder still holds them.
    package var shown: CapturedFrame? { frame.pixel == .h264 ? decoded?.ready.last : frame }

    /// Whether the frame belongs to a stretch of a stream that is damaged, so that its predecessor is shown in its
    /// place.
    package var isUndecodable: Bool { decoded?.isDamaged == true && shown == nil }
}
