package import MulticamMedia
package import MulticamWriters

/// The thread that encodes the audio of the program, or of a microphone track stored as a stream of a movie.
package final class AudioEncoderWorker: Sendable {
    private struct State {
        var outages: [RestartingAudioEncoder.Outage] = []
        var earlyEnd: RestartingAudioEncoder.EarlyEnd?
        var reportedOutageCount = 0
        var isEndReported = false
        var receivedCounts = SampleCounts()
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
        encoder: sending any AudioEncoding, making make: @escaping RestartingAudioEncoder.EncoderFactory,
        to sink: TrackSink
    ) {
        let (queue, state) = (queue, state)
        let carried = Carried(encoder)
        thread = MediaThread.startWhenPossible(name: "enc:sound") {
            let encoder = RestartingAudioEncoder(carried.value, making: make) { sink.append($0) }
            func recordOutages() {
                let (outages, end) = (encoder.dequeueOutages(), encoder.earlyEnd)
                if outages.isEmpty, end == nil { return }
                state.withLock { state in
                    state.outages += outages
                    state.earlyEnd = end
                }
            }
            while let block = queue.dequeue() {
                let wasWorking = encoder.earlyEnd == nil
                encoder.encode(block)
                recordOutages()
                if wasWorking, encoder.earlyEnd != nil { sink.stop() }
            }
            encoder.finish()
            recordOutages()
            sink.appendSilence(encoder.dropped)
            sink.finish()
        }
    }

    /// Queues the next samples. Blocks while 5 s of audio are queued, because audio is never dropped.
    package func encode(_ block: AudioBlock) {
        state.withLock { $0.receivedCounts.add(block.fates) }
        queue.enqueue(block)
    }

    /// Number of received samples, by fate (`AudioFate`).
    package var receivedCounts: SampleCounts { state.withLock { $0.receivedCounts } }
    /// Ends the worker after all queued samples are encoded. Don't call `encode` after this method.
    package func finish() { queue.finish() }
    /// Waits until the worker has ended.
    package func join() { thread.join() }
    /// The end of the stream if several encoders failed in a row; `nil` while the stream continues.
    package var earlyEnd: RestartingAudioEncoder.EarlyEnd? { state.withLock { $0.earlyEnd } }
    /// The reason why the stream ended early; `nil` while the stream continues.
    package var failure: EncodingError? { earlyEnd?.failure }
    /// Ranges of audio that are silent in the file because an encoder failed.
    package var outages: [RestartingAudioEncoder.Outage] { state.withLock { $0.outages } }

    /// Returns the outages and the early end of the stream that have occurred since the last call.
    package func dequeueEvents() -> (
        outages: [RestartingAudioEncoder.Outage], end: RestartingAudioEncoder.EarlyEnd?
    ) {
        state.withLock { state in
            defer {
                state.reportedOutageCount = state.outages.count
                state.isEndReported = state.earlyEnd != nil
            }
            return (
                Array(state.outages[state.reportedOutageCount...]), state.isEndReported ? nil : state.earlyEnd
            )
        }
    }
}

/// Encodes an audio stream, and continues with a new encoder when an encoder fails. Only one thread may use
/// this object.
///
/// The packets of all encoders are contiguous. Samples lost in a failed encoder are replaced by silence, so
/// every later sample keeps its position in the file. The stream ends after `maxRestartAttempts` consecutive
/// replacement encoders have failed without output.
package final class RestartingAudioEncoder {
    /// A range of audio that is silent in the file because an encoder failed.
    package struct Outage: Sendable {
        /// The range of samples, counted from T0 at 48 kHz.
        package let samples: Range<Int64>
        let reason: EncodingError
    }

    /// The early end of a stream whose encoders failed.
    package struct EarlyEnd: Sendable {
        /// The first missing sample, counted from T0 at 48 kHz.
        package let sample: Int64
        let failure: EncodingError
    }

    /// Creates a replacement encoder for the same stream.
    package typealias EncoderFactory = @Sendable () throws(EncodingError) -> Carried<any AudioEncoding>

    /// Maximum number of consecutive failed encoders after the first failure.
    static let maxRestartAttempts = 3
    /// Number of samples between the first and the second attempt to replace the encoder. Each subsequent
    /// pause is longer by the same amount, so that a temporary problem has time to disappear.
    private static let pause = Int64(AudioFormat.sessionRate) / 4
    /// Number of silence samples per channel encoded at once. This limits the memory used for long periods of
    /// silence.
    private static let silenceLength: Int64 = 4800
    /// Maximum number of samples buffered in a working encoder.
    private static let maxBufferedSamples = Int64(AudioFormat.sessionRate) / 2
    /// Maximum number of samples in one packet.
    private static let longestPacket: Int64 = 8192

    /// The early end of the stream, or `nil` while the stream continues.
    private(set) var earlyEnd: EarlyEnd?
    /// End of the last packet, in samples relative to T0.
    private var packetEnd: Int64
    private let parameters: StreamParameters
    private let channels: Int
    private let make: EncoderFactory
    private let deliver: (EncodedPacket) -> Void
    /// The current encoder, or `nil` between a failure and the next attempt.
    private var encoder: (any AudioEncoding)?
    /// Number of received samples per channel, encoded or not.
    private var receivedCount: Int64 = 0
    /// Index of the current encoder's first sample, and index of the next sample that the encoder will
    /// receive.
    private var (origin, next): (Int64, Int64) = (0, 0)
    /// The current failure; `nil` when an encoder has produced audio again.
    private var ongoingOutage: OngoingOutage?
    private var outages: [Outage] = []
    /// The fates (`AudioFate`) of the received samples from `firstPendingSample` on, which are not in a packet yet.
    private var fates = AudioFateRun()
    /// Index of the first received sample that is not in a packet.
    private var firstPendingSample: Int64 = 0

    /// The fates (`AudioFate`) of the samples after the early end of the stream, which are not in any packet.
    var dropped: AudioFateRun { earlyEnd == nil ? AudioFateRun() : fates }

    private struct OngoingOutage {
        /// Index of the first missing sample.
        let start: Int64
        let reason: EncodingError
        /// Number of encoders that have failed since this failure began.
        var attempts = 0
        /// Position of the sample that triggers the creation of the next encoder.
        var nextAttempt: Int64
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
        _ encoder: any AudioEncoding, making make: @escaping EncoderFactory,
        delivering deliver: @escaping (EncodedPacket) -> Void
    ) {
        self.encoder = encoder
        self.make = make
        self.deliver = deliver
        parameters = encoder.parameters
        channels = encoder.parameters.audio?.channels ?? 1
        packetEnd = -encoder.parameters.priming
    }

    /// Encodes the next samples.
    func encode(_ block: AudioBlock) {
        let begin = receivedCount
        receivedCount += Int64(block.count)
        guard encoder != nil else {
            fates.append(block.fates.superseded(by: .encoder))
            return earlyEnd == nil ? restartWhenDue() : ()
        }
        // The audio of a new encoder begins after its priming samples, which can extend beyond the start of
        // this block.
        let skipped = Int(min(max(next - begin, 0), Int64(block.count)))
        fates.append(block.fates.prefix(skipped).superseded(by: .encoder))
        fates.append(block.fates.dropFirst(skipped))
        do throws(EncodingError) {
            try encodeSilence(to: begin)
            try submit(block[skipped..<block.count].samples)
            endOutageIfRecovered()
        } catch {
            handleFailure(error)
        }
    }

    /// Encodes the samples that are still in the encoder. Don't call `encode` after this method.
    func finish() {
        while earlyEnd == nil {
            ongoingOutage?.nextAttempt = receivedCount
            if encoder == nil { restartWhenDue() }
            guard let encoder else { continue }
            do throws(EncodingError) {
                for packet in try encoder.finish() { try deliverContiguously(packet) }
                if packetEnd < receivedCount {
                    throw encodingError(
                        "the encoder did not return the last \(receivedCount - packetEnd) samples")
                }
                endOutageIfRecovered()
                if let ongoingOutage { recordOutage(ongoingOutage, to: receivedCount) }
                return
            } catch {
                handleFailure(error, atEnd: true)
            }
        }
    }

    /// Returns the outages that ended since the last call.
    func dequeueOutages() -> [Outage] {
        defer { outages = [] }
        return outages
    }

    private func submit(_ samples: [Float]) throws(EncodingError) {
        guard let encoder, !samples.isEmpty else { return }
        for packet in try encoder.encode(samples) { try deliverContiguously(packet) }
        next += Int64(samples.count / channels)
        if next - packetEnd > Self.maxBufferedSamples {
            throw encodingError(
                "the encoder has not returned \(next - packetEnd) of the samples that it received")
        }
    }

    /// Delivers a packet directly after the previous one. A packet that doesn't continue at the end of the
    /// previous packet counts as an encoder failure.
    private func deliverContiguously(_ packet: EncodedPacket) throws(EncodingError) {
        guard packet.presentation == packetEnd - origin, packet.decode == packet.presentation,
            1...Self.longestPacket ~= packet.duration, packet.bytes.count > 0
        else {
            throw encodingError(
                "the encoder returned a packet of \(packet.bytes.count) bytes and \(packet.duration) samples at position \(packet.presentation) instead of \(packetEnd - origin)"
            )
        }
        let end = packetEnd + packet.duration
        let samples = fates.removeFirst(Int(clamping: end - firstPendingSample))
        firstPendingSample += Int64(samples.count)
        let moved = EncodedPacket(
            bytes: packet.bytes, presentation: packetEnd, decode: packetEnd, duration: packet.duration,
            isKey: packet.isKey, samples: samples)
        packetEnd = end
        deliver(moved)
    }

    private func encodingError(_ reason: String) -> EncodingError {
        EncodingError(subject: "audio", operation: "encoding", reason: reason)
    }

    private func encodeSilence(to end: Int64) throws(EncodingError) {
        while next < end {
            try submit([Float](repeating: 0, count: Int(min(end - next, Self.silenceLength)) * channels))
        }
    }

    private func handleFailure(_ error: EncodingError, atEnd: Bool = false) {
        encoder = nil
        fates = fates.superseded(by: .encoder)
        guard var known = ongoingOutage else {
            ongoingOutage = OngoingOutage(
                start: max(packetEnd, 0), reason: error, nextAttempt: receivedCount, end: receivedCount)
            return atEnd ? () : restartWhenDue()
        }
        known.attempts += 1
        known.nextAttempt = receivedCount + Self.pause * Int64(known.attempts)
        known.end = receivedCount
        ongoingOutage = known
        if known.attempts == Self.maxRestartAttempts {
            earlyEnd = EarlyEnd(sample: known.start, failure: error)
        }
    }

    /// Creates a replacement encoder when an attempt is due. The first packet of the new encoder, with priming samples,
    /// directly follows the last packet of the previous encoder, and its audio follows the priming samples.
    private func restartWhenDue() {
        guard let nextTry = ongoingOutage?.nextAttempt, receivedCount >= nextTry else { return }
        do throws(EncodingError) {
            let made = try make().value
            guard made.parameters == parameters else {
                throw EncodingError(
                    subject: "audio", operation: "restarting the encoder",
                    reason: "the stream parameters differ from those of the previous encoder")
            }
            encoder = made
            origin = packetEnd + parameters.priming
            next = origin
            ongoingOutage?.end = max(receivedCount, origin)
            try encodeSilence(to: receivedCount)
        } catch {
            handleFailure(error)
        }
    }

    /// Ends the current failure when a packet contains audio from after the failure.
    private func endOutageIfRecovered() {
        guard let ongoingOutage, packetEnd > ongoingOutage.end else { return }
        recordOutage(ongoingOutage, to: ongoingOutage.end)
        self.ongoingOutage = nil
    }

    private func recordOutage(_ trouble: OngoingOutage, to end: Int64) {
        outages.append(Outage(samples: trouble.start..<max(end, trouble.start), reason: trouble.reason))
    }
}
