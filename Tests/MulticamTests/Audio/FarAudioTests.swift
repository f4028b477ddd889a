import Foundation
internal import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

@Suite("an audio file as a microphone")
struct FarAudioTests {
    private func record(_ options: [String], seconds: Double) async throws -> Recording {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "multicam-far-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("left behind: \(folder.path): \(error)")
            }
        }
        let path = folder.path + "/sound.mka"
        try Reader.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=duration=2"] + options + [path])
        return try await Recording(
            "microphones: { host: { device: \"file:\(path)\" } }", seconds: seconds)
    }

    @Test(
        "a gap in the timestamps becomes silence; after a jump of more than a minute, audio continues",
        arguments: [(seconds: 30, isHole: true), (seconds: 3600 * 72, isHole: false)])
    func hole(seconds: Int, isHole: Bool) async throws {
        let recording = try await record(
            ["-ar", "48000", "-c:a", "pcm_s16le", "-af", "asetpts=PTS+gte(T\\,1)*\(seconds)/TB"], seconds: 2)
        #expect(try recording.track("host").samples?.written == 96_000)
        let wave = try Reader.audio(recording.path("audio/host.wav"))
        #expect(wave[24_000..<40_000].contains { $0 > 0.1 })
        #expect(wave[60_000..<94_000].allSatisfy { $0 == 0 } == isHole)
        #expect(recording.events.contains { $0.contains("timestamps jump forward by 3 days") } == !isHole)
    }

    @Test("a file with an unsupported sample rate is rejected")
    func rate() async throws {
        let error = await #expect(throws: (any Error).self) {
            _ = try await record(["-ar", "4000", "-c:a", "pcm_s16le"], seconds: 1)
        }
        #expect(
            error.map { "\($0)" }?.contains("only 1 to 8 channels at 8000 to 192000 Hz are supported")
                == true)
    }

    /// Matroska audio in blocks of 100 ms with arbitrary timestamps, which no program writes.
    private static let writer = """
        import struct, sys
        def element(code, content):
            return bytes.fromhex(code) + struct.pack('>Q', len(content) | 1 << 56) + content
        def number(value): return value.to_bytes(8, 'big')
        head = element('1A45DFA3', element('4282', b'matroska') + element('4287', number(4)) + element('4285', number(2)))
        info = element('1549A966', element('2AD7B1', number(1000000)) + element('4D80', b'x') + element('5741', b'x'))
        audio = element('B5', struct.pack('>d', 48000)) + element('9F', number(1)) + element('6264', number(16))
        track = element('AE', element('D7', number(1)) + element('73C5', number(1)) + element('83', number(2))
            + element('86', b'A_PCM/INT/LIT') + element('E1', audio))
        clusters = b''.join(element('1F43B675', element('E7', number(int(time)))
            + element('A3', bytes([0x81, 0, 0, 0x80]) + bytes([0x10, 0x20]) * 4800)) for time in sys.argv[2:])
        open(sys.argv[1], 'wb').write(head + element('18538067', info + element('1654AE6B', track) + clusters))
        """

    private func inFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "multicam-far-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("left behind: \(folder.path): \(error)")
            }
        }
        return try await body(folder.path)
    }

    @Test(
        "audio continues after timestamps jump by years, forward or back, and the jump is reported",
        arguments: [
            (["157680000000", "157680000100", "0", "100"], "backward by 1825 days"),
            (["0", "100", "157680000000"], "forward by 1824 days 23 h"),
        ])
    func jump(times: [String], sentence: String) async throws {
        try await inFolder { folder in
            let path = folder + "/jump.mkv"
            try Reader.run("python3", ["-c", Self.writer, path] + times)
            let recording = try await Recording(
                "microphones: { host: { device: \"file:\(path)\" } }", seconds: 2)
            #expect(try recording.track("host").samples?.written == 96_000)
            #expect(
                recording.events.contains { $0.contains("timestamps jump \(sentence)") },
                "\(recording.events.filter { $0.contains("jump") })")
        }
    }

    @Test(
        "a named pipe is rejected as a device and as a profile, without waiting for it",
        .timeLimit(.minutes(240)))
    func pipe() async throws {
        try await inFolder { folder in
            let path = folder + "/pipe"
            try Reader.run("mkfifo", [path])
            for kind in ["microphones", "cameras"] {
                let error = await #expect(throws: SetupError.self) {
                    _ = try await Recording("\(kind): { host: { device: \"file:\(path)\" } }", seconds: 1)
                }
                #expect(error?.description.contains("a named pipe") == true)
            }
            let error = #expect(throws: SetupError.self) {
                _ = try SessionSetup(SessionConfiguration(profile: path))
            }
            #expect(error?.description.contains("found a named pipe, expected") == true)
        }
    }
}
