import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Voice processing of a microphone", .serialized)
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
        "loads its modules while it runs, hides them from the microphone list, and unloads them afterwards",
        arguments: [true, false])
    func lifetime(echo: Bool) throws {
        let server = try PulseServer(tone, speaker)
        let before = try modules(of: server)
        let voice = try PulseVoice(
            of: source("tone", of: server), role: "host",
            VoiceProcessing(echoCancellation: echo, noiseSuppression: true),
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
        "enables the extended filter only on servers with that option: PulseAudio before 17, and PipeWire",
        arguments: [
            (server: "pulseaudio 16.1", isTold: true), (server: "pulseaudio 17.0", isTold: false),
            (server: "pulseaudio 17.0-rebootstrapped", isTold: false), (server: "pulseaudio", isTold: false),
            (server: "PulseAudio (on PipeWire 1.4.2) 15.0.0", isTold: true),
        ])
    func extendedFilter(server: String, isTold: Bool) {
        let words = VoiceModules.arguments(VoiceProcessing(noiseSuppression: true), server: server)
        #expect(words.contains("extended_filter") == isTold)
        #expect(words.contains("noise_suppression=") && !words.contains("  "))
    }

    @Test("removes modules left by an exited process, and keeps the modules of a running one")
    func stale() throws {
        let server = try PulseServer(tone, speaker)
        // This process has certainly exited.
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
            of: source("tone", of: server), role: "host", VoiceProcessing(noiseSuppression: true),
            server: server.address)
        defer { voice.stop() }
        let names = try PulseConnection(server: server.address).modules().compactMap {
            PulseConnection.processID(of: $0.argument, VoiceModules.prefix)
        }
        #expect(!names.contains(gone) && names.contains(getppid()) && names.contains(getpid()))
    }

    @Test(
        "fails with a remedy and without leftovers if the module or an output for echo cancellation is missing"
    )
    func refused() throws {
        let server = try PulseServer(tone)
        let tone = try source("tone", of: server)
        let before = try modules(of: server)
        let error = #expect(throws: DeviceError.self) {
            _ = try PulseVoice(
                of: tone, role: "host", VoiceProcessing(echoCancellation: true), server: server.address)
        }
        #expect(error?.description.contains("no output device for echo cancellation") == true)
        let unnamable = PulseSource(
            name: "nowhere", description: "Nowhere", format: AudioFormat(rate: 48_000, channels: 1))
        let second = #expect(throws: DeviceError.self) {
            _ = try PulseVoice(
                of: unnamable, role: "host", VoiceProcessing(noiseSuppression: true), server: server.address)
        }
        #expect(second?.description.contains("could not load module-echo-cancel") == true)
        #expect(
            second?.description.contains("set `echo_cancellation` and `noise_suppression` to false") == true)
        #expect(try modules(of: server) == before)
    }
}
