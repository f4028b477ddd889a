package import Media
package import Writers

/// The thread that encodes the audio of the program, or of a microphone track stored as a stream of a movie.
package final class AudioEncoderWorker: Sendable {
    private struct State {
        var outages: [RestartingAudioEncoder.Outage] = []
        var end: RestartingAudioEncoder.End?
        var toldOutages = 0
        var isEndTold = false
        var given = SampleCounts()
    }

    private let queue = BoundedQueue<AudioBlock>(capacity: 256)
    private let state = ConditionLock(State())
    private let thread: MediaThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - encoder: The first encoder. After this call, only the worker's thread may use the encoder.
    ///   - make: Creates a replacement encoder for the same stream when an encoder fails. Called on the
    ///     worker's thread.
    ///   - sink: The sink that receives the packets. The sink is finished when the audio ends.
    package init(
        encoder: sending any AudioEncoding, making make: @escaping RestartingAudioEncoder.Making,
        to sink: TrackSink
    ) {
        let (queue, state) = (queue, state)
        let carried = Carried(encoder)
        thread = MediaThread.eventually(name: "enc:sound") {
            let encoder = RestartingAudioEncoder(carried.value, making: make) { sink.append($0) }
            func tell() {
                let (outages, end) = (encoder.takeOutages(), encoder.end)
                if outages.isEmpty, end == nil { return }
                state.withLock { state in
                    state.outages += outages
                    state.end = end
                }
            }
            while let block = queue.next() {
                let wasWorking = encoder.end == nil
                encoder.encode(block)
                tell()
                if wasWorking, encoder.end != nil { sink.stop() }
            }
            encoder.finish()
            tell()
            sink.skip(encoder.dropped)
            sink.finish()
        }
    }

    /// Queues the next samples. Blocks while 5 s of audio are queued, because audio is never dropped.
    package func encode(_ block: AudioBlock) {
        state.withLock { $0.given.add(block.fates) }
        queue.put(block)
    }

    /// Number of received samples, by fate (`AudioFate`).
    package var given: SampleCounts { state.withLock { $0.given } }
    /// Ends the worker after all queued samples are encoded. Don't call `encode` after this method.
    package func finish() { queue.finish() }
    /// Waits until the worker has ended.
    package func join() { thread.join() }
    /// The end of the stream if several encoders failed in a row; `nil` while the stream continues.
    package var end: RestartingAudioEncoder.End? { state.withLock { $0.end } }
    /// The reason why the stream ended early; `nil` while the stream continues.
    package var failure: EncodingError? { end?.failure }
    /// Ranges of audio that are silent in the file because an encoder failed.
    package var outages: [RestartingAudioEncoder.Outage] { state.withLock { $0.outages } }

    /// Returns the outages and the early end of the stream that have occurred since the last call.
    package func dequeueEvents() -> (
        outages: [RestartingAudioEncoder.Outage], end: RestartingAudioEncoder.End?
    ) {
        state.withLock { state in
            defer {
                state.toldOutages = state.outages.count
                state.isEndTold = state.end != nil
            }
            return (Array(state.outages[state.toldOutages...]), state.isEndTold ? nil : state.end)
        }
    }
}

/// Encodes an audio stream, and continues with a new encoder when an encoder fails. Only one thread may use
/// this object.
///
/// The packets of all encoders are contiguous. Samples lost in a failed encoder are replaced by silence, so
/// every later sample keeps its position in the file. The stream ends after `mostTries` consecutive
/// replacement encoders have failed without output.
package final class RestartingAudioEncoder {
    /// A range of audio that is silent in the file because an encoder failed.
    package struct Outage: Sendable {
        /// The range of samples, counted from T0 at 48 kHz.
        package let samples: Range<Int64>
        let reason: EncodingError
    }

    /// The early end of a stream whose encoders failed.
    package struct End: Sendable {
        /// The first missing sample, counted from T0 at 48 kHz.
        package let sample: Int64
        let failure: EncodingError
    }

    /// Creates a replacement encoder for the same stream.
    package typealias Making = @Sendable () throws(EncodingError) -> Carried<any AudioEncoding>

    /// Maximum number of consecutive failed encoders after the first failure.
    static let mostTries = 3
    /// Number of samples between the first and the second attempt to replace the encoder. Each subsequent
    /// pause is longer by the same amount, so that a temporary problem has time to disappear.
    private static let pause = Int64(AudioFormat.sessionRate) / 4
    /// Number of silence samples per channel encoded at once. This limits the memory used for long periods of
    /// silence.
    private static let silenceLength: Int64 = 4800
    /// Maximum number of samples buffered in a working encoder.
    private static let mostInside = Int64(AudioFormat.sessionRate) / 2
    /// Maximum number of samples in one packet.
    private static let longestPacket: Int64 = 8192

    /// The early end of the stream, or `nil` while the stream continues.
    private(set) var end: End?
    /// End of the last packet, in samples relative to T0.
    private var reached: Int64
    private let parameters: StreamParameters
    private let channels: Int
    private let make: Making
    private let deliver: (EncodedPacket) -> Void
    /// The current encoder, or `nil` between a failure and the next attempt.
    private var encoder: (any AudioEncoding)?
    /// Number of received samples per channel, encoded or not.
    private var taken: Int64 = 0
    /// Index of the current encoder's first sample, and index of the next sample that the encoder will
    /// receive.
    private var (origin, next): (Int64, Int64) = (0, 0)
    /// The current failure; `nil` when an encoder has produced audio again.
    private var trouble: Trouble?
    private var outages: [Outage] = []
    /// The fates (`AudioFate`) of the received samples from `placed` on, which are not in a packet yet.
    private var fates = AudioFateRun()
    /// Index of the first received sample that is not in a packet.
    private var placed: Int64 = 0

    /// The fates (`AudioFate`) of the samples after the early end of the stream, which are not in any packet.
    var dropped: AudioFateRun { end == nil ? AudioFateRun() : fates }

    private struct Trouble {
        /// Index of the first missing sample.
        let start: Int64
        let reason: EncodingError
        /// Number of encoders that have failed since this failure began.
        var tries = 0
        /// Position of the sample that triggers the creation of the next encoder.
        var nextTry: Int64
        /// End of the silence that replaces the missing audio. Later audio is encoded by the next encoder.
        var end: Int64
    }

    /// Creates an encoder that recovers from failures.
    ///
    /// - Parameters:
    ///   - encoder: The first encoder.
    ///   - make: Creates a replacement encoder for the same stream.
    ///   - deliver: Receives the packets.
    init(
        _ encoder: any AudioEncoding, making make: @escaping Making,
        delivering deliver: @escaping (EncodedPacket) -> Void
    ) {
        self.encoder = encoder
        self.make = make
        self.deliver = deliver
        parameters = encoder.parameters
        channels = encoder.parameters.audio?.channels ?? 1
        reached = -encoder.parameters.priming
    }

    /// Encodes the next samples.
    func encode(_ block: AudioBlock) {
        let begin = taken
        taken += Int64(block.count)
        guard encoder != nil else {
            fates.append(block.fates.superseded(by: .encoder))
            return end == nil ? restart() : ()
        }
        // The audio of a new encoder begins after its priming samples, which can extend beyond the start of
        // this block.
        let skipped = Int(min(max(next - begin, 0), Int64(block.count)))
        fates.append(block.fates.prefix(skipped).superseded(by: .encoder))
        fates.append(block.fates.dropFirst(skipped))
        do throws(EncodingError) {
            try encodeSilence(to: begin)
            try pass(block[skipped..<block.count].samples)
            noteRecovery()
        } catch {
            fail(error)
        }
    }

    /// Encodes the samples that are still in the encoder. Don't call `encode` after this method.
    func finish() {
        while end == nil {
            trouble?.nextTry = taken
            if encoder == nil { restart() }
            guard let encoder else { continue }
            do throws(EncodingError) {
                for packet in try encoder.finish() { try place(packet) }
                if reached < taken {
                    throw broken("the encoder did not return the last \(taken - reached) samples")
                }
                noteRecovery()
                if let trouble { note(trouble, to: taken) }
                return
            } catch {
                fail(error, atEnd: true)
            }
        }
    }

    /// Returns the outages that ended since the last call.
    func takeOutages() -> [Outage] {
        defer { outages = [] }
        return outages
    }

    private func pass(_ samples: [Float]) throws(EncodingError) {
        guard let encoder, !samples.isEmpty else { return }
        for packet in try encoder.encode(samples) { try place(packet) }
        next += Int64(samples.count / channels)
        if next - reached > Self.mostInside {
            throw broken("the encoder has not returned \(next - reached) of the samples that it received")
        }
    }

    /// Delivers a packet directly after the previous one. A packet that doesn't continue at the end of the
    /// previous packet counts as an encoder failure.
    private func place(_ packet: EncodedPacket) throws(EncodingError) {
        guard packet.presentation == reached - origin, packet.decode == packet.presentation,
            1...Self.longestPacket ~= packet.duration, packet.bytes.count > 0
        else {
            throw broken(
                "the encoder returned a packet of \(packet.bytes.count) bytes and \(packet.duration) samples at position \(packet.presentation) instead of \(reached - origin)"
            )
        }
        let end = reached + packet.duration
        let samples = fates.removeFirst(Int(clamping: end - placed))
        placed += Int64(samples.count)
        let moved = EncodedPacket(
            bytes: packet.bytes, presentation: reached, decode: reached, duration: packet.duration,
            isKey: packet.isKey, samples: samples)
        reached = end
        deliver(moved)
    }

    private func broken(_ reason: String) -> EncodingError {
        EncodingError(subject: "audio", operation: "encoding", reason: reason)
    }

    private func encodeSilence(to end: Int64) throws(EncodingError) {
        while next < end {
            try pass([Float](repeating: 0, count: Int(min(end - next, Self.silenceLength)) * channels))
        }
    }

    private func fail(_ error: EncodingError, atEnd: Bool = false) {
        encoder = nil
        fates = fates.superseded(by: .encoder)
        guard var known = trouble else {
            trouble = Trouble(start: max(reached, 0), reason: error, nextTry: taken, end: taken)
            return atEnd ? () : restart()
        }
        known.tries += 1
        known.nextTry = taken + Self.pause * Int64(known.tries)
        known.end = taken
        trouble = known
        if known.tries == Self.mostTries { end = End(sample: known.start, failure: error) }
    }

    /// Creates a replacement encoder when an attempt is due. The first packet of the new encoder, with priming samples,
    /// directly follows the last packet of the previous encoder, and its audio follows the priming samples.
    private func restart() {
        guard let nextTry = trouble?.nextTry, taken >= nextTry else { return }
        do throws(EncodingError) {
            let made = try make().value
            guard made.parameters == parameters else {
                throw EncodingError(
                    subject: "audio", operation: "restarting the encoder",
                    reason: "the stream parameters differ from those of the previous encoder")
            }
            encoder = made
            origin = reached + parameters.priming
            next = origin
            trouble?.end = max(taken, origin)
            try encodeSilence(to: taken)
        } catch {
            fail(error)
        }
    }

    /// Ends the current failure when a packet contains audio from after the failure.
    private func noteRecovery() {
        guard let trouble, reached > trouble.end else { return }
        note(trouble, to: trouble.end)
        self.trouble = nil
    }

    private func note(_ trouble: Trouble, to end: Int64) {
        outages.append(Outage(samples: trouble.start..<max(end, trouble.start), reason: trouble.reason))
    }
}
