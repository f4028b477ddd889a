import Foundation
import MulticamMedia
import Testing

@testable import MulticamCapture

@Suite("Microphones captured from the sound server")
struct PulseMicrophoneTests {
    private func microphone(_ name: String, of server: PulseServer, channels: Int = 1) throws
        -> PulseMicrophone
    {
        let sources = try PulseCatalog.microphones(includeMonitors: true, server: server.address)
        let source = try PulseCatalog.resolve("pulse:\(name)", among: sources)
        return try PulseMicrophone(source: source, channels: channels, server: server.address)
    }

    @Test("captures a complete tone at its pitch, with timestamps that match its rate")
    func tone() throws {
        let server = try PulseServer(
            "load-module module-sine-source source_name=tone frequency=1000 rate=48000")
        let microphone = try microphone("tone", of: server)
        #expect(microphone.format == AudioFormat(rate: 48_000, channels: 1))
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("two seconds of audio come") { $0.frameCount >= 96_000 }
        microphone.stop()

        #expect(log.all.notices.isEmpty)
        let audioBlocks = log.audioBlocks
        let first = try #require(audioBlocks.first)
        let last = try #require(audioBlocks.last)
        #expect(first.firstSample == 0)
        for (audio, next) in zip(audioBlocks, audioBlocks.dropFirst()) {
            #expect(next.firstSample == audio.firstSample + Int64(audio.frameCount))
        }
        let counted = Double(last.firstSample) / 48_000
        #expect(abs((last.capturedAt - first.capturedAt).inSeconds / counted - 1) < 0.01)
        #expect((MonotonicClock().now - last.capturedAt).magnitude < .seconds(2))

        let samples = audioBlocks.flatMap(\.samples)
        #expect(Tone.share(of: 1_000, in: samples, rate: 48_000) > 0.999)
    }

    @Test("timestamps audio with the time it was written")
    func knownTime() throws {
        let server = try PulseServer(
            "load-module module-pipe-source source_name=pipe file=FOLDER/fifo format=s16le rate=48000 channels=1"
        )
        let microphone = try microphone("pipe", of: server)
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        let fifo = try FileHandle(forWritingTo: server.folder.appending(path: "fifo"))
        let pace = Cancellation()
        let begin = MonotonicClock().now
        var marked: [(value: Int16, writtenAt: ClockTime, isLate: Bool)] = []
        for chunk in 0..<150 as Range<Int64> {
            let due = begin + .milliseconds(10 * chunk)
            _ = pace.wait(until: due)
            // If a busy machine writes a chunk late, the server's pipe was empty before, and the server can
            // only estimate the timestamp.
            let isLate = MonotonicClock().now - due > .milliseconds(50)
            let value: Int16 = chunk % 20 == 19 ? Int16(chunk * 100) : 0
            if value != 0 { marked.append((value, MonotonicClock().now, isLate)) }
            try fifo.write(contentsOf: [Int16](repeating: value, count: 480).withUnsafeBytes { Data($0) })
        }
        let lastMark = try #require(marked.last)
        try log.wait("the last mark comes") { events in
            events.contains { event in event.audio?.samples.contains { value($0) == lastMark.value } ?? false
            }
        }
        microphone.stop()
        try fifo.close()

        #expect(marked.contains { !$0.isLate })
        var found = 0
        for mark in marked {
            for audio in log.audioBlocks {
                guard let index = audio.samples.firstIndex(where: { value($0) == mark.value }) else {
                    continue
                }
                let time = audio.capturedAt + .microseconds(Int64(index) * 1_000_000 / 48_000)
                // The measured value is 9 ms early, because a chunk of 10 ms is written when its audio has
                // ended.
                #expect(mark.isLate || (time - mark.writtenAt).magnitude < .milliseconds(100))
                found += 1
                break
            }
        }
        #expect(found >= marked.count - 1)
    }

    @Test(
        "reports a killed server and its return, and advances the sample count by the elapsed time",
        arguments: PulseServer.Kind.allCases)
    func serverKilled(kind: PulseServer.Kind) throws {
        let server = try PulseServer(
            "load-module module-null-sink sink_name=speaker rate=48000 channels=1", by: kind)
        let microphone = try microphone("speaker.monitor", of: server)
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("audio comes") { $0.frameCount >= 9_600 }
        server.kill()
        let gone = try log.wait("the loss of the server is told") { !$0.notices.isEmpty }
        try server.start()
        try log.wait(from: gone, "audio comes again") { $0.frameCount >= 9_600 }
        microphone.stop()

        #expect(log.all.notices == ["away: the connection to the sound server was lost", "returned"])
        try expectConsistentCount(log.audioBlocks, rate: 48_000)
    }

    @Test("reports an unplugged source and its return, and does not substitute another source")
    func unplugged() throws {
        let server = try PulseServer(
            "load-module module-sine-source source_name=other frequency=3000 rate=48000",
            "load-module module-sine-source source_name=tone frequency=1000 rate=48000")
        let microphone = try microphone("tone", of: server)
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("audio comes") { $0.frameCount >= 9_600 }
        // This is the second module that the script loads after the protocol module.
        try server.control("unload-module", "2")
        let gone = try log.wait("the unplugging is told") { !$0.notices.isEmpty }
        try server.control(
            "load-module", "module-sine-source", "source_name=tone", "frequency=1000", "rate=48000")
        try log.wait(from: gone, "audio comes again") { $0.frameCount >= 9_600 }
        microphone.stop()

        #expect(log.all.notices == ["away: unplugged", "returned"])
        try expectConsistentCount(log.audioBlocks, rate: 48_000)
        let after = log.all[gone...].compactMap(\.audio).flatMap(\.samples)
        #expect(Tone.share(of: 1_000, in: after, rate: 48_000) > 0.99)
    }

    @Test("reports when a source is suspended and when it resumes")
    func suspended() throws {
        let server = try PulseServer(
            "load-module module-null-sink sink_name=speaker rate=44100 channels=2")
        let microphone = try microphone("speaker.monitor", of: server, channels: 2)
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("audio comes") { $0.frameCount >= 8_820 }
        try server.control("suspend-sink", "speaker", "1")
        let gone = try log.wait("the suspension is told") { !$0.notices.isEmpty }
        try server.control("suspend-sink", "speaker", "0")
        try log.wait(from: gone, "audio comes again") { $0.frameCount >= 8_820 }
        microphone.stop()

        #expect(log.all.notices == ["away: suspended", "returned"])
        try expectConsistentCount(log.audioBlocks, rate: 44_100)
    }

    @Test("reports a source that is suspended and then removed, as when a cable is pulled, as unplugged")
    func suspendedAndUnplugged() throws {
        let server = try PulseServer(
            "load-module module-null-sink sink_name=speaker rate=48000 channels=1")
        let microphone = try microphone("speaker.monitor", of: server)
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("audio comes") { $0.frameCount >= 9_600 }
        try server.control("suspend-sink", "speaker", "1")
        let gone = try log.wait("the suspension is told") { !$0.notices.isEmpty }
        try server.control("unload-module", "module-null-sink")
        try log.wait(from: gone, "the unplugging is told") { !$0.notices.isEmpty }
        microphone.stop()

        #expect(log.all.notices == ["away: suspended", "away: unplugged"])
        let times = log.all.compactMap { event in
            if case .outageBegan(let time, _) = event { time } else { nil }
        }
        #expect(Set(times).count == 1, "it is one outage")
    }

    @Test("sends no events after a stop, and leaves nothing on the server")
    func stop() throws {
        let server = try PulseServer("load-module module-sine-source source_name=tone rate=48000")
        let microphone = try microphone("tone", of: server)
        let log = MicrophoneLog()
        try microphone.start(on: MonotonicClock()) { log.add($0) }
        try log.wait("audio comes") { $0.frameCount >= 4_800 }
        microphone.stop()
        let count = log.all.count
        // The server is still running. It would deliver audio, and its end would be reported.
        let second = try self.microphone("tone", of: server)
        let secondLog = MicrophoneLog()
        try second.start(on: MonotonicClock()) { secondLog.add($0) }
        try secondLog.wait("audio comes to another") { $0.frameCount >= 9_600 }
        second.stop()
        second.stop()
        server.kill()
        #expect(log.all.count == count)
    }

    @Test("reports a missing source as not found, and does not substitute another")
    func wrongName() throws {
        let server = try PulseServer("load-module module-sine-source source_name=tone rate=48000")
        let absent = PulseSource(
            name: "absent", description: "", format: AudioFormat(rate: 48_000, channels: 1))
        let error = #expect(throws: DeviceError.self) {
            try PulseMicrophone(source: absent, channels: 1, server: server.address)
        }
        #expect(error == DeviceError(device: "pulse:absent", operation: "opening", reason: .notFound))

        // The source may also disappear between the check and the start.
        let microphone = try microphone("tone", of: server)
        try server.control("unload-module", "1")
        let late = #expect(throws: DeviceError.self) { try microphone.start(on: MonotonicClock()) { _ in } }
        #expect(late?.reason == .notFound)
    }

    @Test("reports a missing server")
    func noServer() {
        let source = PulseSource(
            name: "tone", description: "", format: AudioFormat(rate: 48_000, channels: 1))
        let error = #expect(throws: DeviceError.self) {
            try PulseMicrophone(source: source, channels: 1, server: "unix:/nonexistent/socket")
        }
        #expect(error?.reason == .noSoundServer("Connection refused"))
    }

    // MARK: Measures

    /// Converts a sample back to the integer written into the pipe.
    private func value(_ sample: Float) -> Int16 { Int16((sample * 32_768).rounded()) }

    /// Expects the sample count to match the elapsed time across an outage, within 100 ms.
    private func expectConsistentCount(_ audioBlocks: [CapturedAudio], rate: Double) throws {
        let first = try #require(audioBlocks.first)
        let last = try #require(audioBlocks.last)
        let counted = Double(last.firstSample - first.firstSample) / rate
        #expect(abs((last.capturedAt - first.capturedAt).inSeconds - counted) < 0.1)
        for (audio, next) in zip(audioBlocks, audioBlocks.dropFirst()) {
            #expect(next.firstSample >= audio.firstSample + Int64(audio.frameCount))
        }
    }
}
