public import Media

extension LatencyEstimate {
    /// Of a device that stamps the same events as a reference microphone.
    ///
    /// Which events are the same ones is found first: those of the offset that most of them agree upon. What only one of the
    /// two has noticed, and what agrees with nothing, does not count.
    ///
    /// - Parameters:
    ///   - events: Of the device, in order of time.
    ///   - reference: Of the reference microphone, in order of time.
    ///   - mediaType: A camera cannot be early, but for the distance from which audio comes; a microphone can, and may hear from
    ///     nearer or farther.
    public init?(
        of events: [SharpEvent], against reference: [SharpEvent], mediaType: CaptureDevice.MediaType
    ) {
        let (offsets, leeway) = Self.expectations(of: mediaType)
        let matching = EventMatching(of: reference, and: events, offsets: offsets, leeway: leeway)
        self.init(matching.pairs.map(\.offset))
    }

    /// Offsets at which two events can be the same one, and how far offsets may differ. Claps repeat: the smallest offset that
    /// fits is meant.
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
