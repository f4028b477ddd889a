package import MulticamMedia

/// Measures the peaks of recorded audio in equal intervals, to draw a waveform. The audio of several files
/// can be added, one after another.
package struct RecordedPeaks: Sendable {
    /// Highest sample magnitude in each interval, measured on a mono mix of all channels: 0 to 1 (full
    /// scale).
    package private(set) var peaks: [Float]
    private let duration: Nanoseconds

    /// Creates an empty measurement.
    ///
    /// - Parameters:
    ///   - count: Number of intervals, at least one.
    ///   - duration: Total duration of all intervals, above zero.
    package init(count: Int, duration: Nanoseconds) {
        precondition(count > 0 && duration > .zero, "the count and the duration must be positive")
        peaks = [Float](repeating: 0, count: count)
        self.duration = duration
    }

    /// Adds the audio of a file. This method blocks while the file is decoded.
    ///
    /// - Parameters:
    ///   - path: Path of the file.
    ///   - stream: Index of the stream in the file.
    ///   - start: Position of the file's time 0 in the waveform.
    ///   - goesOn: A closure that is called periodically. If it returns `false`, the measurement ends.
    /// - Throws: An error if the file can't be read or the stream isn't audio.
    package mutating func addFile(
        path: String, stream: Int, from start: Nanoseconds, while goesOn: () -> Bool = { true }
    ) throws(EncodingError) {
        let reader = try TrackReader(path: path, stream: stream, media: .audio)
        let rate = Int64(reader.sampleRate)
        while goesOn(), let (samples, time) = try reader.nextMonoSamples() {
            let first = start.count.addingReportingOverflow(time.nanoseconds)
            guard !first.overflow, !samples.isEmpty else { continue }
            add(samples, from: first.partialValue, rate)
        }
    }

    private mutating func add(_ samples: [Float], from first: Int64, _ rate: Int64) {
        let length = max(duration.count / Int64(peaks.count), 1)
        var index = 0
        while index < samples.count {
            let time = first.addingReportingOverflow(
                Int64(index).rescaled(from: rate, to: 1_000_000_000))
            // Audio before T0 and after the end of the recording isn't drawn.
            guard !time.overflow, time.partialValue < duration.count else { return }
            guard time.partialValue >= 0 else {
                index += 1
                continue
            }
            let stretch = min(Int(time.partialValue / length), peaks.count - 1)
            let rest = Int64(stretch + 1) * length - time.partialValue
            let next = max(index + 1, index + Int(clamping: rest.rescaled(from: 1_000_000_000, to: rate)))
            var peak = peaks[stretch]
            for sample in samples[index..<min(next, samples.count)] where sample.magnitude > peak {
                peak = sample.magnitude
            }
            peaks[stretch] = peak
            index = next
        }
    }
}
