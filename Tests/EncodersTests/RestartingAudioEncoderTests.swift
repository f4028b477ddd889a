import MulticamMedia
import Testing

@testable import MulticamEncoders
@testable import MulticamWriters

@Suite("Recovery of a failing audio encoder")
struct RestartingAudioEncoderTests {
    /// An encoder with packets of 1024 samples and one packet of delay, like AAC. Each packet records whether
    /// it contains audio. The encoder fails on the value 9.
    private final class Encoder: AudioEncoding {
        let parameters = StreamParameters(
            codec: .aac, timeScale: 48_000, audio: AudioFormat(rate: 48_000, channels: 1), priming: 1024)
        private var waiting: [Float] = Array(repeating: 0, count: 1024)
        private var place: Int64 = -1024
        private let failsAtEnd: Bool

        init(failsAtEnd: Bool = false) { self.failsAtEnd = failsAtEnd }

        func encode(_ samples: [Float]) throws(EncodingError) -> [EncodedPacket] {
            if samples.contains(9) { throw Self.error }
            waiting += samples
            var packets: [EncodedPacket] = []
            while waiting.count >= 3072 { packets.append(packet(1024)) }
            return packets
        }

        func finish() throws(EncodingError) -> [EncodedPacket] {
            if failsAtEnd { throw Self.error }
            var packets: [EncodedPacket] = []
            while !waiting.isEmpty { packets.append(packet(min(waiting.count, 1024))) }
            return packets
        }

        private func packet(_ count: Int) -> EncodedPacket {
            let samples = waiting.prefix(count)
            defer {
                waiting.removeFirst(count)
                place += Int64(count)
            }
            let mark = UInt8(samples.contains { $0 != 0 } ? 1 : 0)
            return EncodedPacket(
                bytes: SharedBytes([mark]), presentation: place, decode: place, duration: Int64(count),
                isKey: true)
        }

        static let error = EncodingError(subject: "program", operation: "encoding", reason: "it is broken")
    }

    /// The results of encoding blocks of 960 samples.
    private struct Made {
        var packets: [EncodedPacket] = []
        var encoders = 1
        var outages: [RestartingAudioEncoder.Outage] = []
        var end: RestartingAudioEncoder.EarlyEnd?
        var dropped = AudioFateRun()

        /// The fates of all samples in the packets.
        var fates: AudioFateRun {
            packets.reduce(into: AudioFateRun()) { $0.append($1.samples) }
        }

        /// The end of the packets, or `nil` if they have a gap.
        var reached: Int64? {
            var place: Int64 = -1024
            for packet in packets {
                guard packet.presentation == place, packet.decode == place else { return nil }
                place += packet.duration
            }
            return place
        }
    }

    private func encode(
        _ blocks: Int, failingAt broken: Set<Int> = [],
        first: Encoder = Encoder(),
        next: @escaping @Sendable (_ number: Int) throws(EncodingError) -> any AudioEncoding = {
            (_) throws(EncodingError) in Encoder()
        }
    ) -> Made {
        let packets = ConditionLock<[EncodedPacket]>([])
        let count = ConditionLock(1)
        let encoder = RestartingAudioEncoder(
            first,
            making: { () throws(EncodingError) in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return Carried(try next(number))
            },
            delivering: { packet in packets.withLock { $0.append(packet) } })
        for block in 0..<blocks {
            encoder.encode(
                AudioBlock(
                    Array(repeating: broken.contains(block) ? 9 : 0.5, count: 960),
                    fates: AudioFateRun(.captured, count: 960)))
        }
        encoder.finish()
        return Made(
            packets: packets.withLock { $0 }, encoders: count.withLock { $0 },
            outages: encoder.dequeueOutages(), end: encoder.earlyEnd, dropped: encoder.dropped)
    }

    @Test("the encoder is restarted, and its lost samples become silence of the same length")
    func restart() throws {
        let made = encode(100, failingAt: [50])
        #expect(made.encoders == 2 && made.end == nil)
        // Every sample keeps its position, because the next encoder's input is padded back to its start.
        #expect(made.reached == 96_000)
        let outage = try #require(made.outages.first)
        #expect(made.outages.count == 1 && outage.reason == Encoder.error)
        // The outage lasts from the end of the last packet to the end of the block that caused the failure.
        let last = made.packets.last {
            $0.presentation < 48_000 && $0.bytes.bytes[0] == 0 && $0.presentation > 0
        }
        #expect(last != nil)
        #expect(outage.samples.upperBound == 48_960)
        #expect(outage.samples.lowerBound > 44_000 && outage.samples.lowerBound < 48_000)
        // The packets contain the fate of each sample: only the outage is silence.
        var fates = AudioFateRun(.captured, count: Int(outage.samples.lowerBound))
        fates.append(.silence(.encoder), count: outage.samples.count)
        fates.append(.captured, count: 96_000 - fates.count)
        #expect(made.fates == fates && made.dropped.isEmpty)
        let silent = made.packets.filter { $0.bytes.bytes[0] == 0 && $0.presentation >= 0 }
        #expect(silent.allSatisfy { outage.samples.contains($0.presentation) })
    }

    @Test("the encoder may fail repeatedly if it encodes audio in between")
    func oftenButNotInARow() {
        let made = encode(400, failingAt: [50, 100, 150, 200, 250, 300, 350])
        #expect(made.encoders == 8 && made.end == nil && made.outages.count == 7)
        #expect(made.reached == 384_000)
        var counts = SampleCounts()
        counts.add(made.fates)
        let outages = made.outages.reduce(0) { $0 + Int64($1.samples.count) }
        #expect(counts.silence == [.encoder: outages] && counts.captured == 384_000 - outages)
    }

    @Test("the stream ends after three restarts fail in a row")
    func end() throws {
        let made = encode(500, failingAt: [50]) { (_) throws(EncodingError) in throw Encoder.error }
        let end = try #require(made.end)
        #expect(made.encoders == 4 && end.failure == Encoder.error)
        #expect(end.sample == made.reached && made.outages.isEmpty)
        // Every sample is in a packet or dropped.
        #expect(made.fates == AudioFateRun(.captured, count: Int(end.sample)))
        #expect(made.dropped == AudioFateRun(.silence(.encoder), count: 480_000 - Int(end.sample)))
    }

    @Test("the encoder is retried later if the audio itself causes the failure")
    func badAudio() {
        // The recording contains 0.1 s of audio that every encoder rejects.
        let made = encode(200, failingAt: Set(50..<55))
        #expect(made.end == nil && made.outages.count == 1 && made.reached == 192_000)
        #expect(made.outages.first.map { $0.samples.upperBound >= 55 * 960 } == true)
    }

    @Test("a failure at the end is replaced with silence instead of a shorter stream")
    func atTheEnd() {
        let made = encode(100, first: Encoder(failsAtEnd: true))
        #expect(
            made.end == nil && made.outages.count == 1 && made.outages.first?.samples.upperBound == 96_000)
        #expect(made.reached.map { abs($0 - 96_000) <= 1024 } == true)
    }

    @Test("the encoder is not replaced by one with other stream parameters")
    func otherParameters() {
        final class Other: AudioEncoding {
            let parameters = StreamParameters(
                codec: .aac, timeScale: 48_000, setup: [1], audio: AudioFormat(rate: 48_000, channels: 1))
            func encode(_: [Float]) throws(EncodingError) -> [EncodedPacket] { [] }
            func finish() throws(EncodingError) -> [EncodedPacket] { [] }
        }
        let made = encode(200, failingAt: [50]) { (_) throws(EncodingError) in Other() }
        #expect(made.end?.failure.reason.contains("stream parameters differ") == true)
    }
}
