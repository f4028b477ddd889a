internal import Media

/// A stretch of one media file in a timeline.
struct EditClip: Equatable {
    /// Role of the track that the file belongs to.
    let role: String
    /// The file.
    let part: SessionPart
    /// The frames of the session that the clip stands for, at the session's rate.
    let frames: Range<Int64>
    /// The time in the file at which the clip begins.
    let start: ExactTime
    /// Where the picture stands; `nil` for audio, and for an angle of its own.
    var picture: EditPicture?
    /// Gain in decibels of audio.
    var gain: Double = 0
    /// Why the shot shows it, or empty.
    var why = ""

    /// Number of frames at the session's rate.
    var count: Int64 { frames.upperBound - frames.lowerBound }
}
