import Foundation
import MulticamControl
import MulticamInterchange
import MulticamKit
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

@Suite("A program switched by voice")
struct VoiceSwitcherTests {
    private static let profile = """
        cameras:
          one: { device: "virtual:clap?size=128x72", rate: 30 }
          two: { device: "virtual:clap?size=128x72", rate: 30 }
        microphones:
          first: { device: "file:FOLDER/first.wav", camera: one }
          second: { device: "file:FOLDER/second.wav", camera: two }
        program: { size: 128x72, rate: 30, layout: grid, switching: voice, min_shot: 1s }
        tracks: { cameras: none, microphones: wav }
        """

    /// Writes a conversation of two speakers who take turns every three seconds. Each microphone records the
    /// other speaker 12 dB lower.
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

    /// Records the conversation.
    ///
    /// - Parameters:
    ///   - device: Selector of the second camera.
    ///   - microphone: Selector of the second microphone; `nil` for the conversation.
    ///   - wide: Whether there is a third camera.
    ///   - mode: How the profile selects shots.
    ///   - change: A closure that may replace sources.
    ///   - steer: Called once per second with the number of the call, starting at 0.
    /// - Returns: The start of each arrangement in seconds, and the cameras that it shows.
    /// - Throws: An error if the recording fails.
    private static func arrangements(
        second device: String = "virtual:clap", microphone: String? = nil, wide: Bool = false,
        mode: String = "voice", changing change: (inout SessionSetup) -> Void = { _ in },
        steer: (@Sendable (MulticamSession, SessionVoiceSwitcher, Int) throws -> Void)? = nil
    ) async throws -> [(at: Double, shown: [String])] {
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
        try talk(in: folder)
        var text = profile.replacingOccurrences(
            of: "two: { device: \"virtual:clap?size=128x72\"",
            with: "two: { device: \"\(device)\", size: 128x72")
        if let microphone {
            text = text.replacingOccurrences(of: "file:FOLDER/second.wav", with: microphone)
        }
        if wide {
            text = text.replacingOccurrences(
                of: "\nmicrophones:",
                with: "\n  room: { device: \"virtual:clap\", size: 128x72, rate: 30 }\nmicrophones:")
        }
        text = text.replacingOccurrences(of: "FOLDER", with: folder.path)
            .replacingOccurrences(of: "switching: voice", with: "switching: \(mode)")
        let switcher = ConditionLock<SessionVoiceSwitcher?>(nil)
        let host = steer.map { steer in
            ControllerHost { session, look in
                guard let switcher = switcher.withLock({ $0 }) else { return }
                #expect(throws: Never.self) { try steer(session, switcher, look) }
            }
        }
        var setup: SessionSetup?
        let recording = try await Recording(
            text, seconds: 14, host: host,
            changing: {
                change(&$0)
                setup = $0
            },
            steer: { session in
                let made = setup?.makeVoiceSwitcher(for: session)
                switcher.withLock { $0 = made }
                host?.attach(session)
            })
        return try #require(recording.manifest.arrangements).map {
            (Double($0.at_ns) / 1e9, $0.layers.map(\.role))
        }
    }

    @Test("shows the speaker within 0.9 s, and all cameras after both have been silent for 1.7 s")
    func live() async throws {
        let arrangements = try await Self.arrangements()
        #expect(
            arrangements.map(\.shown) == [["one", "two"], ["one"], ["two"], ["one"], ["one", "two"]],
            "\(arrangements)")
        for (arrangement, second) in zip(arrangements.dropFirst(), [2, 5, 8, 12.7]) {
            #expect((0...0.9).contains(arrangement.at - second), "\(arrangement) after \(second) s")
        }
    }

    @Test(
        "shows the other camera while the speaker's camera is disconnected, stalled, or frozen",
        arguments: [
            // The speaker of camera two talks from 5 to 8 s.
            (device: "virtual:clap?unplug=6.5", at: 6.3...6.8),
            (device: "virtual:clap?stall=6:3600", at: 6.8...7.6),
            (device: "virtual:bars", at: 0...3.0),
            (device: "virtual:clap?unplug=1", at: 0...3.0),
        ])
    func fault(device: String, at: ClosedRange<Double>) async throws {
        let arrangements = try await Self.arrangements(second: device)
        let before = at.lowerBound > 3 ? [["one"], ["two"]] : []
        #expect(arrangements.map(\.shown) == [["one", "two"]] + before + [["one"]], "\(arrangements)")
        #expect(arrangements.last.map { at.contains($0.at) } == true, "\(arrangements)")
    }

    @Test("shows the wide shot instead of a black camera")
    func black() async throws {
        let image = FileManager.default.temporaryDirectory.appending(path: "black-\(UUID().uuidString).png")
        try Reader.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "color=black:s=128x72", "-frames:v", "1", image.path])
        defer { unlink(image.path) }
        let arrangements = try await Self.arrangements(second: "virtual:still:\(image.path)", wide: true)
        #expect(!arrangements.dropFirst().contains { $0.shown.contains("two") }, "\(arrangements)")
        #expect(
            arrangements.contains { $0.shown == ["room"] && (5...6.0).contains($0.at) }, "\(arrangements)")
    }

    @Test(
        "shows a camera again after it returns",
        arguments: ["virtual:clap?unplug=6&replug=6.4", "virtual:clap?stall=5.6:1.3"])
    func back(device: String) async throws {
        let arrangements = try await Self.arrangements(second: device, wide: true)
        let shown = arrangements.map(\.shown).filter { $0.count == 1 }
        #expect(shown == [["one"], ["two"], ["room"], ["two"], ["one"], ["room"]], "\(arrangements)")
    }

    @Test("shows a camera again after it was frozen")
    func thawed() async throws {
        let arrangements = try await Self.arrangements(wide: true) { setup in
            if let camera = setup.cameras["one"] {
                setup.cameras["one"] = FreezingCamera(
                    camera, from: .milliseconds(2600), to: .milliseconds(5500))
            }
        }
        // The speaker of camera one talks from 2 to 5 s and from 8 to 11 s.
        let shown = arrangements.map(\.shown).filter { $0.count == 1 }
        #expect(shown == [["one"], ["room"], ["two"], ["one"], ["room"]], "\(arrangements)")
        #expect(
            arrangements.contains { $0.shown == ["room"] && (4.5...5.2).contains($0.at) }, "\(arrangements)")
    }

    @Test("doesn't follow a microphone that is muted in the program or silent")
    func muted() async throws {
        let muted = try await Self.arrangements(steer: { session, _, look in
            if look == 1 { try session.apply([.audible(role: "second", false)]) }
        })
        #expect(!muted.contains { $0.shown == ["two"] }, "\(muted)")
        let silent = try await Self.arrangements(microphone: "virtual:silence")
        #expect(!silent.contains { $0.shown == ["two"] }, "\(silent)")
    }

    @Test("switching by voice can be turned on and off while recording, in any profile")
    func mode() async throws {
        let arrangements = try await Self.arrangements(
            mode: "manual",
            steer: { session, switcher, look in
                switch look {
                case 0: #expect(switcher.mode == .manual)
                case 1:
                    // A change from before the mode was selected doesn't pause switching.
                    try session.apply([.show(["two"])])
                    try switcher.setMode(.voice)
                case 6: try switcher.setMode(.manual)
                case 10: #expect(switcher.mode == .manual && switcher.timeToResume == nil)
                default: break
                }
            })
        #expect(arrangements.map(\.shown) == [["one", "two"], ["two"], ["one"], ["two"]], "\(arrangements)")
    }

    @Test("a manual change pauses switching for 10 s, and then the speaker is shown")
    func pause() async throws {
        let arrangements = try await Self.arrangements(steer: { session, switcher, look in
            if look == 1 { try session.apply([.show(["two"])]) }
            guard (2...9).contains(look) else { return }
            let left = try #require(switcher.timeToResume)
            #expect(abs(left.inSeconds - Double(11 - look)) < 0.5, "\(left) at \(look) s")
        })
        #expect(arrangements.prefix(2).map(\.shown) == [["one", "two"], ["two"]], "\(arrangements)")
        #expect(arrangements.count > 2 && (10.5...11.4).contains(arrangements[2].at), "\(arrangements)")
        #expect(arrangements.count > 2 && arrangements[2].shown == ["one"], "\(arrangements)")
    }

    @Test("selecting the voice mode again ends the pause after a manual change")
    func resume() async throws {
        let arrangements = try await Self.arrangements(steer: { session, switcher, look in
            if look == 3 { try session.apply([.show(["two"])]) }
            guard look == 4 else { return }
            #expect(switcher.timeToResume != nil)
            try switcher.setMode(.voice)
            #expect(switcher.timeToResume == nil)
        })
        #expect(
            arrangements.prefix(5).map(\.shown) == [["one", "two"], ["one"], ["two"], ["one"], ["two"]],
            "\(arrangements)")
        #expect(arrangements.count > 4 && (3.5...4.5).contains(arrangements[3].at), "\(arrangements)")
    }

    @Test("switching continues after a microphone was removed")
    func removed() async throws {
        let arrangements = try await Self.arrangements(steer: { session, _, look in
            if look == 1 { try session.apply([.removed(role: "second")]) }
        })
        #expect(arrangements.contains { $0.shown == ["one"] && (2...2.9).contains($0.at) }, "\(arrangements)")
        #expect(!arrangements.contains { $0.shown == ["two"] }, "\(arrangements)")
    }

    private static func setup(switching: String) throws -> SessionSetup {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
        let text = profile.replacingOccurrences(of: "\"file:FOLDER/first.wav\"", with: "\"virtual:tone\"")
            .replacingOccurrences(of: "\"file:FOLDER/second.wav\"", with: "\"virtual:tone\"")
            .replacingOccurrences(of: "switching: voice", with: "switching: \(switching)")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { unlink(file.path) }
        return try SessionSetup(SessionConfiguration(profile: file.path))
    }

    @Test(
        "a session keeps its switcher, and the next session of the process starts in the mode that the user selected",
        arguments: [ProgramSettings.Switching.manual, .voice])
    func kept(mode: ProgramSettings.Switching) throws {
        let other: ProgramSettings.Switching = mode == .manual ? .voice : .manual
        let controller = SessionController()
        for (index, expected) in [mode, other].enumerated() {
            let setup = try Self.setup(switching: mode.rawValue)
            let session = MulticamSession(setup)
            setup.makeVoiceSwitcher(for: session)
            controller.attach(session, setup)
            #expect(controller.status?.program?.switching == expected.rawValue)
            let switcher = try #require(session.voiceSwitcher)
            if index == 0 { try switcher.setMode(other) }
            controller.release()
        }
    }

    @Test("the mode can't be changed after the session has ended")
    func ended() throws {
        let setup = try Self.setup(switching: "manual")
        var session: MulticamSession? = MulticamSession(setup)
        let switcher = try #require(session.flatMap { setup.makeVoiceSwitcher(for: $0) })
        session = nil
        #expect(throws: SessionChangeError.self) { try switcher.setMode(.voice) }
        #expect(switcher.mode == .manual)
    }

    @Test("an error asks for the camera of a microphone if the profile doesn't specify it")
    func asks() async throws {
        let text =
            "cameras: { a: { device: \"virtual:clap\" } }\nmicrophones: { m: { device: \"virtual:tone\" } }\nprogram: { switching: voice }"
        let error = await #expect(throws: SetupError.self) { _ = try await Recording(text, seconds: 1) }
        #expect(
            "\(error.map { "\($0)" } ?? "")".contains(
                "microphones.m.camera: found no camera, expected the role of the camera"))
    }
}
