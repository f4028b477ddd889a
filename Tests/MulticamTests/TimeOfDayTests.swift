import Foundation
import MulticamSession
import MulticamSessionFolder
import Testing

@Suite("Time of day in recorded files")
struct TimeOfDayTests {
    /// The track at 29.97 fps is the leading one, so its time code matches T0 to the sample. The track at 25
    /// fps is within one of its frames.
    private static let profile = """
        cameras:
          desk: { device: "virtual:clap", size: 320x180, rate: 29.97 }
          face: { device: "virtual:clap", size: 320x180, rate: 25 }
        microphones: { host: { device: "virtual:clap" } }
        tracks: { cameras: copy, microphones: wav }
        """

    @Test(
        "the time code is the wall clock at T0 for frames and audio, exact to the sample on the leading grid"
    )
    func agrees() async throws {
        let recording = try await Recording(Self.profile, seconds: 2)
        let audio = try Self.timeReference(recording.bytes("audio/host.wav"))
        let desk = try Self.seconds(of: recording.path("cameras/desk.mov"), rate: 30_000 / 1001)
        let face = try Self.seconds(of: recording.path("cameras/face.mov"), rate: 25)
        #expect(abs(audio - desk) < 1.0 / 48_000)
        #expect(face <= audio && audio < face + 1.0 / 25)
        // The manifest's date, read with the library's calendar.
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let started = try #require(formatter.date(from: recording.manifest.started))
        let parts = Calendar.current.dateComponents([.hour, .minute, .second, .nanosecond], from: started)
        let wall =
            Double((parts.hour ?? 0) * 3600 + (parts.minute ?? 0) * 60 + (parts.second ?? 0))
            + Double(parts.nanosecond ?? 0) / 1e9
        // The formatter has millisecond resolution.
        #expect(abs(audio - wall) < 0.0011)
    }

    @Test("the time of day continues in the parts of a split recording")
    func split() async throws {
        let recording = try await Recording(Self.profile, seconds: 3, steer: { $0.split() })
        let desk = try recording.track("desk")
        let second = try #require(desk.parts?.first)
        let count = try #require(Reader.streams(recording.path(desk.file)).first?.frameCount)
        let rate = 30_000.0 / 1001
        let begin = try Self.seconds(of: recording.path(desk.file), rate: rate)
        let next = try Self.seconds(of: recording.path(second), rate: rate)
        #expect(abs(next - begin - Double(count) / rate) < 0.001)
        let audio = try Self.timeReference(recording.bytes("audio/host-2.wav"))
        #expect(abs(audio - next) <= 1.0 / 48_000)
    }

    @Test("a shared file has one time code track, referenced by every video track; an MP4 program lacks it")
    func commonFile() async throws {
        let recording = try await Recording(
            """
            cameras:
              desk: { device: "virtual:clap", size: 320x180, rate: 30 }
              face: { device: "virtual:clap", size: 320x180, rate: 30 }
            program: { size: 320x180, rate: 30, layout: single, main: desk }
            tracks: { cameras: copy, files: one }
            """, seconds: 1)
        let all = try Reader.streams(recording.path("session.mov"), kinds: ["video", "data"])
        #expect(all.map(\.codec_type) == ["video", "video", "data"])
        #expect(Set(all.map { $0.tags?["timecode"] }).count == 1 && all.first?.tags?["timecode"] != nil)
        #expect(try Reader.streams(recording.path("program.mp4"), kinds: ["data"]).isEmpty)
    }

    /// Returns the seconds since midnight from the time code `hh:mm:ss:ff`, or `;ff` for drop-frame, that
    /// ffprobe reads.
    private static func seconds(of path: String, rate: Double) throws -> Double {
        let label = try #require(Reader.streams(path).first?.tags?["timecode"])
        let isDropFrame = label.contains(";")
        let parts = label.split(whereSeparator: { $0 == ":" || $0 == ";" }).compactMap { Int($0) }
        try #require(parts.count == 4)
        let labelsPerSecond = Int(rate.rounded(.up))
        let minutes = parts[0] * 60 + parts[1]
        var frames = (minutes * 60 + parts[2]) * labelsPerSecond + parts[3]
        // Drop-frame time code skips two labels per minute, except in every tenth minute.
        if isDropFrame { frames -= labelsPerSecond / 15 * (minutes - minutes / 10) }
        return Double(frames) / rate
    }

    /// Returns the seconds since midnight from the Broadcast Wave chunk (EBU Tech 3285), at byte 338.
    private static func timeReference(_ file: Data) throws -> Double {
        let chunk = try #require(file.range(of: Data("bext".utf8)))
        let field = file.dropFirst(chunk.upperBound + 4 + 338).prefix(8)
        let samples = field.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Double(samples) / 48_000
    }
}
