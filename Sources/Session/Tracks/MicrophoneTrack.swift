internal import FoundationEssentials
internal import MulticamEncoders
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamTiming
internal import MulticamWriters

/// A microphone's own track, stored in separate files or as a stream of a movie. The track stores the range
/// of its samples and the sample counts. Use this type only on the timeline's thread.
final class MicrophoneTrack {
    let name: String
    let role: String
    let channels: Int
    /// Index of the track's first sample in the recording, which is at T0 + first/48 000 s.
    let first: Int64
    /// Index of the sample that ends the track, or `nil` if the track ends with the recording.
    private(set) var end: Int64?
    private(set) var hasEnded = false
    let file: WaveWriter?
    /// Encodes the track as a stream of a movie, or `nil` if the track has separate files.
    let encoder: AudioEncoderWorker?
    let loudness: LoudnessStream?
    /// The fates of the samples that the track has passed to its files or its encoder.
    private(set) var counts = SampleCounts()
    /// Number of clipped samples in all channels. Samples count as clipped if three or more consecutive
    /// samples are at full scale.
    private(set) var clipped: Int64 = 0
    private var split: (sample: Int64, relativePath: String)?

    /// Creates a microphone track.
    ///
    /// - Parameters:
    ///   - planned: The track's plan.
    ///   - channels: Number of channels of the samples.
    ///   - first: Index of the track's first sample in the recording.
    ///   - file: The WAVE file, if the track has separate files.
    ///   - encoder: The encoder, if the track is a stream of a movie.
    ///   - loudness: The stream that measures the track's loudness.
    init(
        _ planned: PlannedMicrophoneTrack, channels: Int, first: Int64 = 0, file: WaveWriter?,
        encoder: AudioEncoderWorker?, loudness: LoudnessStream?
    ) {
        name = planned.name
        role = planned.role
        self.channels = channels
        self.first = first
        self.file = file
        self.encoder = encoder
        self.loudness = loudness
    }

    /// Processes the microphone's next samples, and records the samples within the track.
    ///
    /// - Parameters:
    ///   - block: The next samples of the microphone.
    ///   - position: Index of the first sample in the recording.
    ///   - clipped: Number of clipped samples.
    func append(_ block: AudioBlock, at position: Int64, clipped: Int64) {
        let range = position..<position + Int64(block.count)
        let own = range.clamped(to: first..<max(end ?? .max, first))
        if !own.isEmpty {
            record(
                block[Int(own.lowerBound - position)..<Int(own.upperBound - position)],
                from: own.lowerBound)
            self.clipped += clipped
        }
        if let end, end <= range.upperBound { finish() }
    }

    private func record(_ block: AudioBlock, from begin: Int64) {
        counts.add(block.fates)
        encoder?.encode(block)
        loudness?.add(block.samples)
        guard let file else { return }
        guard let split, split.sample < begin + Int64(block.count) else { return file.append(block) }
        let before = Int(max(split.sample - begin, 0))
        file.append(block[0..<before])
        file.split(WaveWriter.Part(relativePath: split.relativePath, firstSample: split.sample))
        file.append(block[before..<block.count])
        self.split = nil
    }

    /// Continues in a new file, starting at a sample that hasn't been reached yet.
    func split(at sample: Int64, relativePath: String) {
        split = (sample, relativePath)
    }

    /// Ends the track before the recording ends, after at least one sample.
    ///
    /// - Parameters:
    ///   - sample: Index of the first sample after the track.
    ///   - position: Index of the next sample to be processed.
    /// - Returns: Index of the sample that ends the track.
    func end(at sample: Int64, position: Int64) -> Int64 {
        let end = max(sample, position, first + 1)
        self.end = end
        return end
    }

    /// Ends the track. No more samples may be added.
    func finish() {
        guard !hasEnded else { return }
        hasEnded = true
        file?.finish()
        encoder?.finish()
        loudness?.finish()
    }

    /// Returns the parts of the microphone's gaps within the track, with the track's name.
    func parts(of gaps: [Gap]) -> [Gap] {
        let begin = AudioGrid.samples.time(ofTick: first)
        let end = AudioGrid.samples.time(ofTick: first + counts.total)
        return gaps.compactMap { gap in
            let (from, to) = (max(gap.from, begin), min(gap.to, end))
            return from < to ? Gap(track: name, from: from, to: to, cause: gap.cause) : nil
        }
    }
}
