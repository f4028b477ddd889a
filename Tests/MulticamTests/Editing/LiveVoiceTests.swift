import Foundation
import Interchange
import Media
import Session
import SessionFolder
import Setup
import Testing

@Suite("A program cut by voice")
struct LiveVoiceTests {
    private static let profile = """
        cameras:
          one: { device: "virtual:clap?size=128x72", rate: 30 }
          two: { device: "virtual:clap?size=128x72", rate: 30 }
        microphones:
          first: { device: "file:FOLDER/first.wav", camera: one }
          second: { device: "file:FOLDER/second.wav", camera: two }
        program: { size: 128x72, rate: 30, layout: grid, cut: voice, shortest: 1s }
        tracks: { cameras: none, microphones: wav }
        """

    /// Writes a talk of two who take turns every three seconds, each heard by the other 12 dB lower.
    private static func talk(in folder: URL) throws {
        let noise = (0..<48_000 * 14).map {
            (Int32(truncatingIfNeeded: $0 &* 1_103_515_245 &+ 12_345) >> 16) % 60
        }
        for (index, name) in ["first", "second"].enumerated() {
            let samples = noise.indices.map { time -> Int16 in
                let second = Double(time) / 48_000
                let turn = Int((second - 2) / 3)
                let syllable = second.truncatingRemainder(dividingBy: 0.25) < 0.2
                guard second >= 2, second < 11, syllable else { return Int16(noise[time]) }
                let level = turn % 2 == index ? 8000.0 : 2000
                return Int16(level * sin(2 * .pi * 700 * second)) + Int16(noise[time])
            }
            var file = Data("RIFF".utf8)
            func append(_ number: UInt32) {
                withUnsafeBytes(of: number.littleEndian) { file.append(contentsOf: $0) }
            }
            append(UInt32(36 + samples.count * 2))
            file.append(Data("WAVEfmt ".utf8))
            for number in [16, 0x0001_0001, 48_000, 96_000, 0x0010_0002] as [UInt32] { append(number) }
            file.append(Data("data".utf8))
            append(UInt32(samples.count * 2))
            samples.withUnsafeBytes { file.append(contentsOf: $0) }
            try file.write(to: folder.appending(path: name + ".wav"))
        }
    }

    @Test("shows who speaks within 0.9 s, and everybody when nobody does, however slow the computer")
    func live() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "multicam-voice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("left behind: \(folder.path): \(error)")
            }
        }
        try Self.talk(in: folder)
        let text = Self.profile.replacingOccurrences(of: "FOLDER", with: folder.path)
        var setup: SessionSetup?
        let recording = try await Recording(
            text, seconds: 13, changing: { setup = $0 },
            steer: { session in setup?.followVoices(of: session) })
        let arrangements = try #require(recording.manifest.arrangements)
        let shown = arrangements.map { $0.layers.map(\.role) }
        #expect(shown == [["one", "two"], ["one"], ["two"], ["one"], ["one", "two"]], "\(arrangements)")
        for (arrangement, second) in zip(arrangements.dropFirst(), [2, 5, 8, 11.0]) {
            let late = Double(arrangement.at_ns) / 1e9 - second
            #expect((0...0.9).contains(late), "\(late) s after \(second) s")
        }
    }

    @Test("asks for the camera of a microphone where the profile has none")
    func asks() async throws {
        let text =
            "cameras: { a: { device: \"virtual:clap\" } }\nmicrophones: { m: { device: \"virtual:tone\" } }\nprogram: { cut: voice }"
        let error = await #expect(throws: SetupError.self) { _ = try await Recording(text, seconds: 1) }
        #expect(
            "\(error.map { "\($0)" } ?? "")".contains(
                "microphones.m.camera: found no camera, expected the camera"))
    }
}
