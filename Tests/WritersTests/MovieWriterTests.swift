import Containers
import Foundation
import Media
import TestDisks
import Testing

@testable import Writers

@Suite("A movie's writer and its parts")
struct MovieWriterTests {
    private let rate = FrameRate(30, per: 1)

    /// Makes a movie of some streams of frames, has it written to, and closes it.
    private func write(
        streams: Int, _ body: (MovieWriter) -> Void
    ) throws -> (result: FileResult<SegmentedMovie>, files: [String]) {
        let disk = try TestDisk()
        let parameters = StreamParameters(
            codec: .mjpeg, timeScale: 30, size: FrameSize(width: 320, height: 180), rate: rate)
        let tracks = (0..<streams).map {
            MovieTrack.video(parameters, rotation: .none, name: "camera \($0)")
        }
        let writer = try MovieWriter(
            [disk.disk], relativePath: "a.mov", streams: tracks, startedAt: Date(timeIntervalSince1970: 0))
        body(writer)
        let result = try #require(writer.join()[0])
        return (result, try disk.movies())
    }

    private func part(_ number: Int, at tick: Int64) -> MovieWriter.Part {
        MovieWriter.Part(relativePath: "a-\(number).mov", start: rate.time(ofTick: tick))
    }

    private func append(_ ticks: Range<Int64>, to stream: Int, of writer: MovieWriter) {
        for tick in ticks {
            let bytes = SharedBytes([0xFF, 0xD8, UInt8(tick % 256), 0xFF, 0xD9])
            writer.append(
                EncodedPacket(bytes: bytes, presentation: tick, decode: tick, duration: 1, isKey: true),
                stream: stream)
        }
    }

    @Test("A stream that is finished, or has nothing to send, keeps no other from its next file")
    func absent() throws {
        let (result, files) = try write(streams: 3) { writer in
            append(0..<10, to: 0, of: writer)
            append(0..<10, to: 1, of: writer)
            append(0..<10, to: 2, of: writer)
            writer.finishStream(1)
            for number in 2...3 {
                let tick = Int64(number - 1) * 10
                writer.split(part(number, at: tick))
                append(tick..<tick + 10, to: 0, of: writer)
                writer.pass(2)
            }
            // Back in the third file.
            append(25..<30, to: 2, of: writer)
            writer.setEnd(rate.time(ofTick: 30))
            writer.finishStream(0)
            writer.finishStream(2)
        }
        #expect(result.failure == nil)
        #expect(result.counts == [30, 10, 15])
        #expect(result.parts.map(\.relativePath) == ["a-2.mov", "a-3.mov"])
        #expect(files == ["a-2.mov", "a-3.mov", "a.mov"])
    }

    @Test("A file that has failed has no parts after it, and keeps nobody waiting")
    func failed() throws {
        let (result, files) = try write(streams: 1) { writer in
            append(5..<6, to: 0, of: writer)
            append(5..<6, to: 0, of: writer)
            writer.split(part(2, at: 10))
            append(10..<20, to: 0, of: writer)
            writer.finishStream(0)
        }
        #expect(result.failure != nil)
        #expect(result.parts.isEmpty && files == ["a.mov"])
    }

    @Test(
        "A part that every stream ended before is none, and a file that is closed asks nobody to wait for its next"
    )
    func ended() throws {
        let (result, files) = try write(streams: 2) { writer in
            append(0..<10, to: 0, of: writer)
            append(0..<5, to: 1, of: writer)
            writer.split(part(2, at: 10))
            writer.finishStream(0)
            writer.finishStream(1)
            _ = writer.join()
            writer.split(part(3, at: 20))
            #expect(!writer.isOpen && !writer.isSplitting)
        }
        #expect(result.failure == nil && result.counts == [10, 5])
        #expect(result.parts.isEmpty && files == ["a.mov"])
    }

    @Test("A split that the packets for the last one never came for completes that one")
    func overtaken() throws {
        let (result, files) = try write(streams: 2) { writer in
            append(0..<10, to: 0, of: writer)
            append(0..<10, to: 1, of: writer)
            writer.split(part(2, at: 10))
            // Of stream 1 nothing found room.
            append(10..<20, to: 0, of: writer)
            writer.split(part(3, at: 20))
            append(20..<30, to: 0, of: writer)
            append(20..<30, to: 1, of: writer)
            writer.setEnd(rate.time(ofTick: 30))
            writer.finishStream(0)
            writer.finishStream(1)
        }
        #expect(result.failure == nil && result.counts == [30, 20])
        #expect(result.parts.map(\.relativePath) == ["a-2.mov", "a-3.mov"])
        #expect(files == ["a-2.mov", "a-3.mov", "a.mov"])
    }

    @Test("Of two disks one that hangs keeps the other from no part")
    func hangingDisk() throws {
        let gate = Gate()
        let disks = [try TestDisk(), try TestDisk(index: 1, beforeWrite: gate.wait)]
        let parameters = StreamParameters(
            codec: .mjpeg, timeScale: 30, size: FrameSize(width: 320, height: 180), rate: rate)
        let writer = try MovieWriter(
            disks.map(\.disk), relativePath: "a.mov",
            streams: [MovieTrack.video(parameters, rotation: .none, name: "camera")],
            startedAt: Date(timeIntervalSince1970: 0))
        gate.shut()
        for number in 2...3 {
            let tick = Int64(number - 1) * 30
            append(tick == 30 ? 0..<30 : 31..<60, to: 0, of: writer)
            writer.split(part(number, at: tick))
            append(tick..<tick + 1, to: 0, of: writer)
            // On the other disk it is done with.
            while writer.isSplitting {}
        }
        gate.open()
        append(61..<90, to: 0, of: writer)
        writer.setEnd(rate.time(ofTick: 90))
        writer.finishStream(0)
        let results = writer.join()
        for disk in 0...1 {
            #expect(results[disk]?.failure == nil && results[disk]?.parts.count == 2)
            #expect(try disks[disk].movies() == ["a-2.mov", "a-3.mov", "a.mov"])
        }
    }

    @Test("Audio goes on in its file where the next cannot be begun, and that is said")
    func waveWithoutNext() throws {
        let disk = try TestDisk()
        let wave = try WaveWriter(
            [disk.disk], relativePath: "host.wav", channels: 1, startedAt: Date(timeIntervalSince1970: 0))
        try Data().write(to: URL(fileURLWithPath: disk.path + "/host-2.wav"))
        let block = [Float](repeating: 0.5, count: 4800)
        wave.append(block)
        wave.split(
            WaveWriter.Part(relativePath: "host-2.wav", firstSample: 4800),
            startedAt: Date(timeIntervalSince1970: 0))
        wave.append(block)
        wave.finish()
        let result = try #require(wave.join()[0])
        #expect(result.failure == nil && result.splitFailure != nil && result.parts.isEmpty)
        #expect(result.sampleCount == 9600 && result.closed.map(\.relativePath) == ["host.wav"])
    }
}
