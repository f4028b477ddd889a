internal import Media

/// A frame or a slice of audio of a phone, dated on CLOCK_MONOTONIC.
struct DatedPhoneMedia: Sendable {
    let kind: PhoneMedia.Kind
    /// Whether a frame can be decoded alone.
    let isKey: Bool
    /// The number of the frame, or of the first sample.
    let number: Int64
    let time: ClockTime
    /// How far off `time` may be.
    let error: Nanoseconds
    let bytes: SharedBytes

    /// Dates what a phone has sent.
    init(_ media: PhoneMedia, at time: ClockTime, within error: Nanoseconds) {
        (kind, isKey, number, bytes) = (media.kind, media.isKey, media.number, media.bytes)
        (self.time, self.error) = (time, error)
    }
}
