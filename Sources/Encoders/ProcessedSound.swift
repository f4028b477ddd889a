package import MulticamMedia

/// Filters the audio of a microphone, or of the mix, for the program. The output is aligned with the input to the sample, and may
/// arrive later. Not thread-safe: use it from one thread only.
///
/// If the filters change, both the old and the new filters run for a moment, and the output is faded from one to the other,
/// since a sudden change would be audible as a click.
package final class ProcessedSound {
    /// Filters and their output.
    private struct Stage {
        let filters: (any SoundFiltering)?
        /// Interleaved samples, starting at index `first` of the sound.
        var output: [Float] = []
        /// Number of future samples to discard, because the sound has already returned samples of other filters instead.
        private var overdue = 0

        init(filters: (any SoundFiltering)?, output: [Float] = []) {
            self.filters = filters
            self.output = output
        }

        mutating func append(_ samples: [Float]) {
            let late = min(overdue, samples.count)
            overdue -= late
            output += samples.dropFirst(late)
        }

        mutating func removeFirst(_ count: Int) {
            let present = min(count, output.count)
            output.removeFirst(present)
            overdue += count - present
        }
    }

    /// The fade to other filters.
    private struct Fade {
        var stage: Stage
        /// The samples during which the output is faded.
        let range: Range<Int64>
    }

    /// Number of channels, 1 or 2.
    package let channels: Int
    /// Role of the microphone, or the name of the mix.
    package let name: String
    private let codecs: any CodecFactory
    private var stage = Stage(filters: nil)
    private var fade: Fade?
    private var processing = SoundProcessing.off
    /// The processing to use after the current fade.
    private var wanted = SoundProcessing.off
    /// Unfiltered samples, starting at index `first`; empty if no filters are used. They replace the output of filters that fail.
    private var unfiltered: [Float] = []
    /// Index of the next sample that `dequeue` returns, and of the next sample that `append` expects.
    package private(set) var (first, end): (Int64, Int64)
    /// A sentence for each failure of filters since the last `dequeueFailures`.
    private var failures: [String] = []

    /// Duration in samples during which new filters run before their output is used, so that their state settles, and of the fade.
    private static let (settling, fading): (Int64, Int64) = (4800, 2400)

    /// Creates a sound without filters.
    ///
    /// - Parameters:
    ///   - name: Role of the microphone, or the name of the mix, used in messages.
    ///   - channels: 1 or 2.
    ///   - first: Index of the first sample.
    ///   - codecs: Creates filters.
    package init(_ name: String, channels: Int, from first: Int64, codecs: any CodecFactory) {
        self.name = name
        self.channels = channels
        self.codecs = codecs
        (self.first, end) = (first, first)
    }

    /// Changes the filters from the next sample on. A sound that doesn't contain any samples yet isn't faded.
    package func setProcessing(_ processing: SoundProcessing) {
        wanted = processing
        startFade()
    }

    /// Whether samples have been appended.
    private var wasUsed = false

    private func startFade() {
        guard wanted != processing, fade == nil else { return }
        processing = wanted
        var filters: (any SoundFiltering)?
        if !wanted.isOff {
            do throws(EncodingError) {
                filters = try codecs.makeSoundFilters(wanted, channels: channels, name: name)
            } catch {
                reportFailure(error)
                guard stage.filters != nil else { return }
            }
        }
        guard wasUsed else {
            stage = Stage(filters: filters)
            return
        }
        // The new filters' output begins at the next sample, so it is padded to begin at `first`.
        let padding = [Float](repeating: 0, count: Int(end - first) * channels)
        let begin = end + Self.settling
        if stage.filters == nil { unfiltered = stage.output }
        fade = Fade(stage: Stage(filters: filters, output: padding), range: begin..<begin + Self.fading)
    }

    private func reportFailure(_ error: EncodingError) {
        failures.append(
            "the audio of \(name) is no longer processed: \(error.operation) failed (\(error.reason)). "
                .printable(limit: 600) + "The program uses the unprocessed audio.")
    }

    /// Appends the next samples.
    package func append(_ samples: [Float]) {
        wasUsed = true
        if stage.filters != nil || fade != nil { unfiltered += samples }
        end += Int64(samples.count / channels)
        run(&stage, samples)
        if var fade {
            run(&fade.stage, samples)
            self.fade = fade
        }
    }

    /// Discards all samples before an index, and continues there with filters that don't contain earlier samples.
    package func skip(to index: Int64) {
        (first, end) = (index, index)
        guard wasUsed else { return }
        (wasUsed, stage, fade, unfiltered) = (false, Stage(filters: nil), nil, [])
        processing = .off
        startFade()
    }

    private func run(_ stage: inout Stage, _ samples: [Float]) {
        guard let filters = stage.filters else {
            stage.append(samples)
            return
        }
        do throws(EncodingError) {
            stage.append(try filters.filter(samples))
        } catch {
            reportFailure(error)
            stage = Stage(filters: nil, output: stage.output + unfiltered.dropFirst(stage.output.count))
        }
    }

    /// Index of the sample up to which `dequeue` can return samples.
    package var available: Int64 {
        let reached = first + Int64(stage.output.count / channels)
        guard let fade else { return reached }
        let faded = first + Int64(fade.stage.output.count / channels)
        if reached <= fade.range.lowerBound { return reached }
        return faded >= fade.range.upperBound && reached >= fade.range.upperBound
            ? faded : max(fade.range.lowerBound, min(reached, faded, fade.range.upperBound))
    }

    /// Returns the interleaved samples up to an index, which may be at most `available`.
    package func dequeue(upTo end: Int64) -> [Float] {
        let count = Int(end - first) * channels
        guard count > 0 else { return [] }
        var samples: [Float]
        if let fade, end > fade.range.lowerBound {
            samples = faded(fade, count: count)
        } else {
            samples = Array(stage.output.prefix(count))
        }
        stage.removeFirst(count)
        if var fade {
            fade.stage.removeFirst(count)
            self.fade = fade
        }
        unfiltered.removeFirst(min(count, unfiltered.count))
        first = end
        if let fade, end >= fade.range.upperBound {
            stage = fade.stage
            self.fade = nil
            if stage.filters == nil { unfiltered = [] }
            startFade()
        }
        return samples
    }

    private func faded(_ fade: Fade, count: Int) -> [Float] {
        (0..<count).map { index in
            let position = first + Int64(index / channels)
            let new = index < fade.stage.output.count ? fade.stage.output[index] : 0
            if position >= fade.range.upperBound { return new }
            let old = stage.output[index]
            if position < fade.range.lowerBound { return old }
            let share = Float(position - fade.range.lowerBound + 1) / Float(Self.fading)
            return old + (new - old) * share
        }
    }

    /// Passes silence to the filters until they have returned all samples.
    package func finish() {
        let last = end
        let silence = [Float](repeating: 0, count: 960 * channels)
        let longest = max(stage.filters?.latency ?? 0, fade?.stage.filters?.latency ?? 0)
        while available < last, end - last <= Int64(longest) + 2 * 960 { append(silence) }
    }

    /// Returns the failures since the last call.
    package func dequeueFailures() -> [String] {
        defer { failures = [] }
        return failures
    }
}
