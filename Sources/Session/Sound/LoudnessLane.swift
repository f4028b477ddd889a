internal import Media

/// The thread that measures how loud a recording's streams of sound are, beside everything that the recording waits for.
final class LoudnessLane: Sendable {
    private struct Batch: Sendable {
        let stream: Int
        let samples: [Float]
    }

    private struct Stream: Sendable {
        /// Used by the lane's thread alone.
        let meter: Carried<any LoudnessMetering>
        var loudness = Loudness()
        /// Whether all sound was measured.
        var isWhole = true
    }

    private let streams: Monitor<[Stream]>
    private let queue: BoundedQueue<Batch>
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Batches of 0.1 s: ten seconds of eight streams.
    private static let capacity = 800

    /// - Parameter waitsForRoom: Whether nothing may be left out: in simulated time.
    init(waitsForRoom: Bool) {
        let streams = Monitor<[Stream]>([])
        let queue = BoundedQueue<Batch>(capacity: Self.capacity)
        (self.streams, self.queue, self.waitsForRoom) = (streams, queue, waitsForRoom)
        thread = MediaThread(name: "meter") {
            while let batch = queue.next() {
                let meter = streams.withLock { $0[batch.stream].meter.value }
                do throws(EncodingError) {
                    try meter.add(batch.samples)
                } catch {
                    streams.withLock { $0[batch.stream].isWhole = false }
                }
                let loudness = meter.loudness
                streams.withLock { $0[batch.stream].loudness = loudness }
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

    /// As far as it has come.
    func loudness(of stream: Int) -> Loudness { streams.withLock { $0[stream].loudness } }

    /// Of all sound, after `join`; `nil` where some was not measured.
    func whole(_ stream: Int) -> Loudness? {
        streams.withLock { $0[stream].isWhole ? $0[stream].loudness : nil }
    }

    func finish() { queue.finish() }
    func join() { thread.join() }
}
