internal import Media

/// A picture with the time at which its camera's clock model says it was captured.
struct DatedPicture: Sendable {
    let picture: CapturedPicture
    let time: ClockTime
    /// What a stream decoder gave when it took this picture; `nil` where pictures can be decoded one by one.
    let decoded: DecodedPictures?

    /// The pixels to be seen at its time; `nil` while a stream decoder has them still inside.
    var shown: CapturedPicture? { picture.pixel == .h264 ? decoded?.ready.last : picture }

    /// Whether it is of a stream that is damaged here, so that its predecessor stands in its place.
    var isUndecodable: Bool { decoded?.isDamaged == true && shown == nil }
}
