internal import CMedia
public import Media

/// Finds the true peak of each block of audio, between its samples too, by libebur128 (ITU-R BS.1770, annex 2). Used by one thread
/// alone.
///
/// Interpolating costs far more than all else that is done with audio, so that only blocks are interpolated whose peak matters.
public final class BlockPeakMeter {
    /// Frames of a block. A peak between samples may be that of the block before, whose last samples reach into this one.
    public static let blockLength = 64

    private let state: OwnedLoudnessState
    /// The last frames before the next block, interleaved.
    private var history: [Float]

    /// Makes a meter.
    ///
    /// - Parameters:
    ///   - channels: 1 to 8.
    ///   - name: The track, for messages.
    /// - Throws: When `channels` is out of range, or memory is short.
    public init(channels: Int, name: String) throws(EncodingError) {
        state = try OwnedLoudnessState(.truePeak, channels: channels, name: name)
        history = Array(repeating: 0, count: TruePeakMeter.reach * channels)
    }

    /// Finds the true peak of the next block.
    ///
    /// - Parameters:
    ///   - block: The samples, interleaved; a whole number of frames.
    ///   - floor: Peaks below this need not be exact; 1 is full scale.
    /// - Returns: The true peak where it is above `floor`, else a number that is not above it.
    /// - Throws: When libebur128 fails.
    public func peak(of block: ArraySlice<Float>, above floor: Float) throws(EncodingError) -> Float {
        let samples = history + block
        history = Array(samples.suffix(history.count))
        let highest = samples.withUnsafeBufferPointer { media_peak($0.baseAddress, $0.count) }
        guard highest * Float(TruePeakMeter.gain) > floor else { return 0 }
        var failure: EncodingError?
        samples.withUnsafeBufferPointer { samples in
            do throws(EncodingError) {
                // The interpolator's memory is of other samples until the history has passed.
                let reach = samples.count - block.count
                try state.add(UnsafeBufferPointer(rebasing: samples[..<reach]))
                try state.add(UnsafeBufferPointer(rebasing: samples[reach...]))
            } catch { failure = error }
        }
        if let failure { throw failure }
        return Float(state.lastTruePeak)
    }
}
