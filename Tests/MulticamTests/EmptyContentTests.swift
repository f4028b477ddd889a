import Foundation
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("Devices that deliver empty content")
struct EmptyContentTests {
    @Test("the verdict reports a microphone that is silent throughout, with or without a track")
    func silence() async throws {
        let recording = try await Recording(
            """
            cameras: { a: { device: "virtual:clap", size: 128x72, rate: 30 } }
            microphones:
              room: { device: "virtual:silence" }
              host: { device: "virtual:tone" }
            """, seconds: 2)
        let verdict = Verdict(recording.manifest)
        #expect(verdict.level == .bad)
        #expect(verdict.text.contains("Microphone room delivered only digital silence"))
        #expect(!verdict.text.contains("Every sample") && !verdict.text.contains("Microphone host"))
        #expect(verdict.exceededLimits.isEmpty)
        #expect(recording.manifest.devices.first { $0.role == "host" }?.content == nil)
        try recording.checkSchema()
        let mixed = try await Recording(
            """
            cameras: { a: { device: "virtual:clap", size: 128x72, rate: 30 } }
            microphones: { room: { device: "virtual:silence" } }
            program: { size: 128x72, rate: 30, layout: single, main: a, audio: { mix: [room] } }
            """, seconds: 1)
        #expect(Verdict(mixed.manifest).text.contains("Microphone room delivered only digital silence"))
    }

    @Test(
        "the verdict reports a camera with identical frames, but not one with motion",
        arguments: ["mjpeg", "yuyv"])
    func frozen(format: String) async throws {
        let recording = try await Recording(
            """
            cameras:
              still: { device: "virtual:bars", size: 320x180, rate: 30, format: \(format) }
              live: { device: "virtual:clap", size: 320x180, rate: 30, format: \(format) }
            tracks: { cameras: encode }
            """, seconds: 2)
        let devices = recording.manifest.devices
        #expect(devices.first { $0.role == "live" }?.content == nil)
        #expect(devices.first { $0.role == "still" }?.content == .frozen)
        let text = Verdict(recording.manifest).text
        #expect(text.contains("Camera still delivered the same picture throughout the recording"))
        #expect(!text.contains("Every frame") && !text.contains("Both camera tracks"))
        try recording.checkSchema()
    }

    @Test("the verdict reports a camera that is black throughout")
    func black() async throws {
        let image = FileManager.default.temporaryDirectory.appending(path: "black-\(UUID().uuidString).png")
        try Reader.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "color=black:s=320x180", "-frames:v", "1", image.path])
        let recording = try await Recording(
            "cameras: { a: { device: \"virtual:still:\(image.path)\", size: 320x180, rate: 30 } }",
            seconds: 2)
        try FileManager.default.removeItem(at: image)
        #expect(recording.manifest.devices.first?.content == .black)
        #expect(Verdict(recording.manifest).text.contains("Camera a delivered only black pictures"))
    }

    @Test("the verdict doesn't call a camera black that is black only at the beginning")
    func darkStart() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "dark-\(UUID().uuidString).mov")
        let black = "color=black:size=320x180:rate=30:duration=0.5"
        try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", black, "-f", "lavfi",
                "-i", "testsrc2=size=320x180:rate=30:duration=2", "-filter_complex", "[0][1]concat", "-c:v",
                "mjpeg", file.path,
            ])
        let recording = try await Recording("cameras: { a: { device: \"file:\(file.path)\" } }", seconds: 1.5)
        try FileManager.default.removeItem(at: file)
        #expect(recording.manifest.devices.first?.content == nil)
    }
}
