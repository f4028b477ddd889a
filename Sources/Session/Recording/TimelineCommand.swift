internal import Inputs
internal import Media
internal import Plan
internal import Writers

/// What a director wants of the timeline, which applies it before its next tick. All times are since T0.
enum TimelineCommand {
    /// Makes each stream's first frame at or after an undecided time a key frame, with which a new file can begin. With a movie,
    /// of the copied H.264 streams only that movie's are split.
    case beginPart(at: MediaTime, of: MovieWriter?)
    /// Shows and mixes what a plan says, from the first undecided tick and block of audio at or after a time.
    case arrange(SessionPlan, from: MediaTime)
    /// Switches a microphone off for a reason, or on without one, from the first undecided block of audio that begins at or after
    /// a time. While off it is silent in its track and in the program.
    case switchOff(role: String, reason: String?, from: MediaTime)
    /// Takes in a camera, which delivers already; the program may show its frames.
    case addCamera(CameraInput)
    /// Adds a track of a camera that is among the inputs, from an undecided tick on.
    case addTrack(any CameraTrack, from: Int64)
    /// Takes in a microphone, from the next undecided sample on.
    case addMicrophone(MicrophoneFeed)
    /// Ends a camera's or microphone's track at its first undecided tick or sample at or after a time; the track keeps at least
    /// one frame or sample. Nothing is done when no such track is open.
    case endTrack(named: String, at: MediaTime)
    /// Ends the track of a stream whose encoder failed for good, `program` or a camera's track, at the end of the frames in its
    /// file. Later ticks that are decided already are not in the file.
    case endFailed(named: String, at: MediaTime)
}
