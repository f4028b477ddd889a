internal import CMedia
internal import Media

/// An `ebur128_state` with exactly one owner, at the session's rate.
final class OwnedLoudnessState {
    enum Purpose {
        /// Momentary, short-term and integrated loudness, and loudness range. A histogram in steps of 0.1 LU keeps
        /// memory and time constant over hours.
        case loudness
        case truePeak
    }

    let channels: Int
    private let state: UnsafeMutablePointer<ebur128_state>
    private let name: String

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - purpose: The measures that the state supports.
    ///   - channels: 1 to 8. Each counts once: a microphone's channels have no places around a listener, as those of
    ///     surround audio have, of which ITU-R BS.1770 weighs some more and leaves one out.
    ///   - name: The track, for messages.
    /// - Throws: When `channels` is out of range, or memory is short.
    init(_ purpose: Purpose, channels: Int, name: String) throws(EncodingError) {
        guard (1...8).contains(channels),
            let state = ebur128_init(UInt32(channels), UInt(AudioFormat.sessionRate), Int32(purpose.mode))
        else {
            throw EncodingError(
                subject: name, operation: "measure loudness",
                reason: "\(channels) channels: 1 to 8 are possible, or memory is short")
        }
        for channel in 0..<UInt32(channels) {
            // Left and right have equal weight; the library leaves out channels without a position.
            let place = channel % 2 == 0 ? EBUR128_LEFT : EBUR128_RIGHT
            guard
                ebur128_set_channel(state, channel, Int32(place.rawValue)) == Int32(EBUR128_SUCCESS.rawValue)
            else {
                var state: UnsafeMutablePointer<ebur128_state>? = state
                ebur128_destroy(&state)
                throw EncodingError(
                    subject: name, operation: "measure loudness",
                    reason: "libebur128 has no channel \(channel) of \(channels)")
            }
        }
        self.state = state
        self.channels = channels
        self.name = name
    }

    deinit {
        var state: UnsafeMutablePointer<ebur128_state>? = state
        ebur128_destroy(&state)
    }

    /// Adds samples to the measurement.
    ///
    /// - Parameter samples: Interleaved; a whole number of frames.
    /// - Throws: When libebur128 fails.
    func add(_ samples: UnsafeBufferPointer<Float>) throws(EncodingError) {
        let result = ebur128_add_frames_float(state, samples.baseAddress, samples.count / channels)
        guard result == Int32(EBUR128_SUCCESS.rawValue) else {
            throw EncodingError(
                subject: name, operation: "measure loudness", reason: "libebur128 failed with code \(result)")
        }
    }

    /// Highest true peak of all channels in the samples that were added last; 1 is full scale.
    var lastTruePeak: Double { highest(ebur128_prev_true_peak) }
    /// Highest true peak of all channels in all samples; 1 is full scale.
    var truePeak: Double { highest(ebur128_true_peak) }

    /// Reads a measure of all channels with a function of the library; `nil` when it fails or reports minus infinity,
    /// its word for nothing.
    func value(
        _ ask: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32
    ) -> Double? {
        var value = 0.0
        return ask(state, &value) == 0 && value.isFinite ? value : nil
    }

    private func highest(
        _ ask: (UnsafeMutablePointer<ebur128_state>?, UInt32, UnsafeMutablePointer<Double>?) -> Int32
    ) -> Double {
        (0..<UInt32(channels)).compactMap { channel in value { ask($0, channel, $1) } }.max() ?? 0
    }
}

extension OwnedLoudnessState.Purpose {
    /// The measure's libebur128 mode flags.
    fileprivate var mode: UInt32 {
        switch self {
        case .loudness:
            EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue | EBUR128_MODE_HISTOGRAM.rawValue
        case .truePeak: EBUR128_MODE_TRUE_PEAK.rawValue
        }
    }
}
