import Foundation
import MulticamContainers
import MulticamMedia
import MulticamTestDisks
import Testing

@testable import MulticamEncoders
@testable import MulticamSession
@testable import MulticamTiming
@testable import MulticamWriters

@Suite("Video encoder worker")
struct VideoEncoderWorkerTests {
    private static let parameters = StreamParameters(
        codec: .mjpeg, timeScale: 30, size: FrameSize(width: 64, height: 48), rate: FrameRate(30))

    /// An encoder that returns every tick immediately, as one byte. It blocks at its first tick until the
    /// gate opens, or fails at the specified ticks.
    private final class SyntheticEncoder: VideoEncoding {
        let parameters = VideoEncoderWorkerTests.parameters
        private let gate: ConditionLock<Bool>
        private let fails: (Int64) -> Bool
        private let seen: ConditionLock<[Int]>

        init(
            gate: ConditionLock<Bool> = ConditionLock(true), seen: ConditionLock<[Int]> = ConditionLock([]),
            failing fails: @escaping (Int64) -> Bool = { _ in false }
        ) {
            self.gate = gate
            self.seen = seen
            self.fails = fails
        }

        func encode(_ layers: [FrameLayer], tick: Int64) throws(EncodingError) -> EncodedFrames {
            try repeatLast(ticks: tick..<tick + 1)
        }
        func repeatLast(tick: Int64) throws(EncodingError) -> EncodedFrames {
            try repeatLast(ticks: tick..<tick + 1)
        }
        func repeatLast(ticks: Range<Int64>) throws(EncodingError) -> EncodedFrames {
            seen.broadcast { $0.append(ticks.count) }
            gate.wait { $0 ? true : nil }
            guard !ticks.contains(where: fails) else {
                throw EncodingError(subject: "desk", operation: "encoding", reason: "it is made to fail")
            }
            return EncodedFrames(
                packets: ticks.map { tick in
                    EncodedPacket(
                        bytes: SharedBytes(count: 1), presentation: tick, decode: tick, duration: 1,
                        isKey: true)
                })
        }
        func requestKeyFrame() {}
        func changePreset(to preset: VideoEncodingSettings.Preset) -> [EncodedPacket] { [] }
        func finish(unless isAbandoned: () -> Bool) -> [EncodedPacket] { [] }
    }

    /// Holds all frames back until the end of the stream, as x264 holds its lookahead. Blocks before the fourth of
    /// these frames until the gate opens.
    private final class BufferingEncoder: VideoEncoding {
        let parameters = VideoEncoderWorkerTests.parameters
        private let gate: ConditionLock<Bool>
        private let reached: ConditionLock<Bool>
        private var bufferedPackets: [EncodedPacket] = []

        init(gate: ConditionLock<Bool>, reached: ConditionLock<Bool>) {
            self.gate = gate
            self.reached = reached
        }

        func encode(_ layers: [FrameLayer], tick: Int64) -> EncodedFrames { repeatLast(tick: tick) }
        func repeatLast(tick: Int64) -> EncodedFrames {
            bufferedPackets.append(
                EncodedPacket(
                    bytes: SharedBytes(count: 1), presentation: tick, decode: tick, duration: 1, isKey: true))
            return EncodedFrames(packets: [])
        }
        func requestKeyFrame() {}
        func changePreset(to preset: VideoEncodingSettings.Preset) -> [EncodedPacket] { [] }
        func finish(unless isAbandoned: () -> Bool) -> [EncodedPacket] {
            var packets: [EncodedPacket] = []
            for packet in bufferedPackets {
                if packets.count == 3 {
                    reached.broadcast { $0 = true }
                    gate.wait { $0 ? true : nil }
                }
                if isAbandoned() { break }
                packets.append(packet)
            }
            return packets
        }
    }

    private static func writer(_ disk: TestDisk) throws -> MovieWriter {
        try MovieWriter(
            [disk.disk], relativePath: "desk.mov",
            streams: [.video(parameters, rotation: .none, name: "desk")],
            startedAt: Date(timeIntervalSince1970: 1_767_225_600))
    }

    @Test(
        "a worker that is behind receives the backlog as one run of repeats plus the newest frames, and the file has every tick"
    )
    func behind() throws {
        let disk = try TestDisk()
        let writer = try Self.writer(disk)
        let (gate, seen) = (ConditionLock(false), ConditionLock([Int]()))
        let worker = VideoEncoderWorker(
            name: "enc", encoder: SyntheticEncoder(gate: gate, seen: seen),
            another: { () throws(EncodingError) in Carried(SyntheticEncoder()) },
            to: TrackSink(writer: writer, stream: 0), waitsForRoom: false)
        worker.encode([], tick: 0, asKey: false)
        seen.wait { $0.isEmpty ? nil : true }
        // The encoder blocks for 13 s of static program, then for 2 s of new frames.
        for tick in Int64(1)..<400 { worker.repeatLast(tick: tick, asKey: false) }
        #expect(worker.queueLength == 30)
        for tick in Int64(400)..<460 { worker.encode([], tick: tick, asKey: false) }
        #expect(worker.queueLength == 30)
        gate.broadcast { $0 = true }
        worker.finish()
        worker.join()
        #expect(seen.withLock { $0 } == [1, 429] + Array(repeating: 1, count: 30))
        let file = try #require(writer.join()[0])
        #expect(file.counts == [460] && file.ledgers[0].written.frames.total == 460)
        let told = worker.counts(DeliveryCounts(), in: file.ledgers[0])
        #expect(told.captured == 31 && told.duplicated == 429 && told.lost == [.encoder: 30])
    }

    @Test(
        "after a permanent encoder failure, the worker uses no memory and causes no pressure; its file ends with the last good tick"
    )
    func failed() throws {
        let disk = try TestDisk()
        let writer = try Self.writer(disk)
        let worker = VideoEncoderWorker(
            name: "enc", encoder: SyntheticEncoder(failing: { $0 >= 10 }),
            another: { () throws(EncodingError) in Carried(SyntheticEncoder(failing: { $0 >= 10 })) },
            to: TrackSink(writer: writer, stream: 0), waitsForRoom: true)
        let outputs = SessionOutputs(disks: [disk.disk], writers: ["desk.mov": writer], microphones: [])
        outputs.program = ProgramTrack(rate: FrameRate(30), aligners: [], layers: [], encoder: worker)
        // Ticks reach the encoder one by one, so encoding fails at tick 10.
        for tick in Int64(0)..<100 { worker.encode([], tick: tick, asKey: false) }
        worker.finish()
        worker.join()
        for tick in Int64(100)..<1000 { worker.encode([], tick: tick, asKey: false) }
        #expect(worker.queueLength == 0 && outputs.encoderAges.isEmpty)
        #expect(worker.earlyEnd?.tick == 10)
        #expect(worker.failure?.reason == "it is made to fail")
        let file = try #require(writer.join()[0])
        let told = worker.counts(DeliveryCounts(), in: file.ledgers[0])
        #expect(file.counts == [10] && told.written == 10 && told.lost == [.encoder: 990])
    }

    @Test("a worker abandoned during the encoder's flush writes what it has and counts the rest as lost")
    func abandoned() throws {
        let disk = try TestDisk()
        let writer = try Self.writer(disk)
        let (gate, reached) = (ConditionLock(false), ConditionLock(false))
        let worker = VideoEncoderWorker(
            name: "enc", encoder: BufferingEncoder(gate: gate, reached: reached),
            another: { () throws(EncodingError) in Carried(SyntheticEncoder()) },
            to: TrackSink(writer: writer, stream: 0), waitsForRoom: false)
        for tick in Int64(0)..<8 { worker.encode([], tick: tick, asKey: false) }
        worker.finish()
        reached.wait { $0 ? true : nil }
        worker.abandon()
        gate.broadcast { $0 = true }
        worker.join()
        let file = try #require(writer.join()[0])
        let told = worker.counts(DeliveryCounts(), in: file.ledgers[0])
        #expect(file.counts == [3] && told.written == 3 && told.lost == [.encoder: 5])
    }

    @Test("an encoder failure that loses no ticks counts as recovered")
    func afterAll() throws {
        let disk = try TestDisk()
        let writer = try Self.writer(disk)
        let worker = VideoEncoderWorker(
            name: "enc", encoder: SyntheticEncoder(failing: { $0 == 3 }),
            another: { () throws(EncodingError) in Carried(SyntheticEncoder()) },
            to: TrackSink(writer: writer, stream: 0), waitsForRoom: true)
        for tick in Int64(0)..<90 { worker.encode([], tick: tick, asKey: false) }
        worker.finish()
        worker.join()
        #expect(worker.earlyEnd == nil && worker.isWorking)
        let recovery = try #require(worker.dequeueRecovery())
        #expect(recovery.tick == 3 && recovery.lost == 0)
        #expect(writer.join()[0]?.counts == [90])
    }
}
