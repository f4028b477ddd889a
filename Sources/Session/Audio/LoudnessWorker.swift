internal import Media
internal import Writers

/// The thread that measures how loud a recording's streams of audio are, beside everything that the recording waits for.
final class LoudnessWorker: Sendable {
    private struct Batch: Sendable {
        let stream: Int
        let samples: [Float]
    }

    fileprivate struct Stream: Sendable {
        /// Used by the lane's thread alone.
        let meter: Carried<any LoudnessMetering>
        var loudness = Loudness()
        /// Whether all audio was measured.
        var isWhole = true
        /// Since `loudness` was asked for.
        var batchesSince = 0
    }

    private let streams: ConditionLock<[Stream]>
    private let queue: BoundedQueue<Batch>
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Batches of 0.1 s: ten seconds of eight streams.
    private static let capacity = 800

    /// Three seconds are looked through for the short-term loudness, which changes little in half a second.
    fileprivate static let batchesBetween = 5

    /// - Parameter waitsForRoom: Whether nothing may be left out: in simulated time.
    init(waitsForRoom: Bool) {
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

    /// Measures another stream.
    ///
    /// - Parameter meter: Used by this lane's thread alone from here on.
    /// - Returns: The stream's number.
    func add(_ meter: Carried<any LoudnessMetering>) -> Int {
        streams.withLock { streams in
            streams.append(Stream(meter: meter))
            return streams.count - 1
        }
    }

    /// Takes a stream's next samples. Nobody waits for the measurement in real time: what finds no room, ten seconds behind,
    /// is not measured.
    func add(_ samples: [Float], to stream: Int) {
        let batch = Batch(stream: stream, samples: samples)
        guard !waitsForRoom else { return queue.put(batch) }
        if !queue.offer(batch) { streams.withLock { $0[stream].isWhole = false } }
    }

    /// As far as it has come; all but the momentary one up to half a second old.
    func loudness(of stream: Int) -> Loudness { streams.withLock { $0[stream].loudness } }

    /// Of all audio, after `join`; `nil` where some was not measured.
    func whole(_ stream: Int) -> Loudness? {
        streams.withLock { $0[stream].isWhole ? $0[stream].loudness : nil }
    }

    func finish() { queue.finish() }
    func join() { thread.join() }
}

extension LoudnessWorker.Stream {
    /// The meter for the next batch, and whether all is to be asked for behind it.
    fileprivate mutating func next() -> (meter: any LoudnessMetering, isDue: Bool) {
        batchesSince = (batchesSince + 1) % LoudnessWorker.batchesBetween
        return (meter.value, batchesSince == 1)
    }
}

extension Loudness {
    /// The same without figures that are no numbers: nothing was measured there.
    fileprivate var finite: Loudness {
        Loudness(
            momentary: momentary.finite, shortTerm: shortTerm.finite, integrated: integrated.finite,
            range: range.finite, truePeak: truePeak.finite)
    }
}

extension Double? {
    fileprivate var finite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}
