import Foundation
import MulticamInputs
import MulticamMedia
import MulticamSessionFolder
import MulticamWriters
import Testing

@Suite("Recordings without live consumers")
struct BatchedDeliveryTests {
    @Test(
        "frames and samples are the same as with live consumers, and a file's frames arrive in batches"
    )
    func alike() async throws {
        let place = FileManager.default.temporaryDirectory.appending(
            path: "multicam-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: place) } catch { Issue.record(error) } }
        let movie = place.path + "/movie.mkv"
        try Reader.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc=s=320x180:r=30:d=4", "-f", "lavfi", "-i",
                "anoisesrc=r=48000:d=4:seed=3", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-c:a", "pcm_s16le",
                movie,
            ])
        let profile = """
            cameras:
              file: { device: "file:\(movie)", rate: 30 }
              desk: { device: "virtual:clap?drift=150&jitter=5&seed=2", size: 320x180, rate: 24 }
            microphones:
              sound: { device: "file:\(movie)" }
              host: { device: "virtual:clap?drift=-80&seed=4" }
            tracks: { cameras: copy, microphones: wav }
            """
        func recorded(_ isWatched: Bool) async throws -> (hashes: [[String]], sound: [Data], arrivals: Int) {
            let arrivals = ConditionLock<Set<MediaTime>>([])
            let log = MetadataTap(role: "file", capacity: 1000) { metadata in
                if let arrival = metadata.arrival { arrivals.withLock { _ = $0.insert(arrival) } }
            }
            let recording = try await Recording(
                profile, seconds: 3.2,
                frameTaps: isWatched ? [FrameTap(role: "file", format: .asCaptured) { _ in }] : [],
                audioTaps: isWatched ? [AudioTap(role: "host", capacity: 1000) { _ in }] : [],
                metadataTaps: [log])
            #expect(try recording.track("file").frames?.written == 96)
            #expect(try recording.track("desk").frames?.written == 77)
            return (
                try ["file", "desk"].map {
                    try Reader.packetHashes(recording.path(recording.track($0).file))
                },
                try ["sound", "host"].map { try recording.bytes(recording.track($0).file) },
                arrivals.withLock { $0.count }
            )
        }
        let (alone, watched) = (try await recorded(false), try await recorded(true))
        #expect(alone.hashes == watched.hashes)
        #expect(alone.sound == watched.sound)
        #expect((32...40).contains(alone.arrivals))
        #expect(watched.arrivals >= 96)
    }
}
