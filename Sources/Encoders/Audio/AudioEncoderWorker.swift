package import Media
package import Writers

/// The thread that encodes the audio of the program, or of a microphone that is a stream of a movie.
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

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - encoder: The first encoder, used by this thread alone from here on.
    ///   - make: Makes another encoder of the same stream when one fails. Called on this thread.
    ///   - sink: The sink of the packets. It ends with the audio, or when no encoder works any more.
    package init(
        encoder: sending any AudioEncoding, making make: @escaping RestartingAudioEncoder.Making,
        to sink: TrackSink
    ) {
        let (queue, state) = (queue, state)
        let carried = Carried(encoder)
        thread = MediaThread(name: "enc:sound") {
            let encoder = RestartingAudioEncoder(carried.value, making: make) { sink.append($0) }
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
            sink.finish()
        }
    }

    /// Queues samples, interleaved. Blocks while 5 s of audio wait: audio is never dropped.
    package func encode(_ samples: [Float]) { queue.put(samples) }
    /// Ends the worker once all samples are encoded: none follows.
    package func finish() { queue.finish() }
    /// Waits until the worker has ended.
    package func join() { thread.join() }
    /// Where the stream ended because encoders failed one after the other, or `nil` when it goes on.
    package var end: RestartingAudioEncoder.End? { state.withLock { $0.end } }
    /// Why the stream ended early, or `nil` when it goes on.
    package var failure: EncodingError? { end?.failure }
    /// Stretches that are silence in the file because an encoder failed.
    package var outages: [RestartingAudioEncoder.Outage] { state.withLock { $0.outages } }

    /// Returns the outages, and the early end of the stream, that were not returned before.
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
