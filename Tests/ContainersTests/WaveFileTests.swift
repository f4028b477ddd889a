import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("A wave file")
struct WaveFileTests {
    private let folder: Folder
    private let broadcast: BroadcastExtension

    init() throws {
        folder = try Folder()
        broadcast = BroadcastExtension(
            description: "host of interview", reference: "2026-11-21_142310",
            start: LocalTime(MovieFile.date, secondsFromGMT: 3600))
    }

    /// Seeded noise, preceded by edge cases of rounding and clipping.
    private static func samples(_ count: Int) -> [Float] {
        var state: UInt32 = 1
        let special: [Float] = [0, 1, -1, 1.5, -1.5, .nan, .infinity, 0.5 / 8_388_608, -0.5 / 8_388_608]
        return special
            + (special.count..<count).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return Float(Int32(bitPattern: state)) / 2_147_483_648
            }
    }

    private func decoded(_ path: String, _ format: String) throws -> Data {
        try Program.run("ffmpeg", ["-v", "error", "-i", path, "-f", format, "-"])
    }

    private func integers(_ data: Data, bytes: Int) -> [Int] {
        stride(from: 0, to: data.count, by: bytes).map { place in
            let value = (0..<bytes).reduce(0) { $0 | Int(data[place + $1]) << (8 * $1) }
            return value >= 1 << (bytes * 8 - 1) ? value - 1 << (bytes * 8) : value
        }
    }

    @Test(
        "contains every sample rounded to the nearest step",
        arguments: [
            (depth: WaveFile.Depth.integer24, channels: 1, form: "s24le", scale: 8_388_608),
            (depth: .integer24, channels: 2, form: "s24le", scale: 8_388_608),
            (depth: .integer24, channels: 4, form: "s24le", scale: 8_388_608),
            (depth: .integer16, channels: 1, form: "s16le", scale: 32_768),
        ] as [(depth: WaveFile.Depth, channels: Int, form: String, scale: Double)])
    func samples(depth: WaveFile.Depth, channels: Int, form: String, scale: Double) throws {
        let given = Self.samples(30_001 * channels)
        let file = try WaveFile(
            path: folder.file("host.wav"), format: AudioFormat(rate: 48_000, channels: channels),
            depth: depth,
            broadcast: broadcast)
        for start in stride(from: 0, to: given.count, by: 480 * channels) {
            try file.append(samples: Array(given[start..<min(start + 480 * channels, given.count)]))
        }
        #expect(file.sampleCount == 30_001)
        #expect(try file.finish() == 30_001)
        let read = integers(try decoded(file.path, form), bytes: depth.rawValue / 8)
        let expected = given.map { sample in
            sample.isNaN ? 0 : Int(min(max((Double(sample) * scale).rounded(), -scale), scale - 1))
        }
        #expect(read == expected)
        let probe = try Probe(file.path)
        #expect(probe.streams[0].channels == channels)
        #expect(probe.streams[0].durationSeconds.map { abs($0 - 30_001 / 48_000) < 1e-6 } == true)
    }

    @Test("contains its start time and origin")
    func origin() throws {
        let file = try WaveFile(
            path: folder.file("host.wav"), format: AudioFormat(rate: 48_000, channels: 1),
            broadcast: broadcast)
        try file.append(samples: Self.samples(101))
        try file.finish()
        let tags = try #require(try Probe(file.path).format.tags)
        #expect(tags["time_reference"] == "\((14 * 3600 + 23 * 60 + 10) * 48_000)")
        #expect(tags["originator"] == "multicam" || tags["encoded_by"] == "multicam")
        #expect(tags["originator_reference"] == "2026-11-21_142310")
        #expect(tags["date"] == "2026-11-21")
        #expect(tags["creation_time"] == "14:23:10")
        #expect(tags["comment"] == "host of interview")
        let data = try Data(contentsOf: URL(filePath: file.path))
        #expect(data.count % 2 == 0)
        #expect(data.littleNumber(at: 4, bytes: 4) == data.count - 8)
    }

    @Test("plays all but the last half second while it is being written")
    func killed() throws {
        let given = Self.samples(60_000)
        let file = try WaveFile(
            path: folder.file("host.wav"), format: AudioFormat(rate: 48_000, channels: 1),
            broadcast: broadcast)
        for start in stride(from: 0, to: given.count, by: 480) {
            try file.append(samples: Array(given[start..<start + 480]))
        }
        let read = integers(try decoded(file.path, "s24le"), bytes: 3)
        #expect(read.count == 48_000)
        #expect(read.last == Int((given[47_999] * 8_388_608).rounded()))
        file.abandon()
    }

    @Test("switches to RF64 beyond 4 GiB")
    func large() throws {
        let file = try WaveFile(
            path: folder.file("host.wav"), format: AudioFormat(rate: 48_000, channels: 1),
            broadcast: broadcast)
        try file.append(samples: [0.25])
        try file.appendHole(sampleCount: 2_000_000_000)
        try file.append(samples: [0.5])
        #expect(try file.finish() == 2_000_000_002)
        let duration = try Probe.duration(file.path)
        #expect(duration.map { abs($0 - 2_000_000_002 / 48_000) < 1e-3 } == true)
        let tail = try Program.run(
            "ffmpeg", ["-v", "error", "-ss", "41666.6", "-i", file.path, "-f", "s24le", "-"])
        #expect(integers(tail, bytes: 3).last == 4_194_304)
    }

    @Test("keeps its data if the disk is full, and can then be finished")
    func diskFull() throws {
        let file = try WaveFile(
            path: folder.file("host.wav"), format: AudioFormat(rate: 48_000, channels: 1), depth: .integer24,
            broadcast: broadcast, diskCapacity: 100_000)
        try file.append(samples: Self.samples(24_000))
        let error = #expect(throws: FileError.self) { try file.append(samples: Self.samples(24_000)) }
        #expect(error?.errno == ENOSPC)
        #expect(throws: FileError.self) { try file.append(samples: [0]) }
        #expect(try file.finish() == 24_000)
        #expect(try decoded(file.path, "s24le").count == 72_000)
    }

    @Test("never overwrites an existing file")
    func exists() throws {
        let path = folder.file("host.wav")
        try Data("mine".utf8).write(to: URL(filePath: path))
        let error = #expect(throws: FileError.self) {
            _ = try WaveFile(path: path, format: AudioFormat(rate: 48_000, channels: 1), broadcast: broadcast)
        }
        #expect(error?.errno == EEXIST)
    }
}
