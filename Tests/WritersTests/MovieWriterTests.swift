import Foundation
import MulticamContainers
import MulticamMedia
import MulticamTestDisks
import Testing

@testable import MulticamWriters

/// Returns captured audio of one channel.
func tone(_ count: Int) -> AudioBlock {
    AudioBlock(Array(repeating: 0.5, count: count), fates: AudioFateRun(.captured, count: count))
}

@Suite("Movie writer with several parts")
struct MovieWriterTests {
    private let rate = FrameRate(30, per: 1)

    /// Creates a movie with some video streams, calls `body` to write it, and closes it.
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

    @Test("A finished or idle stream does not delay the next file of other streams")
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
                writer.skipSplit(2)
            }
            // The stream resumes in the third file.
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

    @Test("No parts are created after a file has failed, and callers are not blocked")
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
        "A part after the end of all streams is not created, and a closed file does not wait for one"
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

    @Test("A split completes the previous one if a stream has not sent packets since then")
    func overtaken() throws {
        let (result, files) = try write(streams: 2) { writer in
            append(0..<10, to: 0, of: writer)
            append(0..<10, to: 1, of: writer)
            writer.split(part(2, at: 10))
            // All packets of stream 1 were dropped.
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

    @Test("A hanging disk does not prevent parts on the other disk")
    func hangingDisk() throws {
        let gate = Gate()
        let disks = [try TestDisk(), try TestDisk(index: 1, beforeWrite: gate.wait)]
        let parameters = StreamParameters(
            codec: .mjpeg, timeScale: 30, size: FrameSize(width: 320, height: 180), rate: rate)
        let writer = try MovieWriter(
            disks.map(\.disk), relativePath: "a.mov",
            streams: [MovieTrack.video(parameters, rotation: .none, name: "camera")],
            startedAt: Date(timeIntervalSince1970: 0))
        gate.close()
        for number in 2...3 {
            let tick = Int64(number - 1) * 30
            append(tick == 30 ? 0..<30 : 31..<60, to: 0, of: writer)
            writer.split(part(number, at: tick))
            append(tick..<tick + 1, to: 0, of: writer)
            // The split is complete on the other disk.
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

    @Test("If the next file can't be created, audio continues in the current one, with a report")
    func waveWithoutNext() throws {
        let disk = try TestDisk()
        let wave = try WaveWriter(
            [disk.disk], relativePath: "host.wav", channels: 1, startedAt: Date(timeIntervalSince1970: 0))
        try Data().write(to: URL(fileURLWithPath: disk.path + "/host-2.wav"))
        let block = tone(4800)
        wave.append(block)
        wave.split(WaveWriter.Part(relativePath: "host-2.wav", firstSample: 4800))
        wave.append(block)
        wave.finish()
        let result = try #require(wave.join()[0])
        #expect(result.failure == nil && result.splitFailure != nil && result.parts.isEmpty)
        #expect(result.sampleCount == 9600 && result.closed.map(\.relativePath) == ["host.wav"])
    }
}

@Suite("Wave writer with several parts")
struct WaveWriterTests {
    @Test("parts continue the time of day of T0 across the change to daylight saving time")
    func daylightSaving() async {
        // The time zone applies to the whole process.
        await #expect(processExitsWith: .success) {
            // The clock changes by one hour at 2026-03-29 01:00 UTC.
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            tzset()
            let disk = try TestDisk()
            let start = Date(timeIntervalSince1970: 1_774_745_999)
            let wave = try WaveWriter([disk.disk], relativePath: "host.wav", channels: 1, startedAt: start)
            wave.begin(startedAt: start)
            let seconds = tone(96_000)
            wave.append(seconds)
            wave.split(WaveWriter.Part(relativePath: "host-2.wav", firstSample: 96_000))
            wave.append(seconds)
            wave.finish()
            _ = wave.join()
            try #require(
                LocalTime.secondsFromGMT(at: start + 2) == LocalTime.secondsFromGMT(at: start) + 3600)
            let first: UInt64 = (2 * 3600 - 1) * 48_000
            try #require(try Self.timeReference(disk.path + "/host.wav") == first)
            try #require(try Self.timeReference(disk.path + "/host-2.wav") == first + 96_000)
        }
    }

    @Test(
        "a track that begins late continues the time of day of T0 across the change from daylight saving time"
    )
    func lateTrack() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            tzset()
            let disk = try TestDisk()
            // The date is one second before 2026-10-25 01:00 UTC.
            let start = Date(timeIntervalSince1970: 1_792_889_999)
            let wave = try WaveWriter([disk.disk], relativePath: "host.wav", channels: 1, startedAt: start)
            wave.begin(startedAt: start, from: 96_000)
            wave.append(tone(4800))
            wave.finish()
            _ = wave.join()
            let origin: UInt64 = (3 * 3600 - 1) * 48_000
            try #require(try Self.timeReference(disk.path + "/host.wav") == origin + 96_000)
        }
    }

    /// Returns the number of samples since midnight, at byte 338 of the Broadcast Wave chunk (EBU Tech 3285).
    private static func timeReference(_ path: String) throws -> UInt64 {
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let chunk = try #require(file.range(of: Data("bext".utf8)))
        let field = file.dropFirst(chunk.upperBound + 4 + 338).prefix(8)
        return field.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
