/// What a camera tells while it streams, in the order of capture.
public enum CameraEvent: Sendable {
    case frame(CapturedFrame)
    /// Frames that should have come and did not, or came damaged. `capturedAt` is that of the first, as well as known.
    case lost(count: Int, cause: LossCause, capturedAt: ClockTime)
    /// It went away or fell silent at an instant. It may return. Told again when another reason shows.
    ///
    /// `isRequested` says whether it is so because it was asked to: to take another format, or to be off. A camera that
    /// is found missing meanwhile tells that with `false`, from then on; what is its own doing stays that until it
    /// returns, whatever is asked of it.
    case away(at: ClockTime, cause: String, isRequested: Bool = false)
    /// It is back. `remark` is what a person should know of how: at another port, or perhaps exchanged for its twin.
    case returned(at: ClockTime, remark: String? = nil)
    /// It goes on in another format than before, as it was asked to or because it took none else; `returned` follows.
    case formatChanged(VideoFormat)
    /// It did not take a format that it was asked for while it ran, and goes on in the one before.
    case formatRefused(VideoFormat, at: ClockTime, cause: String)
    /// The driver's time for a frame was impossible, and another was put in its place.
    case corrected(at: ClockTime)
    /// Its frames come without the clock of their packets' headers, which was asked for. Said once for each cause.
    case withoutHeaderClock(at: ClockTime, cause: String)
    /// What came of the controls that it is to have, each time that they were set: when it was opened, and again where it had
    /// forgotten them.
    case controls([ControlOutcome], at: ClockTime)
    /// It will deliver no more: the file is at its end, or the device is gone for good.
    case ended(at: ClockTime, cause: String)
}
