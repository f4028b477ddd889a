package import Media
package import Timing

extension CameraInput {
    /// A source that the input has or had in this recording.
    package struct UsedSource: Sendable {
        /// The source, which was stopped when another took its place.
        package let source: any CameraSource
        /// Time from the scene to the time stamp, which was subtracted from every stamp.
        package let latency: Nanoseconds
        /// When the next source took its place; `nil` for the present one.
        package let until: ClockTime?
        /// Model of the source's clock at that time.
        package let clockModel: DeviceClock
        /// How many of its time stamps were implausible and were corrected.
        package let correctedStamps: Int
        /// The last outcome of each control that was set on it.
        package let controls: [ControlOutcome]
    }

    /// The sources that the input has had in this recording, in order; the last is the present one, whose `until` is `nil`.
    package var sources: [UsedSource] { box.withLock { $0.former + [$0.present(until: nil)] } }

    /// Takes the source of another input, which delivers already, in place of its own. Frames go on with the first that the new
    /// source captured after the last of the old one; of H.264 with its first key frame. Frames that are missing in between have
    /// the cause `change`. Timeline's thread only.
    ///
    /// - Parameters:
    ///   - other: The input that has started the source. Nobody else takes from it, and it is of no use afterwards.
    ///   - time: The present, on the session's clock.
    ///   - reason: Why, for the gap.
    /// - Returns: The old source, still running, which the caller has to stop. Nothing more of it is taken.
    package func exchange(
        for other: CameraInput, at time: ClockTime, reason: String
    ) -> any CameraSource {
        let (old, new) = (stream, other.stream.numbered(exchangeCount + 1))
        // Between two events of each source.
        old.route.hold()
        new.route.hold()
        let candidate = other.box.withLock { $0 }
        box.withLock {
            $0.take(over: candidate, as: new, at: time, reason: reason)
        }
        old.route.release(to: nil)
        new.route.release(to: (self, new))
        return old.source
    }
}
