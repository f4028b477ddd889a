import Foundation
import Glibc
import MulticamContainers
import MulticamMedia
import MulticamTestDisks
import Testing

@testable import MulticamWriters

@Suite("The ledger of a file")
struct StreamLedgerTests {
    private static let rate = FrameRate(30, per: 1)
    private static let tracks: [MovieTrack] = [
        .video(
            StreamParameters(
                codec: .mjpeg, timeScale: 30, size: FrameSize(width: 320, height: 180), rate: rate),
            rotation: .none, name: "desk"),
        .audio(
            StreamParameters(
                codec: .aac, timeScale: 48_000, setup: [0x11, 0x88],
                audio: AudioFormat(rate: 48_000, channels: 1), priming: 1024), name: "host"),
    ]

    private static func writer(_ disks: [TestDisk]) throws -> MovieWriter {
        try MovieWriter(
            disks.map(\.disk), relativePath: "a.mov", streams: tracks,
            startedAt: Date(timeIntervalSince1970: 0))
    }

    private static func append(frames ticks: Range<Int64>, to writer: MovieWriter, bytes: Int = 100) {
        for tick in ticks {
            writer.append(
                EncodedPacket(
                    bytes: SharedBytes(count: bytes), presentation: tick, decode: tick, duration: 1,
                    isKey: true,
                    fate: tick % 10 == 9 ? .replaced(.encoder) : .captured), stream: 0)
        }
    }

    /// Appends packets of 1024 samples. The packet with the index -1 is the priming. Each packet has 24 samples of
    /// silence.
    private static func append(
        audio packets: Range<Int64>, to writer: MovieWriter, bytes: Int = 50
    ) {
        for index in packets {
            var fates = AudioFateRun(.silence(.bus), count: index < 0 ? 0 : 24)
            fates.append(.captured, count: index < 0 ? 0 : 1000)
            writer.append(
                EncodedPacket(
                    bytes: SharedBytes(count: bytes), presentation: index * 1024, decode: index * 1024,
                    duration: 1024, isKey: true, samples: fates), stream: 1)
        }
    }

    private static func finish(_ writer: MovieWriter, at end: MediaTime) -> [FileResult<SegmentedMovie>] {
        writer.setEnd(end)
        writer.finishStream(0)
        writer.finishStream(1)
        let results = writer.join()
        return results.keys.sorted().compactMap { results[$0] }
    }

    @Test(
        "counts what a disk that fails has taken, and drops the rest; the other disk's ledger has everything")
    func failing() throws {
        let disks = [
            try TestDisk(), try TestDisk(index: 1, beforeWrite: { _, end in end > 8000 ? EIO : 0 }),
        ]
        let writer = try Self.writer(disks)
        for second in Int64(0)..<4 {
            Self.append(frames: second * 30..<second * 30 + 30, to: writer)
            Self.append(audio: second * 47 - 1..<second * 47 + 46, to: writer)
        }
        let results = Self.finish(writer, at: MediaTime(nanoseconds: 4_000_000_000))
        let whole = results[0].ledgers
        #expect(results[0].failure == nil && whole.allSatisfy { $0.dropped == ContentCounts() })
        #expect(whole[0].written.frames[.captured] == 108)
        #expect(whole[0].written.frames[.replaced(.encoder)] == 12)
        #expect(whole[1].written.samples.captured == 187_000)
        #expect(whole[1].written.samples.silence == [.bus: 4488])
        let failed = results[1]
        #expect(failed.failure != nil && (1..<120).contains(failed.counts[0]))
        #expect(failed.ledgers[0].written.frames.total == failed.counts[0])
        // The priming packet is not counted.
        #expect(failed.ledgers[1].written.samples.total == Int64(failed.counts[1] - 1) * 1024)
        for (stream, ledger) in failed.ledgers.enumerated() {
            var sum = ledger.written
            sum.add(ledger.dropped)
            #expect(sum == whole[stream].written)
        }
    }

    @Test("counts each sample once where a packet is in two files")
    func split() throws {
        let disk = try TestDisk()
        let writer = try Self.writer([disk])
        Self.append(frames: 0..<20, to: writer)
        Self.append(audio: -1..<30, to: writer)
        // Sample 48 000 is in packet 46.
        writer.split(MovieWriter.Part(relativePath: "a-2.mov", start: Self.rate.time(ofTick: 30)))
        Self.append(frames: 20..<60, to: writer)
        Self.append(audio: 30..<94, to: writer)
        let result = try #require(Self.finish(writer, at: MediaTime(nanoseconds: 2_000_000_000)).first)
        // The packet that spans the split and the packet before it are in both files.
        #expect(result.failure == nil && result.parts.count == 1 && result.counts == [60, 97])
        #expect(result.ledgers[0].written.frames.total == 60)
        #expect(result.ledgers[1].written.samples.captured == 94_000)
        #expect(result.ledgers[1].written.samples.silence == [.bus: 2256])
        #expect(result.ledgers.allSatisfy { $0.dropped == ContentCounts() })
    }

    @Test("counts audio without a packet as silence, by its cause")
    func silence() throws {
        let gate = Gate()
        let disk = try TestDisk(audio: 20_000, beforeWrite: gate.wait)
        let writer = try Self.writer([disk])
        gate.close()
        Self.append(frames: 0..<60, to: writer)
        gate.waitUntilBlocked()
        // Four of the ten packets fit.
        Self.append(audio: 0..<10, to: writer, bytes: 5000)
        gate.open()
        while writer.writer(onDisk: 0)?.queue.byteCount ?? 0 > 0 {}
        Self.append(audio: 10..<20, to: writer)
        // The encoder has failed.
        writer.appendSilence(AudioFateRun(.silence(.encoder), count: 75_520), stream: 1)
        let result = try #require(Self.finish(writer, at: MediaTime(nanoseconds: 2_000_000_000)).first)
        #expect(result.failure == nil && result.counts == [60, 14])
        let written = result.ledgers[1].written.samples
        #expect(written.captured == 14_000)
        let silence: [LossCause: Int64] = [.bus: 480, .disk: 6000, .encoder: 75_520]
        #expect(written.silence == silence)
        #expect(written.total == 96_000)
    }

    @Test("ends at the sample where the file does, with or without packets")
    func concluded() throws {
        let disk = try TestDisk()
        for isSilent in [false, true] {
            let writer = try MovieWriter(
                [disk.disk], relativePath: "\(isSilent).mov", streams: Self.tracks,
                startedAt: Date(timeIntervalSince1970: 0))
            writer.conclude(onDisk: 0, at: Self.rate.time(ofTick: 45))
            Self.append(frames: 0..<90, to: writer)
            Self.append(audio: -1..<(isSilent ? 50 : 140), to: writer)
            if isSilent {
                writer.appendSilence(AudioFateRun(.silence(.encoder), count: 90 * 1024), stream: 1)
            }
            let result = try #require(Self.finish(writer, at: MediaTime(nanoseconds: 3_000_000_000)).first)
            #expect(result.failure == nil && result.ledgers[0].written.frames.total == 45)
            #expect(result.ledgers[0].dropped.frames.total == 45)
            #expect(result.ledgers[1].written.samples.total == 72_000)
            #expect(result.ledgers[1].dropped.samples.total == 71_360)
        }
    }

    @Test("of a WAV file counts what was captured, silent, dropped and discarded", arguments: [true, false])
    func wave(fails: Bool) throws {
        let disk = try TestDisk(beforeWrite: { path, end in fails && end > 100_000 ? EIO : 0 })
        let wave = try WaveWriter(
            [disk.disk], relativePath: "host.wav", channels: 1, startedAt: Date(timeIntervalSince1970: 0))
        var fates = AudioFateRun(.captured, count: 4000)
        fates.append(.silence(.late), count: 800)
        let block = AudioBlock(Array(repeating: 0.5, count: 4800), fates: fates)
        for _ in 0..<10 { wave.append(block) }
        wave.split(WaveWriter.Part(relativePath: "host-2.wav", firstSample: 48_000))
        for _ in 0..<10 { wave.append(block) }
        wave.conclude(onDisk: 0, at: 100_000)
        for _ in 0..<10 { wave.append(block) }
        wave.finish()
        let result = try #require(wave.join()[0])
        let ledger = result.ledgers[0]
        #expect((result.failure != nil) == fails)
        #expect(ledger.written.samples.total == result.sampleCount)
        if fails {
            #expect(result.sampleCount < 100_000)
        } else {
            #expect(result.sampleCount == 100_000 && ledger.written.samples.captured == 84_000)
        }
        var sum = ledger.written
        sum.add(ledger.dropped)
        #expect(sum.samples.captured == 120_000 && sum.samples.silence == [.late: 24_000])
    }
}
