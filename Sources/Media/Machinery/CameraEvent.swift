/// The reports of a camera while it streams, in the order of capture. Instants are on the session clock.
public enum CameraEvent: Sendable {
    /// A frame was captured.
    case frame(CapturedFrame)
    /// Frames were due and did not come, or came damaged. `capturedAt` is the capture time of the first of them, as well as
    /// known.
    case lost(count: Int, cause: LossCause, capturedAt: ClockTime)
    /// The camera went away or fell silent at an instant. It may return. The event comes again when another reason shows.
    ///
    /// `isRequested` says whether the camera was asked to be away: to take another format, or to be off. A camera that is
    /// found missing meanwhile reports that with `false`, from then on; an outage of the camera's own stays one until it
    /// returns, whatever is asked of it.
    case away(at: ClockTime, cause: String, isRequested: Bool = false)
    /// The camera delivers frames again. `remark` tells a person how: at another port, or perhaps exchanged for its twin.
    case returned(at: ClockTime, remark: String? = nil)
    /// The camera goes on in another format than before, because it was asked to or accepted no other; `returned` follows.
    case formatChanged(VideoFormat)
    /// The camera did not take a format that it was asked for while it ran, and goes on in the one before.
    case formatRefused(VideoFormat, at: ClockTime, cause: String)
    /// The driver's time for a frame was impossible, and the time given here was put in its place.
    case corrected(at: ClockTime)
    /// The packet headers' clock was asked for and is missing from the frames. Reported once for each cause.
    case withoutHeaderClock(at: ClockTime, cause: String)
    /// The results of setting the camera's controls, reported each time: when it was opened, and again where it had
    /// forgotten them.
    case controls([ControlOutcome], at: ClockTime)
    /// Something that a person should know, as a sentence. It changes nothing.
    case remarked(at: ClockTime, String)
    /// The camera will deliver no more: the file is at its end, or the device is gone for good.
    case ended(at: ClockTime, cause: String)
}
