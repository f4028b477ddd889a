package import Media
package import Writers

/// Encodes a stream of audio, and continues with a new encoder when one fails. Used by one thread alone.
///
/// The packets of all encoders follow each other without a hole. Samples that a failing encoder kept become silence,
/// so that every later sample keeps its place in the file. After `mostTries` encoders in a row that deliver nothing
/// the stream ends.
package final class RestartingAudioEncoder {
    /// A stretch of audio that a failing encoder kept from the file, which has silence there.
    package struct Outage: Sendable {
        /// The samples of the stretch, counted from T0 at 48 kHz.
        package let samples: Range<Int64>
        let reason: EncodingError
    }

    /// The early end of a stream whose encoders failed.
    package struct End: Sendable {
        /// The first missing sample, counted from T0 at 48 kHz.
        package let sample: Int64
        let failure: EncodingError
    }

    /// Makes another encoder of the same stream.
    package typealias Making = @Sendable () throws(EncodingError) -> Carried<any AudioEncoding>

    /// How many encoders may fail in a row after the first failure.
    static let mostTries = 3
    /// Samples until the second try; each further pause is longer by as much. What an encoder cannot bear may be over
    /// then.
    private static let pause = Int64(AudioFormat.sessionRate) / 4
    /// Samples of silence per channel that are encoded at once, so that a long stretch takes little memory.
    private static let silenceLength: Int64 = 4800
    /// Most samples that a working encoder holds back.
    private static let mostInside = Int64(AudioFormat.sessionRate) / 2
    /// Most samples in one packet.
    private static let longestPacket: Int64 = 8192

    /// The early end of the stream, or `nil` while it goes on.
    private(set) var end: End?
    /// End of the last packet, in samples since T0.
    private var reached: Int64
    private let parameters: StreamParameters
    private let channels: Int
    private let make: Making
    private let deliver: (EncodedPacket) -> Void
    /// The present encoder, or `nil` between a failure and the next try.
    private var encoder: (any AudioEncoding)?
    /// Samples per channel that came, encoded or not.
    private var taken: Int64 = 0
    /// The sample that the encoder counts as its first, and the next sample that it gets.
    private var (origin, next): (Int64, Int64) = (0, 0)
    /// The present failure, until audio from another encoder has come out.
    private var trouble: Trouble?
    private var outages: [Outage] = []

    private struct Trouble {
        /// The first missing sample.
        let start: Int64
        let reason: EncodingError
        /// Encoders that failed since.
        var tries = 0
        /// The sample at which the next encoder is made.
        var nextTry: Int64
        /// End of the silence: audio from here on comes from the next encoder.
        var end: Int64
    }

    /// Creates an encoder that survives failures.
    ///
    /// - Parameters:
    ///   - encoder: The first encoder.
    ///   - make: Makes another encoder of the same stream.
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

    /// Encodes the next samples, interleaved.
    func encode(_ samples: [Float]) {
        guard end == nil else { return }
        let begin = taken
        taken += Int64(samples.count / channels)
        guard encoder != nil else { return restart() }
        do throws(EncodingError) {
            try encodeSilence(to: begin)
            let skipped = Int(min(next - begin, taken - begin))
            try pass(skipped == 0 ? samples : Array(samples[(skipped * channels)...]))
            noteRecovery()
        } catch {
            fail(error)
        }
    }

    /// Encodes the samples that the encoder still holds: none follows.
    func finish() {
        while end == nil {
            trouble?.nextTry = taken
            if encoder == nil { restart() }
            guard let encoder else { continue }
            do throws(EncodingError) {
                for packet in try encoder.finish() { try place(packet) }
                if reached < taken { throw broken("it kept \(taken - reached) samples back in the end") }
                noteRecovery()
                if let trouble { note(trouble, to: taken) }
                return
            } catch {
                fail(error, atEnd: true)
            }
        }
    }

    /// Returns the outages that are over and were not returned before.
    func takeOutages() -> [Outage] {
        defer { outages = [] }
        return outages
    }

    private func pass(_ samples: [Float]) throws(EncodingError) {
        guard let encoder, !samples.isEmpty else { return }
        for packet in try encoder.encode(samples) { try place(packet) }
        next += Int64(samples.count / channels)
        if next - reached > Self.mostInside { throw broken("it keeps \(next - reached) samples back") }
    }

    /// Delivers a packet directly after the one before it; a packet that does not fit there is a failure of the
    /// encoder.
    private func place(_ packet: EncodedPacket) throws(EncodingError) {
        guard packet.presentation == reached - origin, packet.decode == packet.presentation,
            1...Self.longestPacket ~= packet.duration, packet.bytes.count > 0
        else {
            throw broken(
                "it gave out \(packet.bytes.count) bytes of \(packet.duration) samples at \(packet.presentation), not at \(reached - origin)"
            )
        }
        let moved = EncodedPacket(
            bytes: packet.bytes, presentation: reached, decode: reached, duration: packet.duration,
            isKey: packet.isKey)
        reached += packet.duration
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

    /// Makes another encoder when a try is due. Its first packet, of priming samples, comes directly after the last
    /// packet of the encoder before, and its audio after that.
    private func restart() {
        guard let nextTry = trouble?.nextTry, taken >= nextTry else { return }
        do throws(EncodingError) {
            let made = try make().value
            guard made.parameters == parameters else {
                throw EncodingError(
                    subject: "audio", operation: "opening the encoder anew",
                    reason: "it describes its stream otherwise than the one before")
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

    /// Ends the trouble when a packet has come out with audio from after it.
    private func noteRecovery() {
        guard let trouble, reached > trouble.end else { return }
        note(trouble, to: trouble.end)
        self.trouble = nil
    }

    private func note(_ trouble: Trouble, to end: Int64) {
        outages.append(Outage(samples: trouble.start..<max(end, trouble.start), reason: trouble.reason))
    }
}
