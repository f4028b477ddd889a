internal import Media

/// The thread that measures how loud a recording's streams of sound are, beside everything that the recording waits for.
final class LoudnessLane: Sendable {
    private struct Batch: Sendable {
        let stream: Int
        let samples: [Float]
    }

    private struct Stream: Sendable {
        var loudness = Loudness()
        /// Whether all sound was measured.
        var isWhole = true
    }

    private let streams: Monitor<[Stream]>
    private let queue: BoundedQueue<Batch>
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Of each stream, batches of 0.1 s.
    private static let capacity = 100

    /// - Parameters:
    ///   - meters: One for each stream; used by this lane's thread alone from here on.
    ///   - waitsForRoom: Whether nothing may be left out: in simulated time.
    init(_ meters: [Carried<any LoudnessMetering>], waitsForRoom: Bool) {
        let streams = Monitor(meters.map { _ in Stream() })
        let queue = BoundedQueue<Batch>(capacity: max(meters.count, 1) * Self.capacity)
        (self.streams, self.queue, self.waitsForRoom) = (streams, queue, waitsForRoom)
        thread = MediaThread(name: "meter") {
            while let batch = queue.next() {
                let meter = meters[batch.stream].value
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
