import Foundation
import Glibc
import MulticamMedia
import MulticamSeededNoise
import Testing

@testable import MulticamSynchrony

@Suite("sync-check with audio")
struct SyncCheckTests {
    private let rate = 8000.0

    private func findings(_ audioBlocks: [SyntheticAudio]) throws -> SyncFindings {
        let session = try SyntheticSession(audioBlocks.enumerated().map { ("mic\($0.offset)", $0.element) })
        return try SyncCheck(try CheckedSession(folder: session.folder)).run(version: "0.0.0")
    }

    // MARK: What cannot be known

    private func uninformative(seed: UInt64) -> [SyntheticAudio] {
        var generator = SeededGenerator(seed: seed * 31)
        let seconds = [8.0, 14, 26][Int(seed % 3)]
        // Both rooms have the same mains hum with the same phase, quieter than the noise of each room.
        let hum = seed % 4 == 0 ? 0 : 0.002 * generator.fraction()
        let phases = (0..<16).map { _ in 2 * Double.pi * generator.fraction() }
        return (0..<2).map { microphone in
            var audio = SyntheticAudio(seconds: seconds, rate: rate)
            guard seed % 20 != 7 || microphone == 0 else { return audio }
            audio.noise(0.0005 + 0.02 * generator.fraction(), seed: seed * 2 + UInt64(microphone))
            if hum > 0 { audio.hum(hum, phases: phases) }
            // Objects fall down in each room, at different times.
            if seed % 5 == 1 {
                for _ in 0..<4 {
                    let second = 1 + (seconds - 2) * generator.fraction()
                    audio.add(from: second, lasting: 0.1) {
                        0.4 * exp(-$0 / 0.01) * sin(2 * .pi * 700 * $0)
                    }
                }
            }
            return audio
        }
    }

    @Test(
        "The result for noise, hum, silence, and sounds in only one room is unknown: 200 seeded pairs",
        arguments: 0..<4)
    func nothing(quarter: UInt64) throws {
        for seed in quarter * 50..<(quarter + 1) * 50 {
            let findings = try findings(uninformative(seed: seed))
            #expect(findings.verdict == .unknown, "\(seed): \(findings)")
            #expect(
                findings.tracks.allSatisfy { $0.drift == nil && $0.start == nil && $0.end == nil }, "\(seed)")
            #expect(findings.tracks.last?.note != nil)
        }
    }

    // MARK: What can

    @Test(
        "Beeps give the offset to 0.1 ms and the drift to 1 ppm; positive values mean later",
        arguments: [(0.0, 0.0), (0.0321, 0), (-0.2, 0), (0.001, 25), (-0.003, -80)])
    func beeps(offset: Double, drift: Double) throws {
        let audioBlocks = (0..<2).map { microphone -> SyntheticAudio in
            var audio = SyntheticAudio(seconds: 64, rate: 16_000)
            audio.noise(0.001, seed: UInt64(microphone + 1))
            for second in 1..<63 {
                let time = Double(second)
                audio.beep(at: microphone == 0 ? time : time * (1 + drift * 1e-6) + offset)
            }
            return audio
        }
        let findings = try findings(audioBlocks)
        let track = try #require(findings.tracks.last)
        #expect(track.method == .claps)
        #expect(findings.tracks.first?.verdict == .reference)
        for measured in [try #require(track.start), try #require(track.end)] {
            let truth = offset + drift * 1e-6 * Double(measured.at.nanoseconds) / 1e9
            #expect(abs(measured.offset.inSeconds - truth) < 0.000_1)
        }
        #expect(abs(try #require(track.drift) - drift) < 1)
        let worst = max(abs(offset), abs(offset + drift * 1e-6 * 48))
        #expect(track.verdict == (worst > 0.005 ? .apart : .aligned))
    }

    @Test(
        "Speech with echoes, as loud as the noise, gives the offset to 0.3 ms and the drift to 3 ppm",
        arguments: [(1, 0.0, 0.0), (2, 0.0213, 0), (3, -0.31, 30), (4, 0.105, -100)]
            as [(UInt64, Double, Double)])
    func speech(seed: UInt64, offset: Double, drift: Double) throws {
        let room = SyntheticRoom(seed: seed, seconds: 52, rate: rate, echoes: 8)
        // Audio between the two windows isn't analyzed.
        let heard = [0.0..<12.5, 39.5..<52]
        let findings = try findings([
            room.microphone(0, in: heard), room.microphone(1, offset: offset, drift: drift, in: heard),
        ])
        let track = try #require(findings.tracks.last)
        #expect(track.method == .correlation, "\(track)")
        for measured in [try #require(track.start), try #require(track.end)] {
            let truth = offset + drift * 1e-6 * Double(measured.at.nanoseconds) / 1e9
            #expect(abs(measured.offset.inSeconds - truth) < 0.000_3, "\(measured) instead of \(truth)")
        }
        #expect(abs(try #require(track.drift) - drift) < 3)
        #expect(track.verdict == (abs(offset) > 0.006 ? .apart : .aligned))
    }

    @Test("The result for three seconds is unknown; for five seconds, only the drift is, with a note")
    func short() throws {
        let three = try findings((0..<2).map { _ in SyntheticAudio(seconds: 3, rate: rate) })
        #expect(three.verdict == .unknown)
        var audio = SyntheticAudio(seconds: 5, rate: rate)
        for second in [1.0, 2, 3, 4] { audio.beep(at: second) }
        let five = try findings([audio, audio])
        #expect(five.verdict == .aligned)
        #expect(five.tracks.last?.drift == nil)
        #expect(five.tracks.last?.note?.contains("drift") == true)
    }

    @Test("Late claps in a long recording are searched for up to five minutes from either end")
    func late() throws {
        let audioBlocks = (0..<2).map { microphone -> SyntheticAudio in
            var audio = SyntheticAudio(seconds: 400, rate: rate)
            for second in [130.0, 131, 132, 290, 291.3, 293] {
                audio.beep(at: second + 0.002 * Double(microphone))
            }
            return audio
        }
        let track = try #require(try findings(audioBlocks).tracks.last)
        #expect(track.claps?.count == 6)
        #expect(track.verdict == .aligned)
    }

    // MARK: Folders

    @Test("A folder that can't be measured is rejected with the reason")
    func folders() throws {
        let session = try SyntheticSession([("host", SyntheticAudio(seconds: 1, rate: rate))])
        func reason() -> String {
            do throws(SyncCheckError) {
                _ = try CheckedSession(folder: session.folder)
                return "none"
            } catch {
                return error.description
            }
        }
        #expect(reason() == "none")
        let track: [String: Any] = [
            "name": "host", "kind": "microphone", "file": "audio/host.wav", "stream": 0, "codec": "pcm_s24le",
            "first_ns": 0, "duration_ns": 1,
        ]
        try session.write(session.manifest(tracks: [], duration: 1, outcome: "recording"))
        #expect(reason().contains("multicam recover"))
        try session.write(session.manifest(tracks: [], duration: 1))
        #expect(reason().contains("no tracks"))
        try session.write(
            session.manifest(tracks: [track.merging(["file": "../host.wav"]) { $1 }], duration: 1))
        #expect(reason().contains("outside"))
        try session.write(
            session.manifest(tracks: [track.merging(["file": "audio/gone.wav"]) { $1 }], duration: 1))
        #expect(reason().contains("audio/gone.wav"))
        try session.write(session.manifest(tracks: [track.merging(["kind": "camera"]) { $1 }], duration: 1))
        #expect(reason().contains("no frame rate"))
        try session.write(["schema": 1])
        #expect(reason().contains("lacks the field multicam"))
        try Data("{".utf8).write(to: URL(fileURLWithPath: session.folder + "/manifest.json"))
        #expect(reason().contains("isn't valid JSON"))
        try FileManager.default.removeItem(atPath: session.folder + "/manifest.json")
        #expect(reason().contains("no manifest.json"))
    }
}
