import Foundation
import MulticamInputs
import MulticamMedia
import MulticamSession
import MulticamSessionFolder
import MulticamTiming
import Testing

@Suite("a microphone that delivers invalid audio")
struct DamagedAudioTests {
    @Test(
        "invalid samples don't affect other samples of the recording",
        arguments: [.nan, .infinity, 1e30] as [Float])
    func oneSample(value: Float) async throws {
        var samples = (0..<200_000).map { 0.25 * sin(2 * Float.pi * Float($0) / 48) }
        for place in [72_000, 72_001, 72_010] { samples[place] = value }
        let audio = try FloatAudio(samples)
        let heard = ConditionLock<[Float]>([])
        let tap = AudioTap(role: "host", capacity: 10_000) { slice in
            heard.withLock { $0 += slice.samples }
        }
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:bars?size=160x120", rate: 15 } }
            microphones: { host: { device: "file:\(audio.path)" } }
            program: { size: 160x120, rate: 15, layout: single, main: a, audio: { mix: [host] } }
            tracks: { microphones: wav }
            """, seconds: 3, audioTaps: [tap])
        try recording.checkSchema()
        #expect(recording.manifest.outcome == .finished && recording.result.encodingFailures.isEmpty)
        let streams = try Reader.streams(recording.path("program.mp4"))
        #expect(streams.count == 2)
        for stream in streams { try expect(stream, lasts: 3, within: 0.001) }
        let mixed = try Reader.audio(recording.path("program.mp4"))
        #expect(mixed[130_000..<143_000].contains { $0 > 0.2 })
        let track = try recording.track("host")
        #expect(track.samples?.written == 144_000 && track.samples?.silence == 3)
        let wave = try Reader.audio(recording.path("audio/host.wav"))
        #expect(wave.count == 144_000 && wave.allSatisfy { abs($0) < 0.3 })
        // Audio continues immediately after the damage.
        #expect(wave[72_060..<72_120].contains { $0 > 0.24 })
        #expect(track.loudness?.integrated_lufs.map { (-20 ... -10).contains($0) } == true)
        #expect(heard.withLock { $0.allSatisfy { abs($0) < 0.3 } })
        let gaps = recording.manifest.gaps.filter { $0.track == "host" }
        #expect(gaps.map(\.cause) == ["corrupt"])
        #expect(gaps.first.map { abs($0.from.nanoseconds - 1_500_000_000) < 1_000_000 } == true)
        #expect(recording.events.filter { $0.contains("corrupt") }.count == 1)
        #expect(recording.events.allSatisfy { !$0.contains("inf\"") && !$0.contains("nan\"") })
    }

    @Test("invalid samples throughout become silence and cause one gap")
    func allTheTime() async throws {
        let audio = try FloatAudio((0..<150_000).map { $0 % 3 == 0 ? .nan : 0.25 })
        let recording = try await Recording(
            """
            microphones: { host: { device: "file:\(audio.path)" } }
            """, seconds: 2)
        #expect(recording.manifest.gaps.count == 1)
        #expect(recording.events.filter { $0.contains(#""event":"drop""#) }.count == 1)
        let samples = try #require(try recording.track("host").samples)
        #expect((30_000...34_000).contains(samples.silence))
    }
}
