package import Media

/// The search for values in a microphone's slice that are not audio, which are replaced by silence.
///
/// A damaged sample is not a number, infinite, or more than 60 dB above full scale. One of them would make a resampler, an
/// encoder and a meter useless for everything that follows. Audio between full scale and that limit is kept: it is only too loud.
package enum DamagedSamples {
    /// The largest magnitude that is audio; 1 is full scale.
    static let limit: Float = 1000

    /// Whether all values are audio. It costs one pass of integer maxima, which the compiler vectorises.
    static func isAudio(_ samples: [Float]) -> Bool {
        samples.withUnsafeBufferPointer { samples in
            // Without their sign, the bit patterns of floats have the order of their magnitudes; those of infinity and of what is
            // not a number are above all others.
            var highest: UInt32 = 0
            for sample in samples { highest = max(highest, sample.bitPattern & 0x7fff_ffff) }
            return highest <= limit.bitPattern
        }
    }

    /// Replaces damaged samples by silence.
    ///
    /// - Parameters:
    ///   - audio: A slice as it was captured.
    ///   - pick: The channels that are used, counted from 0; empty for all of them.
    /// - Returns: The slice with silence where it was damaged, and the ranges of its frames that are damaged in a channel that is
    ///   used, in order.
    package static func repaired(_ audio: CapturedAudio, pick: [Int]) -> (
        audio: CapturedAudio, frames: [Range<Int>]
    ) {
        guard !isAudio(audio.samples) else { return (audio, []) }
        let channels = audio.format.channels
        var samples = audio.samples
        var frames: [Range<Int>] = []
        for place in samples.indices where !(abs(samples[place]) <= limit) {
            samples[place] = 0
            let frame = place / channels
            guard pick.isEmpty || pick.contains(place % channels), frame < audio.frameCount else { continue }
            if let last = frames.last, frame <= last.upperBound {
                frames[frames.count - 1] = last.lowerBound..<frame + 1
            } else {
                frames.append(frame..<frame + 1)
            }
        }
        let repaired = CapturedAudio(
            format: audio.format, capturedAt: audio.capturedAt, firstSample: audio.firstSample,
            samples: samples)
        return (repaired, frames)
    }
}
