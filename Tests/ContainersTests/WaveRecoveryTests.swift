import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("Recovery of a wave file after a crash")
struct WaveRecoveryTests {
    private let folder: Folder
    private let format = AudioFormat(rate: 48_000, channels: 1)

    init() throws {
        folder = try Folder()
    }

    /// A file with a ramp of 1.5 s, followed by samples that were not written yet.
    private func makeKilledFile(hole: Int64 = 0) throws -> (path: String, content: Data) {
        let file = try WaveFile(
            path: folder.file("host-\(hole).wav"), format: format, depth: .integer24,
            broadcast: BroadcastExtension(
                description: "host", reference: "host", start: LocalTime(MovieFile.date, secondsFromGMT: 0)))
        if hole > 0 { try file.appendHole(sampleCount: hole) }
        for second in 0..<3 { try file.append(samples: (0..<24_000).map { Float($0 + second) / 100_000 }) }
        try file.append(samples: [Float](repeating: 0.5, count: 100))
        file.abandon()
        return (file.path, hole > 0 ? Data() : try Data(contentsOf: URL(filePath: file.path)))
    }

    @Test("a truncated file keeps every written sample and is padded with silence to the given end")
    func everyOffset() throws {
        let (_, content) = try makeKilledFile()
        let header = content.count - 72_000 * 3
        for cut in Array(stride(from: 0, to: header + 40, by: 1))
            + Array(stride(from: header + 40, through: content.count, by: 7919))
        {
            let path = folder.file("torn.wav")
            try content.prefix(cut).write(to: URL(filePath: path))
            guard cut >= header else {
                let error = #expect(throws: FileError.self) { _ = try WaveRecovery(path: path) }
                #expect(error?.errno == 0)
                continue
            }
            let count = Int64((cut - header) / 3)
            let remains = try WaveRecovery(path: path)
            #expect(remains.sampleCount == count)
            #expect(try remains.repair(sampleCount: 80_001) == 80_001)
            let whole = try Data(contentsOf: URL(filePath: path))
            #expect(
                whole.dropFirst(header).prefix(Int(count) * 3)
                    == content.dropFirst(header).prefix(Int(count) * 3))
            #expect(whole.dropFirst(header + Int(count) * 3).allSatisfy { $0 == 0 })
            #expect(whole.count == header + 80_001 * 3 + 1)
        }
    }

    @Test(
        "a truncated and padded file is readable by ffprobe, and a second recovery does not change it",
        arguments: [71_999, 72_000, 96_000])
    func lengths(count: Int64) throws {
        let (path, content) = try makeKilledFile()
        try WaveRecovery(path: path).repair(sampleCount: count)
        let probe = try Probe(path)
        #expect(probe.streams[0].duration == Probe.seconds(count, of: 48_000))
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(whole.count >= content.count)
        let disk = FileChangeRecorder()
        let again = try WaveRecovery(path: path, disk: disk.hooks)
        #expect(again.isPlain && again.sampleCount == count)
        try again.repair(sampleCount: count)
        #expect(disk.changes.isEmpty)
    }

    @Test("a recovery can be interrupted at any write")
    func interrupted() throws {
        let (path, content) = try makeKilledFile()
        let torn = content.prefix(content.count - 5000)
        try torn.write(to: URL(filePath: path))
        let disk = FileChangeRecorder()
        try WaveRecovery(path: path, disk: disk.hooks).repair(sampleCount: 72_000)
        let whole = try Data(contentsOf: URL(filePath: path))
        for step in 0...disk.changes.count {
            let left = FileChangeRecorder.content(
                after: [.write([UInt8](torn), at: 0)] + disk.changes[..<step])
            try left.write(to: URL(filePath: path))
            let remains = try WaveRecovery(path: path)
            #expect(remains.sampleCount >= 70_333)
            try remains.repair(sampleCount: 72_000)
            #expect(try Data(contentsOf: URL(filePath: path)) == whole)
        }
    }

    @Test("a file can exceed 4 GiB")
    func large() throws {
        let hole: Int64 = 1_500_000_000
        let (path, _) = try makeKilledFile(hole: hole)
        do {
            // The object locks the file during its lifetime.
            let remains = try WaveRecovery(path: path)
            #expect(remains.isPlain && remains.sampleCount == hole + 72_000)
            try remains.repair(sampleCount: hole + 100_000)
        }
        #expect(try WaveRecovery(path: path).sampleCount == hole + 100_000)
    }

    @Test("a file from another program is rejected")
    func foreign() throws {
        let path = folder.file("foreign.wav")
        try Program.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "anullsrc=d=0.1", path])
        let error = #expect(throws: FileError.self) { _ = try WaveRecovery(path: path) }
        #expect(error?.detail.contains("not a Broadcast Wave file recorded by multicam") == true)
    }
}

extension Probe {
    /// Returns a duration in ffprobe's format, in microseconds.
    static func seconds(_ count: Int64, of rate: Int64) -> String {
        let micros = (count * 1_000_000 + rate / 2) / rate
        let rest = String(micros % 1_000_000)
        return "\(micros / 1_000_000)." + String(repeating: "0", count: 6 - rest.count) + rest
    }
}
