internal import Media

/// The thread that encodes the program's sound.
final class SoundEncoderLane: Sendable {
    private let queue = BoundedQueue<[Float]>(capacity: 256)
    private let failed = Monitor<EncodingError?>(nil)
    private let thread: MediaThread

    /// - Parameters:
    ///   - encoder: Used by this lane's thread alone from here on.
    ///   - lane: Where the packets go. It is finished when the sound is, and when the encoder fails.
    init(encoder: sending any SoundEncoding, to lane: MovieLane) {
        let (queue, failed) = (queue, failed)
        let carried = Carried(encoder)
        thread = MediaThread(name: "enc:sound") {
            do throws(EncodingError) {
                while let samples = queue.next() {
                    for packet in try carried.value.encode(samples) { lane.append(packet) }
                }
                for packet in try carried.value.finish() { lane.append(packet) }
            } catch {
                failed.withLock { $0 = error }
                queue.finish()
            }
            lane.finish()
        }
    }

    /// Waits when 5 s of sound are already waiting: sound is never shed.
    func encode(_ samples: [Float]) { queue.put(samples) }
    func finish() { queue.finish() }
    func join() { thread.join() }
    var failure: EncodingError? { failed.withLock { $0 } }
}
