package import Media
package import Writers

/// Encodes a stream of audio, and goes on with a new encoder where one fails. Used by one thread alone.
///
/// The packets of all encoders follow each other without a hole: what an encoder took with it when it failed becomes silence, so
/// that every later sample keeps its place in the file. After `mostTries` encoders in a row that give nothing the stream ends.
package final class RestartingAudioEncoder {
    /// Audio that a failing encoder kept from the file, which has silence there.
    package struct Outage: Sendable {
        /// In samples since T0.
        package let samples: Range<Int64>
        let reason: EncodingError
    }

    /// Where the stream ended before the audio did.
    package struct End: Sendable {
        /// The first sample since T0 that is missing.
        package let sample: Int64
        let failure: EncodingError
    }

    package typealias Making = @Sendable () throws(EncodingError) -> Carried<any AudioEncoding>

    /// Encoders that may fail in a row, behind the first that did.
    static let mostTries = 3
    /// Samples between two tries, more with each: what an encoder cannot bear may be over then.
    private static let pause = Int64(AudioFormat.sessionRate) / 4
    /// Frames of silence that are encoded at once, so that a long stretch takes no memory.
    private static let silenceLength: Int64 = 4800
    /// An encoder holds back less, in samples, and so much is in a packet at most.
    private static let mostInside = Int64(AudioFormat.sessionRate) / 2
    private static let longestPacket: Int64 = 8192

    /// `nil` while the stream goes on.
    private(set) var end: End?
    /// End of the last packet, in samples since T0.
    private var reached: Int64
    private let parameters: StreamParameters
    private let channels: Int
    private let make: Making
    private let deliver: (EncodedPacket) -> Void
    /// `nil` between a failure and the next try.
    private var encoder: (any AudioEncoding)?
    /// Samples that came, whether they were encoded or not.
    private var taken: Int64 = 0
    /// The sample that the encoder counts as its first, and the next one that it gets.
    private var (origin, next): (Int64, Int64) = (0, 0)
    /// From a failure until the audio of another encoder has come out.
    private var trouble: Trouble?
    private var outages: [Outage] = []

    private struct Trouble {
        /// The first sample that is missing.
        let start: Int64
        let reason: EncodingError
        /// Encoders that failed since.
        var tries = 0
        /// The sample at which the next one is made.
        var nextTry: Int64
        /// What came before is silence.
        var end: Int64
    }

    /// - Parameters:
    ///   - encoder: The first.
    ///   - make: Makes another one of the same kind.
    ///   - deliver: Gets the packets.
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

    /// Encodes what is still inside. No sample follows.
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

    /// The outages that are over, and were not asked for yet.
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

    /// Each packet is directly behind the one before it; one that is not is the encoder's failure.
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
        EncodingError(subject: "sound", operation: "encoding", reason: reason)
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

    /// Makes another encoder where it is time to. Its first packet, of priming samples, comes directly behind the last one of the
    /// encoder before, and its audio behind that.
    private func restart() {
        guard let nextTry = trouble?.nextTry, taken >= nextTry else { return }
        do throws(EncodingError) {
            let made = try make().value
            guard made.parameters == parameters else {
                throw EncodingError(
                    subject: "sound", operation: "opening the encoder anew",
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

    /// The trouble is over when audio that came after it is in a packet.
    private func noteRecovery() {
        guard let trouble, reached > trouble.end else { return }
        note(trouble, to: trouble.end)
        self.trouble = nil
    }

    private func note(_ trouble: Trouble, to end: Int64) {
        outages.append(Outage(samples: trouble.start..<max(end, trouble.start), reason: trouble.reason))
    }
}
