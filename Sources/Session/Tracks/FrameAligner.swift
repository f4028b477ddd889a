internal import Inputs
internal import Media
internal import Timing

/// Aligns a camera's frames to a track, and counts lost frames.
protocol FrameAligner {
    /// Takes the camera's present frame interval from a reading of its clock.
    mutating func follow(_ clock: ClockReading)
    /// Gives each waiting frame a new capture time.
    ///
    /// - Parameter time: Returns a frame's new capture time on the session's clock, from the frame and its old one.
    mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime)
    /// Adds a frame.
    ///
    /// - Parameters:
    ///   - dated: The frame.
    ///   - time: Capture time on the session's clock, in place of the frame's own date.
    mutating func add(_ dated: DatedFrame, at time: ClockTime)
    /// Counts lost frames.
    ///
    /// - Parameters:
    ///   - count: Number of lost frames.
    ///   - cause: Why they were lost.
    ///   - time: Capture time of the first of them on the session's clock.
    mutating func addLoss(count: Int, cause: LossCause, capturedAt time: ClockTime)
}

extension TrackAligner<DatedFrame>: FrameAligner {
    /// Takes the camera's present frame interval from a reading of its clock.
    mutating func follow(_ clock: ClockReading) { cameraInterval = clock.interval }

    /// Gives each waiting frame a new capture time on the session's clock.
    mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime) {
        redate { dated, old in time(dated.frame, old) }
    }

    /// Adds a frame with its capture time on the session's clock.
    mutating func add(_ dated: DatedFrame, at time: ClockTime) { add(dated, capturedAt: time) }
}

extension KeyStreamAligner<CapturedFrame>: FrameAligner {
    /// Does nothing: a copied stream needs no frame interval.
    mutating func follow(_ clock: ClockReading) {}

    /// Gives each waiting frame a new capture time on the session's clock.
    mutating func redateFrames(_ time: (CapturedFrame, ClockTime) -> ClockTime) { redate(time) }

    /// Adds a frame with its capture time on the session's clock.
    mutating func add(_ dated: DatedFrame, at time: ClockTime) {
        add(dated.frame, isKey: dated.frame.isKey, capturedAt: time)
    }
}
