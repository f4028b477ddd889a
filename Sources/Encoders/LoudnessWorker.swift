package import MulticamMedia
package import MulticamWriters

/// The thread that measures the loudness of a recording's audio streams. The recording never waits for this
/// thread.
package final class LoudnessWorker: Sendable {
    private struct Batch: Sendable {
        let stream: Int
        let samples: [Float]
    }

    fileprivate struct Stream: Sendable {
        /// The stream's loudness meter. Only the worker's thread may use the meter.
        let meter: Carried<any LoudnessMetering>
        var loudness = Loudness()
        /// Whether all of the stream's audio was measured.
        var isComplete = true
        /// Number of batches since `loudness` was fully computed.
        var batchesSinceUpdate = 0
    }

    private let streams: ConditionLock<[Stream]>
    private let queue: BoundedQueue<Batch>
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Maximum number of queued batches of 0.1 s each, which is sufficient for ten seconds of eight streams.
    private static let capacity = 800

    /// Number of batches between full computations. Short-term loudness is measured over three seconds, so
    /// its value changes little in half a second.
    fileprivate static let batchesPerUpdate = 5

    /// Starts the thread.
    ///
    /// - Parameter waitsForRoom: Whether `add` blocks when the queue is full, as in simulated time. Otherwise `add`
    ///   drops the batch.
    package init(waitsForRoom: Bool) {
        let streams = ConditionLock<[Stream]>([])
        let queue = BoundedQueue<Batch>(capacity: Self.capacity)
        (self.streams, self.queue, self.waitsForRoom) = (streams, queue, waitsForRoom)
        thread = MediaThread.startWhenPossible(name: "meter") {
            while let batch = queue.dequeue() {
                let (meter, isDue) = streams.withLock { $0[batch.stream].advance() }
                do throws(EncodingError) {
                    try meter.add(batch.samples)
                } catch {
                    streams.withLock { $0[batch.stream].isComplete = false }
                }
                if isDue {
                    let loudness = meter.loudness.finite
                    streams.withLock { $0[batch.stream].loudness = loudness }
                } else {
                    let momentary = meter.momentary.finite
                    streams.withLock { $0[batch.stream].loudness.momentary = momentary }
                }
            }
            for index in streams.withLock({ $0.indices }) {
                let loudness = streams.withLock { $0[index].meter.value }.loudness.finite
                streams.withLock { $0[index].loudness = loudness }
            }
        }
    }

    /// Adds an audio stream to be measured.
    ///
    /// - Parameter meter: The stream's loudness meter. After this call, only the worker's thread may use the
    ///   meter.
    /// - Returns: Index of the stream.
    package func add(_ meter: Carried<any LoudnessMetering>) -> Int {
        streams.withLock { streams in
            streams.append(Stream(meter: meter))
            return streams.count - 1
        }
    }

    /// Queues a stream's next interleaved samples. Never blocks in real time: if the meter lags by ten seconds, the
    /// samples aren't measured.
    package func add(_ samples: [Float], to stream: Int) {
        let batch = Batch(stream: stream, samples: samples)
        guard !waitsForRoom else { return queue.enqueue(batch) }
        if !queue.tryEnqueue(batch) { streams.withLock { $0[stream].isComplete = false } }
    }

    /// Returns the current loudness of a stream. The momentary loudness is from the last batch; the other values are up
    /// to half a second old.
    package func loudness(of stream: Int) -> Loudness { streams.withLock { $0[stream].loudness } }

    /// Returns the loudness of a whole stream, or `nil` if some audio wasn't measured. Call this function after `join`.
    package func completeLoudness(of stream: Int) -> Loudness? {
        streams.withLock { $0[stream].isComplete ? $0[stream].loudness : nil }
    }

    /// Ends the worker after all batches are measured.
    package func finish() { queue.finish() }
    /// Waits until the worker has ended.
    package func join() { thread.join() }
}

extension LoudnessWorker.Stream {
    /// Returns the meter for the next batch, and whether the loudness must be fully computed after it.
    fileprivate mutating func advance() -> (meter: any LoudnessMetering, isDue: Bool) {
        batchesSinceUpdate = (batchesSinceUpdate + 1) % LoudnessWorker.batchesPerUpdate
        return (meter.value, batchesSinceUpdate == 1)
    }
}

extension Loudness {
    /// The loudness without non-finite values, which occur if there was no audio to measure.
    fileprivate var finite: Loudness {
        Loudness(
            momentary: momentary.finite, shortTerm: shortTerm.finite, integrated: integrated.finite,
            range: range.finite, truePeak: truePeak.finite)
    }
}

extension Double? {
    fileprivate var finite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}

/// Passes one audio stream to the loudness meter in batches of 0.1 s, so that the meter wakes ten times per
/// second. Used only on the timeline's thread.
package final class LoudnessStream {
    private let worker: LoudnessWorker
    private let index: Int
    private let batch: Int
    private var pending: [Float] = []

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - worker: The worker that measures the stream.
    ///   - meter: A loudness meter for the stream's channels.
    ///   - channels: Number of channels of the samples.
    package init(_ worker: LoudnessWorker, _ meter: Carried<any LoudnessMetering>, channels: Int) {
        self.worker = worker
        index = worker.add(meter)
        batch = AudioFormat.sessionRate / 10 * channels
    }

    /// Appends the stream's next interleaved samples.
    package func add(_ samples: [Float]) {
        pending += samples
        if pending.count >= batch { flush() }
    }

    /// Ends the stream. Don't call `add` after this method.
    package func finish() { flush() }

    /// The current loudness of the stream.
    package var loudness: Loudness { worker.loudness(of: index) }
    /// Loudness of the whole stream, or `nil` if some audio was not measured. The value is available after
    /// the worker has ended.
    package var completeLoudness: Loudness? { worker.completeLoudness(of: index) }

    private func flush() {
        guard !pending.isEmpty else { return }
        worker.add(pending, to: index)
        pending = []
    }
}
