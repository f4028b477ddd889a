internal import MulticamMedia
internal import MulticamTiming

/// Resamples one microphone's audio to the track's samples at 48 kHz. Use this type only on the timeline's
/// thread.
///
/// Each slice of audio arrives with its capture time. `dequeue` always returns the requested number of samples.
/// Audio that did not arrive in time is replaced by silence, and audio for samples already returned is
/// discarded.
final class AudioTrack {
    private let resampler: any Resampling
    private let channels: Int
    private let start: ClockTime
    /// Time of the first sample on the session's clock.
    private let first: ClockTime
    private let inputRate: Int
    private var placement = AudioPlacement()
    /// Interleaved samples of the track, starting at index `written`.
    private var ready: [Float] = []
    /// Index of the next sample that the resampler will return, or `nil` before the first slice.
    private var next: Int64?
    private var silentRanges: [Range<Int64>] = []
    /// Ranges of returned samples that are silence because audio is missing, in order, since the last `dequeueHoles`.
    private var holes: [Range<Int64>] = []
    /// Samples not yet returned that are silence because the device delivered invalid audio.
    private var damaged = RangeSet<Int64>()
    /// Returned samples that are silence because the device delivered invalid audio, since the last `dequeueDamagedRanges`.
    private var returnedDamage = RangeSet<Int64>()

    /// Index of the next sample that `dequeue` returns.
    private var written: Int64

    /// Duration of the audio that primes the resampler before the first sample.
    private static let lead = Nanoseconds.milliseconds(40)

    /// Creates the audio of one track.
    ///
    /// - Parameters:
    ///   - resampler: Converts from the device's format to 48 kHz.
    ///   - format: The device's format.
    ///   - start: T0, the start time of the recording.
    ///   - first: Index of the first sample that `dequeue` returns.
    init(resampler: any Resampling, format: AudioFormat, start: ClockTime, first: Int64 = 0) {
        self.resampler = resampler
        self.start = start
        written = first
        self.first = start + Nanoseconds(AudioGrid.samples.time(ofTick: first).nanoseconds)
        channels = format.channels
        inputRate = format.rate
    }

    /// Appends a slice of captured audio.
    ///
    /// - Parameters:
    ///   - samples: The interleaved samples of the slice.
    ///   - time: Time of the first sample, from the microphone's clock model.
    ///   - clock: State of the clock model.
    ///   - damaged: Frames of the slice that are silence because the device delivered invalid audio.
    /// - Throws: `EncodingError` when the resampler fails.
    func add(
        _ samples: [Float], at time: ClockTime, clock: ClockReading, damaged: [Range<Int>] = []
    ) throws(EncodingError) {
        let frames = samples.count / channels
        let end = time + Nanoseconds.duration(of: Int64(frames), perSecond: Int64(inputRate))
        guard end > first - Self.lead else { return }
        let wanted = (time - start).inSeconds * Double(AudioFormat.sessionRate)
        guard let next else {
            self.next = Int64(rounding: wanted)
            try resampler.correct(partsPerMillion: placement.begin(clock: clock, at: time))
            recordDamage(damaged)
            try convert(samples[...])
            return
        }
        let inside = resampler.delay.inSeconds * Double(AudioFormat.sessionRate)
        let decision = placement.decide(
            deviation: wanted - (Double(next) + inside), clock: clock, at: time)
        switch decision {
        case .convert(let partsPerMillion):
            try resampler.correct(partsPerMillion: partsPerMillion)
            recordDamage(damaged)
            try convert(samples[...])
        case .insertSilence(let count):
            try flush()
            bridge(upTo: Int64(rounding: wanted), atMost: count + Int64(rounding: inside, .up) + 1)
            recordDamage(damaged)
            try convert(samples[...])
        case .cut:
            try flush()
            discardReady(from: Int64(rounding: wanted))
            recordDamage(damaged)
            try convert(samples[...])
        }
    }

    /// Returns the interleaved samples up to index `end` of the track.
    func dequeue(upTo end: Int64) -> [Float] {
        let wanted = Int(end - written)
        guard wanted > 0 else { return [] }
        var result = Array(ready.prefix(wanted * channels))
        ready.removeFirst(result.count)
        let present = result.count / channels
        if present < wanted {
            // If the resampler returns samples for this time later, the samples are too late, and `append`
            // discards them.
            let missing = wanted - present
            result.append(contentsOf: repeatElement(0, count: missing * channels))
        }
        let silent = silence(in: written..<(written + Int64(present)))
        holes += silent
        let late = written + Int64(present)..<end
        if !late.isEmpty { holes.append(late) }
        if !damaged.isEmpty {
            let due = damaged.intersection(RangeSet(written..<end))
            returnedDamage.formUnion(due.subtracting(RangeSet(silent + [late])))
            damaged.remove(contentsOf: Int64.min..<end)
        }
        written = end
        return result
    }

    /// Returns the ranges that `dequeue` returned as silence since the last call because audio is missing, in order.
    func dequeueHoles() -> [Range<Int64>] {
        defer { holes.removeAll(keepingCapacity: true) }
        return holes
    }

    /// Returns the ranges that `dequeue` returned as silence since the last call because the device delivered invalid
    /// audio, in order. The ranges don't overlap with those of `dequeueHoles`.
    func dequeueDamagedRanges() -> [Range<Int64>] {
        guard !returnedDamage.isEmpty else { return [] }
        defer { returnedDamage = RangeSet() }
        return Array(returnedDamage.ranges)
    }

    /// Records the track positions of the damaged samples in the slice that is converted next.
    private func recordDamage(_ frames: [Range<Int>]) {
        guard !frames.isEmpty, let next else { return }
        let rate = Double(AudioFormat.sessionRate)
        let begin = Double(next) + resampler.delay.inSeconds * rate
        let step = rate / Double(inputRate)
        for range in frames {
            let from = Int64(rounding: begin + Double(range.lowerBound) * step)
            let to = Int64(rounding: begin + Double(range.upperBound) * step)
            damaged.insert(contentsOf: from..<max(to, from + 1))
        }
    }

    private func convert(_ samples: ArraySlice<Float>) throws(EncodingError) {
        guard !samples.isEmpty else { return }
        let begin = outputEnd
        append(try resampler.convert(Array(samples)))
        // The total number of samples from the resampler must match the resampler's input. Any other number
        // means that the audio or its timing is wrong.
        let frames = Double(samples.count / channels)
        let wanted = frames * Double(AudioFormat.sessionRate) / Double(inputRate)
        guard abs(outputEnd - begin - wanted) <= Double(AudioPlacement.largestSteered) + wanted / 100 else {
            throw EncodingError(
                subject: "audio", operation: "resampling",
                reason: "the resampler returned \(outputEnd - begin) samples instead of \(wanted)")
        }
    }

    /// Current end of the resampler's input, in samples of the track.
    private var outputEnd: Double {
        Double(next ?? 0) + resampler.delay.inSeconds * Double(AudioFormat.sessionRate)
    }

    private func flush() throws(EncodingError) {
        append(try resampler.drain())
    }

    /// Appends the resampler's output, without the samples that `dequeue` has already passed.
    private func append(_ samples: [Float]) {
        guard let begin = next else { return }
        let count = Int64(samples.count / channels)
        next = begin + count
        let end = written + Int64(ready.count / channels)
        if begin > end { addSilence(Int(begin - end)) }
        let early = min(max(end - begin, 0), count)
        ready.append(contentsOf: samples[(Int(early) * channels)...])
    }

    private func bridge(upTo wanted: Int64, atMost limit: Int64) {
        guard let from = next, wanted > from else { return }
        next = min(wanted, from + limit)
    }

    /// Drops misplaced samples at and after an index that haven't been returned yet, so that the next slice
    /// replaces these samples. `append` discards the samples of that slice that `dequeue` has already passed.
    private func discardReady(from index: Int64) {
        let kept = max(index - written, 0)
        ready.removeLast(max(ready.count - Int(kept) * channels, 0))
        let limit = written + Int64(ready.count / channels)
        silentRanges = silentRanges.map { $0.clamped(to: written..<max(limit, written)) }.filter {
            !$0.isEmpty
        }
        next = index
    }

    private func addSilence(_ count: Int) {
        let begin = written + Int64(ready.count / channels)
        silentRanges.append(begin..<(begin + Int64(count)))
        ready.append(contentsOf: repeatElement(0, count: count * channels))
    }

    private func silence(in range: Range<Int64>) -> [Range<Int64>] {
        let silent = silentRanges.map { $0.clamped(to: range) }.filter { !$0.isEmpty }
        silentRanges.removeAll { $0.upperBound <= range.upperBound }
        return silent
    }
}
