internal import Media

/// A picture with the time at which its camera's clock model says it was captured.
struct DatedPicture: Sendable {
    let picture: CapturedPicture
    let time: ClockTime
    /// What a stream decoder gave when it took this picture; empty where pictures can be decoded one by one.
    let decoded: [CapturedPicture]
}
