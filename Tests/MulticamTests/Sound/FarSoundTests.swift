import Foundation
import Media
import MulticamKit
import Session
import Testing

@Suite("a file of sound as a microphone")
struct FarSoundTests {
    private func record(_ options: [String], seconds: Double) async throws -> Recording {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "multicam-far-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            do {
                try FileManager.default.removeItem(at: folder)
            } catch {
                print("left behind: \(folder.path): \(error)")
            }
        }
        let path = folder.path + "/sound.mka"
        try Reader.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine=duration=2"] + options + [path])
        return try await Recording(
            "microphones: { host: { device: \"file:\(path)\" } }", seconds: seconds)
    }

    @Test("is silent where its time stamps leave a hole of days")
    func hole() async throws {
        let recording = try await record(
            ["-ar", "48000", "-c:a", "pcm_s16le", "-af", "asetpts=PTS+gte(T\\,1)*3600*72/TB"], seconds: 2)
        #expect(try recording.track("host").samples?.written == 96_000)
        let wave = try Reader.sound(recording.path("audio/host.wav"))
        #expect(wave[24_000..<40_000].contains { $0 > 0.1 })
        #expect(wave[60_000..<96_000].allSatisfy { $0 == 0 })
    }

    @Test("is refused with a rate that no microphone has")
    func rate() async throws {
        let error = await #expect(throws: (any Error).self) {
            _ = try await record(["-ar", "4000", "-c:a", "pcm_s16le"], seconds: 1)
        }
        #expect(error.map { "\($0)" }?.contains("4000 Hz: one to eight at 8000 to 192000 Hz") == true)
    }
}
