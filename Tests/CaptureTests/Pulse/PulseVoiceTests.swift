import Foundation
import Glibc
import Media
import Testing

@testable import Capture

@Suite("a microphone's voice", .serialized)
struct PulseVoiceTests {
    private let speaker = "load-module module-null-sink sink_name=speaker rate=48000 channels=1"
    private let tone = "load-module module-sine-source source_name=tone frequency=400 rate=48000"

    private func source(_ name: String, of server: PulseServer) throws -> PulseSource {
        try #require(
            PulseCatalog.microphones(includeMonitors: true, server: server.address).first { $0.name == name })
    }

    private func modules(of server: PulseServer) throws -> [String] {
        try PulseConnection(server: server.address).modules().map(\.name)
    }

    @Test(
        "what it needs is in the server while it is there, is no microphone to others, and is gone afterwards",
        arguments: [true, false])
    func lifetime(echo: Bool) throws {
        let server = try PulseServer(tone, speaker)
        let before = try modules(of: server)
        let voice = try PulseVoice(
            of: source("tone", of: server), role: "host", VoiceSettings(echo: echo, noise: true),
            server: server.address)
        let log = MicrophoneLog()
        try voice.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("audio comes") { $0.frameCount >= 9_600 }
        #expect(try modules(of: server).contains("module-echo-cancel"))
        #expect(try PulseCatalog.microphones(server: server.address).map(\.name) == ["tone"])
        #expect((voice.outputName != nil) == echo)
        voice.stop()
        #expect(try modules(of: server) == before)
    }

    @Test(
        "the module is told of the extended filter by those who have a switch for it: PulseAudio before 17, and PipeWire",
        arguments: [
            (server: "pulseaudio 16.1", isTold: true), (server: "pulseaudio 17.0", isTold: false),
            (server: "pulseaudio 17.0-rebootstrapped", isTold: false), (server: "pulseaudio", isTold: false),
            (server: "PulseAudio (on PipeWire 1.4.2) 15.0.0", isTold: true),
        ])
    func extendedFilter(server: String, isTold: Bool) {
        let words = VoiceModules.arguments(VoiceSettings(noise: true), server: server)
        #expect(words.contains("extended_filter") == isTold)
        #expect(words.contains("noise_suppression=") && !words.contains("  "))
    }

    @Test("what a process that is gone has left is removed by the next one; that of one that lives is not")
    func stale() throws {
        let server = try PulseServer(tone, speaker)
        // A process that has ended for certain.
        var gone: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        defer { free(arguments[0]) }
        #expect(posix_spawn(&gone, "/bin/true", nil, nil, &arguments, environ) == 0)
        var status: Int32 = 0
        #expect(waitpid(gone, &status, 0) == gone)
        for process in [gone, getppid()] {
            try server.control(
                "load-module", "module-null-sink", "sink_name=multicam_voice_\(process)_host_rest")
        }
        let voice = try PulseVoice(
            of: source("tone", of: server), role: "host", VoiceSettings(noise: true), server: server.address)
        defer { voice.stop() }
        let names = try PulseConnection(server: server.address).modules().compactMap {
            PulseConnection.process(of: $0.argument, VoiceModules.prefix)
        }
        #expect(!names.contains(gone) && names.contains(getppid()) && names.contains(getpid()))
    }

    @Test(
        "without the module, or without an output to compare with, it is refused with what to do, and nothing stays"
    )
    func refused() throws {
        let server = try PulseServer(tone)
        let tone = try source("tone", of: server)
        let before = try modules(of: server)
        let error = #expect(throws: DeviceError.self) {
            _ = try PulseVoice(of: tone, role: "host", VoiceSettings(echo: true), server: server.address)
        }
        #expect(error?.description.contains("no output whose audio could come back") == true)
        let unnamable = PulseSource(
            name: "nowhere", description: "Nowhere", format: AudioFormat(rate: 48_000, channels: 1))
        let second = #expect(throws: DeviceError.self) {
            _ = try PulseVoice(
                of: unnamable, role: "host", VoiceSettings(noise: true), server: server.address)
        }
        #expect(second?.description.contains("does not load module-echo-cancel") == true)
        #expect(second?.description.contains("take `voice` out of the profile") == true)
        #expect(try modules(of: server) == before)
    }
}
