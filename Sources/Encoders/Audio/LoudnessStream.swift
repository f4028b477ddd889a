package import Media
package import Writers

/// One stream of audio on its way to the loudness meter, in batches of 0.1 s, so that the meter wakes ten times a
/// second. Timeline's thread only.
package final class LoudnessStream {
    private let worker: LoudnessWorker
    private let index: Int
    private let batch: Int
    private var pending: [Float] = []

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - worker: The worker that measures the stream.
    ///   - meter: A meter for the stream's channels.
    ///   - channels: Number of channels of the samples.
    package init(_ worker: LoudnessWorker, _ meter: Carried<any LoudnessMetering>, channels: Int) {
        self.worker = worker
        index = worker.add(meter)
        batch = AudioFormat.sessionRate / 10 * channels
    }

    /// Takes the stream's next samples, interleaved.
    package func add(_ samples: [Float]) {
        pending += samples
        if pending.count >= batch { flush() }
    }

    /// Ends the stream: no sample follows.
    package func finish() { flush() }

    /// The loudness so far.
    package var loudness: Loudness { worker.loudness(of: index) }
    /// The loudness of the whole stream, after the worker has ended; `nil` when some audio was not measured.
    package var whole: Loudness? { worker.whole(index) }

    private func flush() {
        guard !pending.isEmpty else { return }
        worker.add(pending, to: index)
        pending = []
    }
}
