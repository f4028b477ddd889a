import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("PulseAudio and PipeWire's PulseAudio server", .serialized)
struct AlikeServersTests {
    private static let speaker =
        "load-module module-null-sink sink_name=speaker rate=48000 channels=2 channel_map=front-left,front-right"
    /// A microphone that contains the left channel of the speaker.
    private static let left =
        "load-module module-remap-source source_name=left master=speaker.monitor channels=1 remix=no "
        + "master_channel_map=front-left channel_map=mono"

    private func source(_ name: String, of server: PulseServer) throws -> PulseSource {
        let sources = try PulseCatalog.microphones(includeMonitors: true, server: server.address)
        return try PulseCatalog.resolve("pulse:\(name)", among: sources)
    }

    private func microphone(
        _ name: String, of server: PulseServer, channels: Int = 1
    ) throws -> PulseMicrophone {
        try PulseMicrophone(source: source(name, of: server), channels: channels, server: server.address)
    }

    private func modules(of server: PulseServer) throws -> [String] {
        try PulseConnection(server: server.address).modules().map(\.name)
    }

    /// One minute of two tones, one per channel.
    private func tones(_ left: Double, _ right: Double, in folder: URL) throws -> URL {
        let path = folder.appending(path: "tones.wav")
        // Each frequency completes a whole number of periods per second, so that the second can be repeated.
        var second: [Int16] = []
        for index in 0..<48_000 {
            for frequency in [left, right] {
                second.append(Int16(8_000 * sin(2 * Double.pi * frequency * Double(index) / 48_000)))
            }
        }
        let samples = (0..<60).flatMap { _ in second }
        let bytes = samples.withUnsafeBytes { Data($0) }
        var header = Data()
        func add(_ text: String) { header.append(contentsOf: text.utf8) }
        func add(_ value: UInt32) {
            withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
        }
        func add(_ value: UInt16) {
            withUnsafeBytes(of: value.littleEndian) { header.append(contentsOf: $0) }
        }
        add("RIFF")
        add(UInt32(36 + bytes.count))
        add("WAVEfmt ")
        add(16 as UInt32)
        add(1 as UInt16)
        add(2 as UInt16)
        add(48_000 as UInt32)
        add(48_000 * 4 as UInt32)
        add(4 as UInt16)
        add(16 as UInt16)
        add("data")
        add(UInt32(bytes.count))
        try (header + bytes).write(to: path)
        return path
    }

    /// Returns whether the latest 0.1 s contains only these tones, one per channel. Only every tenth event is
    /// checked.
    private func containsOnlyTones(_ tones: [Double], in events: [MicrophoneEvent]) -> Bool {
        guard events.count.isMultiple(of: 10) else { return false }
        let latest = events.suffix(100).compactMap(\.audio).flatMap(\.samples).suffix(4_800 * tones.count)
        guard latest.count == 4_800 * tones.count else { return false }
        return tones.enumerated().allSatisfy { channel, tone in
            let samples = stride(from: latest.startIndex + channel, to: latest.endIndex, by: tones.count).map
            { latest[$0] }
            return Tone.share(of: tone, in: samples, rate: 48_000) > 0.99
        }
    }

    @Test(
        "list sources with rate, channels, and channel order, and monitors of outputs only on request",
        arguments: PulseServer.Kind.allCases)
    func list(kind: PulseServer.Kind) throws {
        let server = try PulseServer(Self.speaker, Self.left, by: kind)
        let microphones = try PulseCatalog.microphones(server: server.address)
        #expect(microphones.map(\.name) == ["left"])
        let monitor = try source("speaker.monitor", of: server)
        #expect(monitor.isMonitor)
        #expect(monitor.format == AudioFormat(rate: 48_000, channels: 2))
        #expect(monitor.channelPositions.count == 2 && Set(monitor.channelPositions).count == 2)
    }

    @Test(
        "deliver channels in order, and every sample once",
        arguments: PulseServer.Kind.allCases)
    func channels(kind: PulseServer.Kind) throws {
        let server = try PulseServer(Self.speaker, by: kind)
        try server.play(tones(700, 1_300, in: server.folder), on: "speaker")
        let microphone = try microphone("speaker.monitor", of: server, channels: 2)
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        // Playback starts in the middle of a buffer, and a busy server may drop audio.
        try log.wait(seconds: 30, "a tenth of a second of either tone in its channel") { events in
            containsOnlyTones([700, 1_300], in: events)
        }
        try log.wait("three seconds of audio come") { $0.frameCount >= 144_000 }
        microphone.stop()

        let audioBlocks = log.audioBlocks
        for (audio, next) in zip(audioBlocks, audioBlocks.dropFirst()) {
            #expect(next.firstSample >= audio.firstSample + Int64(audio.frameCount))
        }
    }

    @Test(
        "downmix two channels to one, and duplicate one channel to two",
        arguments: PulseServer.Kind.allCases)
    func mean(kind: PulseServer.Kind) throws {
        let server = try PulseServer(Self.speaker, Self.left, by: kind)
        try server.play(tones(700, 700, in: server.folder), on: "speaker")
        for (name, channels) in [("speaker.monitor", 1), ("left", 2)] {
            let microphone = try microphone(name, of: server, channels: channels)
            let log = MicrophoneLog()
            try microphone.start(on: MonotonicClock()) { log.add($0) }
            // Capture may start before the tones are played.
            try log.wait(seconds: 30, "a tenth of a second of the tone") { events in
                containsOnlyTones(Array(repeating: 700, count: channels), in: events)
            }
            microphone.stop()
            let peak = log.audioBlocks.suffix(10).flatMap(\.samples).map(abs).max() ?? 0
            #expect(abs(peak - 8_000 / 32_768) < 0.003, "\(name)")
        }
    }

    @Test(
        "report an unplugged source, and do not substitute another",
        arguments: PulseServer.Kind.allCases)
    func unplugged(kind: PulseServer.Kind) throws {
        let other = "load-module module-null-sink sink_name=other rate=48000 channels=2"
        let server = try PulseServer(other, by: kind)
        let made = try PulseConnection(server: server.address).load(
            "module-null-sink", "sink_name=speaker rate=48000 channels=2"
        ).index
        let microphone = try microphone("speaker.monitor", of: server)
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("audio comes") { $0.frameCount >= 9_600 }
        try server.control("unload-module", String(try #require(made)))
        let gone = try log.wait("the unplugging is told") { !$0.notices.isEmpty }
        try server.control("load-module", "module-null-sink", "sink_name=speaker", "rate=48000", "channels=2")
        try log.wait(from: gone, "audio comes again") { $0.frameCount >= 9_600 }
        microphone.stop()
        #expect(log.all.notices == ["away: unplugged", "returned"])
    }

    @Test("report a lost connection on every request after a kill", arguments: PulseServer.Kind.allCases)
    func gone(kind: PulseServer.Kind) throws {
        let server = try PulseServer(Self.speaker, by: kind)
        let connection = try PulseConnection(server: server.address)
        server.kill()
        for _ in 0..<3 {
            let error = #expect(throws: DeviceError.self) { try connection.sources() }
            #expect(error?.reason == .noSoundServer("the connection was lost"))
        }
    }

    @Test("suppress noise on request, and unload the module afterwards", arguments: PulseServer.Kind.allCases)
    func voice(kind: PulseServer.Kind) throws {
        let server = try PulseServer(Self.speaker, by: kind)
        let before = try modules(of: server)
        let voice = try PulseVoice(
            of: source("speaker.monitor", of: server), role: "host", VoiceProcessing(noiseSuppression: true),
            sourceChannels: [1],
            server: server.address)
        let log = MicrophoneLog()
        try voice.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("audio comes") { $0.frameCount >= 9_600 }
        #expect(voice.format == AudioFormat(rate: 48_000, channels: 1))
        #expect(try modules(of: server).contains("module-echo-cancel"))
        voice.stop()
        #expect(try modules(of: server) == before)
    }
}
