import Containers
import Foundation
import Glibc
import Media
import TestDisks
import Testing

@testable import Writers

@Suite("a disk that hangs")
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
        "nobody who brings frames waits; what finds room is written, and the rest is counted with its time")
    func movie() throws {
        let disk = try TestDisk(limit: 1 << 20, beforeWrite: gate.wait)
        let writer = try MovieWriter(
            [disk.disk], relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        gate.shut()
        // Half a second makes a fragment, whose write does not return.
        for tick in Int64(0)..<15 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        gate.waitUntilSomebodyWaits()
        for tick in Int64(15)..<165 { writer.append(packet(tick, bytes: 10_000), stream: 0) }
        let file = try #require(writer.file(0))
        // 524 288 bytes for the file: 52 frames.
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

    @Test("with memory enough nothing is lost")
    func patience() throws {
        let disk = try TestDisk(limit: 8 << 20, beforeWrite: gate.wait)
        let writer = try MovieWriter(
            [disk.disk], relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        gate.shut()
        for tick in Int64(0)..<165 { writer.append(packet(tick, bytes: 10_000), stream: 0) }
        gate.open()
        writer.finishStream(0)
        let result = try #require(writer.join()[0])
        #expect(result.failure == nil && result.counts == [165] && result.shed == [[]])
    }

    @Test(
        "the safety copy's disk hangs and leaves frames out; the recording's own file has them all, and the reverse"
    )
    func copy() throws {
        for hanging in 0...1 {
            let quick: @Sendable (String, Int64) -> Int32 = { _, _ in 0 }
            let disks = [
                try TestDisk(limit: 1 << 20, index: 0, beforeWrite: hanging == 0 ? gate.wait : quick),
                try TestDisk(limit: 1 << 20, index: 1, beforeWrite: hanging == 1 ? gate.wait : quick),
            ]
            let writer = try MovieWriter(
                disks.map(\.disk), relativePath: "desk.mov", streams: [track(.mjpeg)],
                startedAt: Date(timeIntervalSince1970: 0))
            // Its thread has made the safety copy's file.
            writer.begin(startedAt: Date(timeIntervalSince1970: 0))
            while writer.file(1)?.finishingByteCount == 0 {}
            gate.shut()
            for tick in Int64(0)..<15 { writer.append(packet(tick, bytes: 10_000), stream: 0) }
            gate.waitUntilSomebodyWaits()
            for tick in Int64(15)..<165 {
                writer.append(packet(tick, bytes: 10_000), stream: 0)
                // The other disk keeps up.
                while disks[1 - hanging].disk.memory.byteCount > 100_000 {}
            }
            gate.open()
            writer.finishStream(0)
            let results = writer.join()
            #expect(results[hanging]?.counts == [67] && results[1 - hanging]?.counts == [165])
            #expect(results[1 - hanging]?.shed == [[]])
        }
    }

    /// Waits at the gate with what is written to one file, and with nothing else.
    private func onlyWaiting(for name: String) -> @Sendable (String, Int64) -> Int32 {
        { [gate] path, end in path.hasSuffix("/\(name)") ? gate.wait(path, end) : 0 }
    }

    @Test("a file whose end takes a slow disk long keeps none of the next one's frames from it")
    func split() throws {
        let disk = try TestDisk(limit: 1 << 20, beforeWrite: onlyWaiting(for: "desk.mov"))
        let writer = try MovieWriter(
            [disk.disk], relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        let file = try #require(writer.file(0))
        for tick in Int64(0)..<10 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        while disk.disk.memory.byteCount > 0 {}
        gate.shut()
        writer.split(MovieWriter.Part(relativePath: "desk-2.mov", start: rate.time(ofTick: 10)))
        for tick in Int64(10)..<310 {
            writer.append(packet(tick, bytes: 10_000), stream: 0)
            while disk.disk.memory.byteCount > 100_000, file.shedCount == 0 {}
        }
        gate.waitUntilSomebodyWaits()
        #expect(file.shedCount == 0 && !writer.isSplitting)
        // What the first file still needs is reckoned with.
        #expect(file.finishingByteCount > 10_000)
        gate.open()
        writer.setEnd(rate.time(ofTick: 310))
        writer.finishStream(0)
        let result = try #require(writer.join()[0])
        #expect(result.failure == nil && result.splitFailure == nil && result.counts == [310])
        #expect(result.closed.map(\.relativePath) == ["desk.mov", "desk-2.mov"])
    }

    @Test("a file that cannot be finished after a split stays as it was, and the next goes on")
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

    @Test("audio goes on in its next file while a slow disk finishes the one before")
    func splitAudio() throws {
        let disk = try TestDisk(audio: 200_000, beforeWrite: onlyWaiting(for: "host.wav"))
        let wave = try WaveWriter(
            [disk.disk], relativePath: "host.wav", channels: 1, startedAt: Date(timeIntervalSince1970: 0))
        let file = try #require(wave.file(0))
        let block = [Float](repeating: 0.5, count: 4800)
        wave.append(block)
        gate.shut()
        wave.split(
            WaveWriter.Part(relativePath: "host-2.wav", firstSample: 4800),
            startedAt: Date(timeIntervalSince1970: 0))
        for _ in 0..<100 {
            wave.append(block)
            while file.backlog > .zero, file.silencedCount == 0 {}
        }
        gate.waitUntilSomebodyWaits()
        #expect(file.silencedCount == 0)
        gate.open()
        wave.finish()
        let result = try #require(wave.join()[0])
        #expect(result.failure == nil && result.sampleCount == 101 * 4800)
        #expect(result.closed.map(\.relativePath) == ["host.wav", "host-2.wav"])
    }

    @Test("a safety copy's disk that does not even make its file keeps nobody from beginning")
    func copyThatHangsAtOnce() throws {
        let disks = [try TestDisk(), try TestDisk(index: 1, beforeWrite: gate.wait)]
        gate.shut()
        let writer = try MovieWriter(
            disks.map(\.disk), relativePath: "desk.mov", streams: [track(.mjpeg)],
            startedAt: Date(timeIntervalSince1970: 0))
        let wave = try WaveWriter(
            disks.map(\.disk), relativePath: "host.wav", channels: 1,
            startedAt: Date(timeIntervalSince1970: 0))
        gate.waitUntilSomebodyWaits()
        for tick in Int64(0)..<30 { writer.append(packet(tick, bytes: 1000), stream: 0) }
        wave.append([Float](repeating: 0.5, count: 48_000))
        gate.open()
        writer.finishStream(0)
        wave.finish()
        let (movies, waves) = (writer.join(), wave.join())
        #expect([0, 1].allSatisfy { movies[$0]?.counts == [30] && waves[$0]?.sampleCount == 48_000 })
    }

    @Test("a safety copy's file that cannot be made is that file's failure, and the recording's is whole")
    func copyThatCannotBeMade() throws {
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

    @Test("audio that finds no room is silence of the same length, and counted")
    func audio() throws {
        // Room for 87 blocks of 4800 samples.
        let disk = try TestDisk(audio: 87 * 19_200 + 100, beforeWrite: gate.wait)
        let wave = try WaveWriter(
            [disk.disk], relativePath: "host.wav", channels: 1, startedAt: Date(timeIntervalSince1970: 0))
        gate.shut()
        let block = [Float](repeating: 0.5, count: 4800)
        // Half a second is written at once, which does not return.
        for _ in 0..<5 { wave.append(block) }
        gate.waitUntilSomebodyWaits()
        for _ in 0..<100 { wave.append(block) }
        let file = try #require(wave.file(0))
        #expect(file.silencedCount == 13 * 4800)
        gate.open()
        while file.finishingByteCount > 100_000 {}
        wave.append(block)
        wave.finish()
        let result = try #require(wave.join()[0])
        #expect(result.failure == nil && result.sampleCount == 106 * 4800)
        #expect(result.silenced == [92 * 4800..<105 * 4800])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: disk.path + "/host.wav"))
        let body = [UInt8](bytes.suffix(106 * 4800 * 3))
        func isSilent(_ blocks: Range<Int>) -> Bool {
            body[blocks.lowerBound * 14_400..<blocks.upperBound * 14_400].allSatisfy { $0 == 0 }
        }
        #expect(isSilent(92..<105) && !isSilent(91..<92) && !isSilent(105..<106))
    }
}
