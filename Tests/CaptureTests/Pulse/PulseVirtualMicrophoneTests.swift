import Glibc
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Virtual microphone for other programs", .serialized)
struct PulseVirtualMicrophoneTests {
    private let speaker = "load-module module-null-sink sink_name=speaker rate=48000 channels=2"

    private func makeMicrophone(_ server: PulseServer, _ description: String = "Studio mix") throws
        -> PulseVirtualMicrophone
    {
        try PulseVirtualMicrophone(
            key: "mic", description: description, format: AudioFormat(rate: 48_000, channels: 2),
            server: server.address)
    }

    private func ownModules(_ server: PulseServer) throws -> [PulseConnection.Module] {
        try PulseConnection(server: server.address).modules().filter {
            $0.argument.contains("multicam_live_")
        }
    }

    /// Returns the number of slices of 50 ms that consist of the tone of 1 kHz.
    private static func toneSlices(in log: MicrophoneLog) -> Int {
        let samples = log.audioBlocks.flatMap(\.samples)
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        return stride(from: 0, to: left.count - 2400, by: 2400).count {
            Tone.share(of: 1_000, in: Array(left[$0..<$0 + 2400]), rate: 48_000) > 0.98
        }
    }

    private func source(_ description: String, of server: PulseServer) throws -> PulseSource {
        try #require(
            PulseConnection(server: server.address).sources().first { $0.description == description })
    }

    @Test(
        "appears to other programs under its name, carries the written audio, is not listed as an input, and is removed at the end",
        arguments: PulseServer.Kind.allCases)
    func heard(kind: PulseServer.Kind) throws {
        let server = try PulseServer(speaker, by: kind)
        do {
            let offered = try makeMicrophone(server)
            let source = try source("Studio mix", of: server)
            #expect(source.isMonitor == false)
            #expect(try PulseCatalog.microphones(server: server.address).isEmpty)
            let program = try PulseMicrophone(source: source, channels: 2, server: server.address)
            let log = MicrophoneLog()
            try program.start(on: MonotonicClock()) { log.add($0) }
            // A sound server on a busy machine drops audio, so the tone is written until enough slices of it have arrived.
            let (pace, begin) = (Cancellation(), MonotonicClock().now)
            var heard = 0
            for block in 0..<3000 as Range<Int64> where heard < 10 {
                let samples = (0..<1920).map { index -> Float in
                    let time = Double(block * 960 + Int64(index / 2)) / 48_000
                    return Float(0.5 * sin(2 * Double.pi * 1_000 * time))
                }
                _ = try offered.write(samples)
                try offered.check()
                _ = pace.wait(until: begin + .milliseconds(20 * (block + 1)))
                if block % 50 == 49 { heard = Self.toneSlices(in: log) }
            }
            program.stop()
            #expect(heard >= 10)
        }
        #expect(try ownModules(server).isEmpty)
    }

    @Test("drops audio that is written faster than real time, to keep the delay bounded")
    func bounded() throws {
        let server = try PulseServer(speaker)
        let offered = try makeMicrophone(server)
        let taken = try (0..<100).count { _ in try offered.write([Float](repeating: 0, count: 1920)) }
        #expect(taken >= 1 && taken < 50)
    }

    @Test("accepts any characters in a name", arguments: ["it's \"live\"", "Studio \\ ä 漢字", "a=b c,d"])
    func names(description: String) throws {
        let server = try PulseServer(speaker)
        let offered = try makeMicrophone(server, description)
        let names = PulseVirtualMicrophone.Names(parent: 1, key: "mic", description: description)
        _ = try source(names.description, of: server)
        try offered.check()
    }

    @Test(
        "reuses the modules of a killed process with the same parent, and removes them if the parent has exited",
        arguments: PulseServer.Kind.allCases)
    func left(kind: PulseServer.Kind) throws {
        let server = try PulseServer(speaker, by: kind)
        var gone: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        defer { free(arguments[0]) }
        #expect(posix_spawn(&gone, "/bin/true", nil, nil, &arguments, environ) == 0)
        var status: Int32 = 0
        #expect(waitpid(gone, &status, 0) == gone)
        let format = AudioFormat(rate: 48_000, channels: 2)
        for parent in [gone, getppid()] {
            for module in PulseVirtualMicrophone.Names(parent: parent, key: "mic", description: "Studio mix")
                .modules(format)
            {
                let connection = try PulseConnection(server: server.address)
                #expect(try connection.load(module.name, module.argument).index != nil)
            }
        }
        let before = try ownModules(server).filter { $0.argument.contains("_\(getppid())_") }
        #expect(before.count == 2)
        do {
            let offered = try makeMicrophone(server)
            try offered.check()
            #expect(try ownModules(server).map(\.index) == before.map(\.index))
            // A microphone with a different name is a different microphone.
            let renamed = try makeMicrophone(server, "Other")
            try renamed.check()
            _ = try source("Other", of: server)
        }
        #expect(try ownModules(server).isEmpty)
    }

    @Test("reports an error if the server is killed or the microphone is removed")
    func ended() throws {
        let server = try PulseServer(speaker)
        let offered = try makeMicrophone(server)
        let module = try #require(try ownModules(server).first)
        _ = try PulseConnection(server: server.address).unload(module: module.index)
        let pause = Cancellation()
        let removed = try wait(pause) { try offered.check() }
        #expect(removed.description.contains("removed"))
        let another = try makeMicrophone(server)
        server.kill()
        let killed = try wait(pause) { try another.check() }
        #expect(killed.description.contains("the connection was lost"))
    }

    /// Repeats `body` until it throws an error, for at most 10 s.
    private func wait(_ pause: Cancellation, _ body: () throws -> Void) throws -> DeviceError {
        for _ in 0..<500 {
            do {
                try body()
            } catch let error as DeviceError {
                return error
            }
            _ = pause.wait(until: MonotonicClock().now + .milliseconds(20))
        }
        throw PulseServer.Failure(description: "nothing failed within 10 s")
    }
}
