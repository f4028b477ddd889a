internal import Foundation
internal import Media

/// One microphone's file on one disk. Audio that finds no room in its queue, which holds most of a minute, becomes silence of the
/// same length.
package typealias WaveFileWriter = FileWriter<SegmentedWave>

extension WaveFileWriter {
    /// See `WaveWriter`.
    func begin(startedAt: Date, from first: Int64) {
        shared.withLock { $0.intake.position = first }
        order(.begin(startedAt))
    }

    /// Takes the next samples, or their length where there is no room for them.
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

    func split(_ part: WaveWriter.Part, startedAt: Date) {
        tellSilence()
        order(.split(part, startedAt: startedAt))
    }

    /// Takes nothing more from a sample on that has not come.
    func conclude(at sample: Int64) {
        shared.withLock { $0.result.conclusion = $0.result.conclusion ?? max(sample, $0.intake.position) }
    }

    func finish() {
        tellSilence()
        queue.finish()
    }

    /// What is missing so far becomes one order.
    private func tellSilence() {
        let missing = shared.withLock { shared in
            defer { shared.intake.missing = 0 }
            return shared.intake.missing
        }
        if missing > 0 { order(.silence(missing)) }
    }

    /// Samples per channel left out so far.
    package var silencedCount: Int64 {
        shared.withLock { $0.intake.silenced.reduce(0) { $0 + Int64($1.count) } }
    }
}

extension FileResult<SegmentedWave> {
    /// Per channel, in all parts.
    package var sampleCount: Int64 { Int64(counts[0]) }
    /// What the disk was too slow for, by the track's samples.
    package var silenced: [Range<Int64>] { shed[0] }
}
