import Foundation
import Glibc
import MulticamContainers
import MulticamMedia
import MulticamTestDisks
import Testing

@testable import MulticamWriters

@Suite("hanging disks")
struct HangingDiskTests {
    private let rate = FrameRate(30, per: 1)
    private let gate = Gate()

    private func track(_ codec: StreamParameters.Codec) -> MovieTrack {
        .video(
            StreamParameters(
                codec: codec, timeScale: 30, size: FrameSize(width: 320, height: 180), rate: rate),
            rotation: .none, name: "desk")
    }

    private func packet(_ tick: Int64, bytes: Int) -> EncodedPacket {
        EncodedPacket(
            bytes: SharedBytes(count: bytes), presentation: tick, decode: tick, duration: 1, isKey: true)
    }

    @Test(
        "writers are not blocked; frames that fit in memory are written, and dropped ones are counted")
    func movie() throws {
        let disk = try TestDisk(limit: 1 << 20, beforeWrite: gate.wait)
        let writer = try MovieWriter(
            [disk.disk], relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        gate.close()
        // A fragment contains half a second. Writing it blocks.
        for tick in Int64(0)..<15 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        gate.waitUntilBlocked()
        for tick in Int64(15)..<165 { writer.append(packet(tick, bytes: 10_000), stream: 0) }
        let file = try #require(writer.writer(onDisk: 0))
        // The limit of the file is 524 288 bytes, which is enough for 52 frames.
        #expect(disk.disk.memory.byteCount == 520_000 && file.shedCount == 98)
        #expect(writer.backlog > .zero && file.failure == nil)
        gate.open()
        writer.setEnd(rate.time(ofTick: 165))
        writer.finishStream(0)
        let result = try #require(writer.join()[0])
        #expect(result.failure == nil && result.counts == [67])
        #expect(
            result.shed == [
                [.init(from: rate.time(ofTick: 67), to: rate.time(ofTick: 165), count: 98)]
            ])
        #expect(disk.disk.memory.byteCount == 0)
    }

    @Test("with sufficient memory, nothing is lost")
    func patience() throws {
        let disk = try TestDisk(limit: 8 << 20, beforeWrite: gate.wait)
        let writer = try MovieWriter(
            [disk.disk], relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        gate.close()
        for tick in Int64(0)..<165 { writer.append(packet(tick, bytes: 10_000), stream: 0) }
        gate.open()
        writer.finishStream(0)
        let result = try #require(writer.join()[0])
        #expect(result.failure == nil && result.counts == [165] && result.shed == [[]])
    }

    @Test(
        "if the disk of the backup or of the recording hangs, only that disk's file is missing frames"
    )
    func backup() throws {
        for hanging in 0...1 {
            let quick: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
            let disks = [
                try TestDisk(limit: 1 << 20, index: 0, beforeWrite: hanging == 0 ? gate.wait : quick),
                try TestDisk(limit: 1 << 20, index: 1, beforeWrite: hanging == 1 ? gate.wait : quick),
            ]
            let writer = try MovieWriter(
                disks.map(\.disk), relativePath: "desk.mov", streams: [track(.mjpeg)],
                startedAt: Date(timeIntervalSince1970: 0))
            // Waits until the backup file has been created.
            writer.begin(startedAt: Date(timeIntervalSince1970: 0))
            while writer.writer(onDisk: 1)?.finishingByteCount == 0 {}
            gate.close()
            for tick in Int64(0)..<15 { writer.append(packet(tick, bytes: 10_000), stream: 0) }
            gate.waitUntilBlocked()
            for tick in Int64(15)..<165 {
                writer.append(packet(tick, bytes: 10_000), stream: 0)
                // Waits until the other disk has written its data.
                while disks[1 - hanging].disk.memory.byteCount > 100_000 {}
            }
            gate.open()
            writer.finishStream(0)
            let results = writer.join()
            #expect(results[hanging]?.counts == [67] && results[1 - hanging]?.counts == [165])
            #expect(results[1 - hanging]?.shed == [[]])
        }
    }

    /// Returns a hook that blocks only writes to the given file while the gate is shut.
    private func onlyWaiting(for name: String) -> @Sendable (String, Int64) -> Int32 {
        { [gate] path, end in path.hasSuffix("/\(name)") ? gate.wait(path, end) : 0 }
    }

    @Test("slow finalization of a file does not cause dropped frames in the next one")
    func split() throws {
        let disk = try TestDisk(limit: 1 << 20, beforeWrite: onlyWaiting(for: "desk.mov"))
        let writer = try MovieWriter(
            [disk.disk], relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        let file = try #require(writer.writer(onDisk: 0))
        for tick in Int64(0)..<10 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        while disk.disk.memory.byteCount > 0 {}
        gate.close()
        writer.split(MovieWriter.Part(relativePath: "desk-2.mov", start: rate.time(ofTick: 10)))
        for tick in Int64(10)..<310 {
            writer.append(packet(tick, bytes: 10_000), stream: 0)
            while disk.disk.memory.byteCount > 100_000, file.shedCount == 0 {}
        }
        gate.waitUntilBlocked()
        #expect(file.shedCount == 0 && !writer.isSplitting)
        // The estimate includes the space needed by the first file.
        #expect(file.finishingByteCount > 10_000)
        gate.open()
        writer.setEnd(rate.time(ofTick: 310))
        writer.finishStream(0)
        let result = try #require(writer.join()[0])
        #expect(result.failure == nil && result.splitFailure == nil && result.counts == [310])
        #expect(result.closed.map(\.relativePath) == ["desk.mov", "desk-2.mov"])
    }

    @Test("a file that can't be finalized after a split is left as it is, and the next one continues")
    func leftUnfinished() throws {
        let disk = try TestDisk(beforeWrite: { path, end in path.hasSuffix("/desk.mov") && end > 100 ? EIO : 0
        })
        let writer = try MovieWriter(
            [disk.disk], relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        for tick in Int64(0)..<10 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        writer.split(MovieWriter.Part(relativePath: "desk-2.mov", start: rate.time(ofTick: 10)))
        for tick in Int64(10)..<40 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        writer.finishStream(0)
        let result = try #require(writer.join()[0])
        #expect(result.failure == nil && result.splitFailure?.path == disk.path + "/desk.mov")
        #expect(result.counts == [30] && result.closed.map(\.relativePath) == ["desk-2.mov"])
    }

    @Test("audio continues in the next file while a slow disk finalizes the previous one")
    func splitAudio() throws {
        let disk = try TestDisk(audio: 200_000, beforeWrite: onlyWaiting(for: "host.wav"))
        let wave = try WaveWriter(
            [disk.disk], relativePath: "host.wav", channels: 1, startedAt: Date(timeIntervalSince1970: 0))
        let file = try #require(wave.writer(onDisk: 0))
        let block = tone(4800)
        wave.append(block)
        gate.close()
        wave.split(WaveWriter.Part(relativePath: "host-2.wav", firstSample: 4800))
        for _ in 0..<100 {
            wave.append(block)
            while file.backlog > .zero, file.silencedCount == 0 {}
        }
        gate.waitUntilBlocked()
        #expect(file.silencedCount == 0)
        gate.open()
        wave.finish()
        let result = try #require(wave.join()[0])
        #expect(result.failure == nil && result.sampleCount == 101 * 4800)
        #expect(result.closed.map(\.relativePath) == ["host.wav", "host-2.wav"])
    }

    @Test("a backup disk that hangs while its file is created does not delay the start")
    func backupThatHangsAtOnce() throws {
        let disks = [try TestDisk(), try TestDisk(index: 1, beforeWrite: gate.wait)]
        gate.close()
        let writer = try MovieWriter(
            disks.map(\.disk), relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        let wave = try WaveWriter(
            disks.map(\.disk), relativePath: "host.wav", channels: 1,
            startedAt: Date(timeIntervalSince1970: 0))
        gate.waitUntilBlocked()
        for tick in Int64(0)..<30 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        wave.append(tone(48_000))
        gate.open()
        writer.finishStream(0)
        wave.finish()
        let (movies, waves) = (writer.join(), wave.join())
        #expect([0, 1].allSatisfy { movies[$0]?.counts == [30] && waves[$0]?.sampleCount == 48_000 })
    }

    @Test("if the backup file can't be created, only the backup fails, and the recording is complete")
    func backupThatCannotBeMade() throws {
        let disks = [try TestDisk(), try TestDisk(index: 1, beforeWrite: { _, _ in EIO })]
        let writer = try MovieWriter(
            disks.map(\.disk), relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        for tick in Int64(0)..<30 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        writer.finishStream(0)
        let results = writer.join()
        #expect(results[0]?.failure == nil && results[0]?.counts == [30])
        #expect(results[1]?.failure?.errno == EIO && results[1]?.counts == [0])
    }

    @Test("audio that exceeds the memory limit is replaced with silence of the same length, and counted")
    func audio() throws {
        // There is space for 87 blocks of 4800 samples.
        let disk = try TestDisk(audio: 87 * 19_200 + 100, beforeWrite: gate.wait)
        let wave = try WaveWriter(
            [disk.disk], relativePath: "host.wav", channels: 1, startedAt: Date(timeIntervalSince1970: 0))
        gate.close()
        let block = tone(4800)
        // Half a second is written in one call, which blocks.
        for _ in 0..<5 { wave.append(block) }
        gate.waitUntilBlocked()
        for _ in 0..<100 { wave.append(block) }
        let file = try #require(wave.writer(onDisk: 0))
        #expect(file.silencedCount == 13 * 4800)
        gate.open()
        while file.finishingByteCount > 100_000 {}
        wave.append(block)
        wave.finish()
        let result = try #require(wave.join()[0])
        #expect(result.failure == nil && result.sampleCount == 106 * 4800)
        #expect(result.silenced == [92 * 4800..<105 * 4800])
        let written = result.ledgers[0].written.samples
        #expect(written.captured == 446_400 && written.silence == [.disk: 62_400])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: disk.path + "/host.wav"))
        let body = [UInt8](bytes.suffix(106 * 4800 * 3))
        func isSilent(_ blocks: Range<Int>) -> Bool {
            body[blocks.lowerBound * 14_400..<blocks.upperBound * 14_400].allSatisfy { $0 == 0 }
        }
        #expect(isSilent(92..<105) && !isSilent(91..<92) && !isSilent(105..<106))
    }
}
