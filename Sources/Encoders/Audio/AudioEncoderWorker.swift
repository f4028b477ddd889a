package import Media
package import Writers

/// The thread that encodes the program's audio, or that of a microphone that is a stream of a movie.
package final class AudioEncoderWorker: Sendable {
    private struct State {
        var outages: [RestartingAudioEncoder.Outage] = []
        var end: RestartingAudioEncoder.End?
        var toldOutages = 0
        var isEndTold = false
    }

    private let queue = BoundedQueue<[Float]>(capacity: 256)
    private let state = ConditionLock(State())
    private let thread: MediaThread

    /// - Parameters:
    ///   - encoder: Used by this lane's thread alone from here on.
    ///   - make: Makes another encoder like it, on this lane's thread, should it fail.
    ///   - lane: Where the packets go. It is finished when the audio is, and when no encoder works any more.
    package init(
        encoder: sending any AudioEncoding, making make: @escaping RestartingAudioEncoder.Making,
        to lane: TrackSink
    ) {
        let (queue, state) = (queue, state)
        let carried = Carried(encoder)
        thread = MediaThread(name: "enc:sound") {
            let encoder = RestartingAudioEncoder(carried.value, making: make) { lane.append($0) }
            func tell() {
                let (outages, end) = (encoder.takeOutages(), encoder.end)
                if outages.isEmpty, end == nil { return }
                state.withLock { state in
                    state.outages += outages
                    state.end = end
                }
            }
            while encoder.end == nil, let samples = queue.next() {
                encoder.encode(samples)
                tell()
            }
            encoder.finish()
            tell()
            queue.finish()
            lane.finish()
        }
    }

    /// Waits when 5 s of audio are already waiting: audio is never shed.
    package func encode(_ samples: [Float]) { queue.put(samples) }
    package func finish() { queue.finish() }
    package func join() { thread.join() }
    /// Where the stream ended, because encoders failed one after the other.
    package var end: RestartingAudioEncoder.End? { state.withLock { $0.end } }
    /// Why it did.
    package var failure: EncodingError? { end?.failure }
    /// Stretches that are silence in the file, because an encoder failed.
    package var outages: [RestartingAudioEncoder.Outage] { state.withLock { $0.outages } }

    /// What went wrong since the last call, told once.
    package func takeNews() -> (outages: [RestartingAudioEncoder.Outage], end: RestartingAudioEncoder.End?) {
        state.withLock { state in
            defer {
                state.toldOutages = state.outages.count
                state.isEndTold = state.end != nil
            }
            return (Array(state.outages[state.toldOutages...]), state.isEndTold ? nil : state.end)
        }
    }
}
