import Containers
import Foundation
import Media
import Testing

@Suite("when a file writes next")
struct WriteRhythmTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// How many items come before a thread that gathers as the file says is woken, again and again; the file writes then.
    private func wakes(
        items: Int, step: Nanoseconds, burst: Int = 1, rhythm: () -> WriteRhythm?, take: (Int) throws -> Void
    ) throws -> [Int] {
        var (wakes, waiting, since, known) = ([Int](), 0, Nanoseconds.zero, WriteRhythm?.none)
        for item in 0..<items {
            let now = Nanoseconds(step.count * Int64(item / burst * burst))
            if waiting == 0 { since = now }
            waiting += 1
            let isCounted = known?.packets.map { waiting >= $0 } ?? false
            guard isCounted || now - since >= known?.gatheringTime ?? .milliseconds(100) else { continue }
            for index in item + 1 - waiting..<item + 1 { try take(index) }
            wakes.append(waiting)
            let next: WriteRhythm = try #require(rhythm())
            (waiting, known) = (0, next)
        }
        return wakes
    }

    @Test(
        "a movie's thread is woken once for each fragment, from the second on, whether frames come one by one or three at once",
        arguments: [1, 3])
    func movie(burst: Int) throws {
        let camera = try Clip.camera.get()
        let path = folder.file("desk.mov")
        let file = try MovieFile(
            path: path, kind: .mov, tracks: [.video(camera.parameters, name: "desk")],
            createdAt: MovieFile.date)
        #expect(file.rhythm == nil)
        let first = try #require(camera.packets.first)
        // Frames at 30 Hz by a clock of 90 kHz.
        let wakes = try wakes(items: 200, step: .seconds(1) / 30, burst: burst, rhythm: { file.rhythm }) {
            index in
            try file.append(
                EncodedPacket(
                    bytes: first.bytes, presentation: Int64(index) * 3000, decode: Int64(index) * 3000,
                    duration: 3000,
                    isKey: true), to: 0)
        }
        // A tenth of a second comes before anything is known, then what is missing.
        #expect(wakes.prefix(2).reduce(0, +) == 15)
        #expect(wakes.dropFirst(2).allSatisfy { $0 == 15 } && wakes.count > 10)
        // All but the last, which waits, is in the file each time.
        #expect(file.writtenSampleCount(ofTrack: 0) == wakes.reduce(0, +))
    }

    @Test("a wave file's thread is woken once for each half second")
    func wave() throws {
        let file = try WaveFile(
            path: folder.file("host.wav"), format: AudioFormat(rate: 48_000, channels: 2),
            broadcast: WaveBroadcast(
                description: "host", reference: "r", start: LocalTime(MovieFile.date, secondsFromGMT: 0)))
        #expect(file.rhythm == nil)
        let silence = [Float](repeating: 0, count: 960 * 2)
        let wakes = try wakes(items: 300, step: .milliseconds(20), rhythm: { file.rhythm }) { _ in
            try file.append(samples: silence)
        }
        #expect(wakes.prefix(2) == [6, 19])
        #expect(wakes.dropFirst(2).allSatisfy { $0 == 25 } && wakes.count > 10)
        try file.finish()
    }
}
