internal import FoundationEssentials
internal import Media

/// Writes one microphone's audio to one disk. Audio that finds no room in its queue becomes silence of the same length; the
/// queue holds 40 s of stereo.
package typealias WaveFileWriter = FileWriter<SegmentedWave>

extension WaveFileWriter {
    /// Sets the exact date of the first sample and that sample's index since T0. To be called before the first samples.
    func begin(startedAt: Date, from first: Int64) {
        shared.withLock { $0.intake.position = first }
        order(.begin(startedAt))
    }

    /// Queues the next samples, or notes their length as silence when the queue has no room.
    ///
    /// - Parameter samples: Samples interleaved by channel, at 48 000 samples per second and channel.
    func append(_ samples: [Float]) {
        guard !samples.isEmpty else { return }
        let (intake, conclusion) = shared.withLock { ($0.intake, $0.result.conclusion) }
        let channels = intake.channels
        let rest = conclusion.map { max(0, $0 - intake.position) } ?? .max
        let wanted = Int(min(Int64(samples.count / channels), rest))
        guard wanted > 0 else { return }
        let kept = wanted * channels == samples.count ? samples : Array(samples[..<(wanted * channels)])
        // Nobody else adds to it: what finds room now finds it in a moment, with the silence before it.
        let isTaken = intake.limits.hasRoom(forAudio: kept.count * 4, file: queue.byteCount)
        if isTaken {
            tellSilence()
            _ = queue.offer(.samples(kept), bytes: kept.count * 4, as: .audio)
        }
        shared.withLock { $0.intake.advance(by: wanted, isTaken: isTaken) }
    }

    /// Continues in a new file from the next sample on.
    ///
    /// - Parameters:
    ///   - part: Path and first sample of the new file.
    ///   - startedAt: The date of the new file's first sample.
    func split(_ part: WaveWriter.Part, startedAt: Date) {
        tellSilence()
        order(.split(part, startedAt: startedAt))
    }

    /// Discards all samples from an index since T0 on, but none that already came; the first call holds.
    func conclude(at sample: Int64) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? max(sample, $0.intake.position) }
    }

    /// Ends the audio: the file's thread closes the file once the queue is empty.
    func finish() {
        tellSilence()
        queue.finish()
    }

    /// Queues the samples dropped so far as one order for silence.
    private func tellSilence() {
        let missing = shared.withLock { shared in
            defer { shared.intake.missing = 0 }
            return shared.intake.missing
        }
        if missing > 0 { order(.silence(missing)) }
    }

    /// Number of samples per channel dropped so far because the queue had no room.
    package var silencedCount: Int64 {
        shared.withLock { $0.intake.silenced.reduce(0) { $0 + Int64($1.count) } }
    }
}

extension FileResult<SegmentedWave> {
    /// Number of samples per channel, summed over all files.
    package var sampleCount: Int64 { Int64(counts[0]) }
    /// Ranges of samples that are silent because the disk was too slow, by their index since T0.
    package var silenced: [Range<Int64>] { shed[0] }
}
