package import Media
package import Writers

/// The thread that measures the loudness of a recording's audio streams; the recording never waits for it.
package final class LoudnessWorker: Sendable {
    private struct Batch: Sendable {
        let stream: Int
        let samples: [Float]
    }

    fileprivate struct Stream: Sendable {
        /// The stream's meter, used by the worker's thread alone.
        let meter: Carried<any LoudnessMetering>
        var loudness = Loudness()
        /// Whether all of the stream's audio was measured.
        var isWhole = true
        /// Batches since `loudness` was computed in full.
        var batchesSince = 0
    }

    private let streams: ConditionLock<[Stream]>
    private let queue: BoundedQueue<Batch>
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Most batches of 0.1 s that may wait: ten seconds of eight streams.
    private static let capacity = 800

    /// Batches from one full computation to the next: the short-term loudness looks through three seconds, and
    /// changes little in half a second.
    fileprivate static let batchesBetween = 5

    /// Starts the thread.
    ///
    /// - Parameter waitsForRoom: Whether `add` blocks when the queue is full, as in simulated time; else it drops the
    ///   batch.
    package init(waitsForRoom: Bool) {
        let streams = ConditionLock<[Stream]>([])
        let queue = BoundedQueue<Batch>(capacity: Self.capacity)
        (self.streams, self.queue, self.waitsForRoom) = (streams, queue, waitsForRoom)
        thread = MediaThread(name: "meter") {
            while let batch = queue.next() {
                let (meter, isDue) = streams.withLock { $0[batch.stream].next() }
                do throws(EncodingError) {
                    try meter.add(batch.samples)
                } catch {
                    streams.withLock { $0[batch.stream].isWhole = false }
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

    /// Adds a stream.
    ///
    /// - Parameter meter: The stream's meter, used by the worker's thread alone from here on.
    /// - Returns: Index of the stream.
    package func add(_ meter: Carried<any LoudnessMetering>) -> Int {
        streams.withLock { streams in
            streams.append(Stream(meter: meter))
            return streams.count - 1
        }
    }

    /// Takes a stream's next samples, interleaved. In real time it never waits: when the meter is ten seconds behind,
    /// the samples are not measured.
    package func add(_ samples: [Float], to stream: Int) {
        let batch = Batch(stream: stream, samples: samples)
        guard !waitsForRoom else { return queue.put(batch) }
        if !queue.offer(batch) { streams.withLock { $0[stream].isWhole = false } }
    }

    /// The loudness of a stream so far: the momentary one as of the last batch, the others up to half a second old.
    package func loudness(of stream: Int) -> Loudness { streams.withLock { $0[stream].loudness } }

    /// The loudness of a whole stream, after `join`; `nil` when some audio was not measured.
    package func whole(_ stream: Int) -> Loudness? {
        streams.withLock { $0[stream].isWhole ? $0[stream].loudness : nil }
    }

    /// Ends the worker once all batches are measured.
    package func finish() { queue.finish() }
    /// Waits until the worker has ended.
    package func join() { thread.join() }
}

extension LoudnessWorker.Stream {
    /// The meter for the next batch, and whether the loudness is to be computed in full after it.
    fileprivate mutating func next() -> (meter: any LoudnessMetering, isDue: Bool) {
        batchesSince = (batchesSince + 1) % LoudnessWorker.batchesBetween
        return (meter.value, batchesSince == 1)
    }
}

extension Loudness {
    /// The loudness without figures that are not finite, for which there was nothing to measure.
    fileprivate var finite: Loudness {
        Loudness(
            momentary: momentary.finite, shortTerm: shortTerm.finite, integrated: integrated.finite,
            range: range.finite, truePeak: truePeak.finite)
    }
}

extension Double? {
    fileprivate var finite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}
