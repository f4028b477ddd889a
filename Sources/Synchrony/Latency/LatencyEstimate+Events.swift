public import Media

extension LatencyEstimate {
    /// Estimates the latency of a device from events that it and a reference microphone have stamped.
    ///
    /// Events are matched first, at the offset on which most of them agree. Events that only one of the two noticed, or that
    /// agree with no others, do not count. The result is `nil` where no events match.
    ///
    /// - Parameters:
    ///   - events: Events of the device, in the order of time.
    ///   - reference: Events of the reference microphone, in the order of time.
    ///   - mediaType: Kind of the device. A camera is never earlier than the reference, except for the distance of the sound; a
    ///     microphone may be, and may be nearer or farther.
    public init?(
        of events: [SharpEvent], against reference: [SharpEvent], mediaType: CaptureDevice.MediaType
    ) {
        let (offsets, leeway) = Self.expectations(of: mediaType)
        let matching = EventMatching(of: reference, and: events, offsets: offsets, leeway: leeway)
        self.init(matching.pairs.map(\.offset))
    }

    /// Offsets at which two events may be the same one, and how far the offsets may differ. The range is narrow because claps
    /// repeat: the smallest offset that fits is taken.
    public static func expectations(
        of mediaType: CaptureDevice.MediaType
    ) -> (offsets: ClosedRange<Nanoseconds>, leeway: Nanoseconds) {
        switch mediaType {
        case .video: (.milliseconds(-100) ... .seconds(1), .milliseconds(2))
        // Somebody who walks about with the clap: 3 ms for each metre.
        case .audio: (.milliseconds(-500) ... .milliseconds(500), .milliseconds(20))
        }
    }
}
