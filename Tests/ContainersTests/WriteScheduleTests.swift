import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("Write intervals of a file")
struct WriteScheduleTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Returns the number of items before each wake-up of a thread that batches items as the file requests,
    /// and writes on each wake-up.
    private func batchSizes(
        items: Int, step: Nanoseconds, burst: Int = 1, rhythm: () -> WriteSchedule?,
        write: (Int) throws -> Void
    ) throws -> [Int] {
        var (wakes, waiting, since, known) = ([Int](), 0, Nanoseconds.zero, WriteSchedule?.none)
        for item in 0..<items {
            let now = Nanoseconds(step.count * Int64(item / burst * burst))
            if waiting == 0 { since = now }
            waiting += 1
            let isCounted = known?.remainingPackets.map { waiting >= $0 } ?? false
            guard isCounted || now - since >= known?.batchingTime ?? .milliseconds(100) else { continue }
            for index in item + 1 - waiting..<item + 1 { try write(index) }
            wakes.append(waiting)
            let next: WriteSchedule = try #require(rhythm())
            (waiting, known) = (0, next)
        }
        return wakes
    }

    @Test(
        "a movie's thread wakes once per fragment from the second on, for single frames and bursts of three",
        arguments: [1, 3])
    func movie(burst: Int) throws {
        let camera = try Clip.camera.get()
        let path = folder.file("desk.mov")
        let file = try MovieFile(
            path: path, kind: .mov, tracks: [.video(camera.parameters, name: "desk")],
            createdAt: MovieFile.date)
        #expect(file.writeSchedule == nil)
        let first = try #require(camera.packets.first)
        // The frames have a rate of 30 Hz in a 90 kHz time scale.
        let wakes = try batchSizes(
            items: 200, step: .seconds(1) / 30, burst: burst, rhythm: { file.writeSchedule }
        ) {
            index in
            try file.append(
                EncodedPacket(
                    bytes: first.bytes, presentation: Int64(index) * 3000, decode: Int64(index) * 3000,
                    duration: 3000,
                    isKey: true), to: 0)
        }
        // The first wake-up is after 0.1 s, before the rhythm is known. The next one completes the fragment.
        #expect(wakes.prefix(2).reduce(0, +) == 15)
        #expect(wakes.dropFirst(2).allSatisfy { $0 == 15 } && wakes.count > 10)
        // After each wake-up, all frames except the pending last one are in the file.
        #expect(file.writtenSampleCount(ofTrack: 0) == wakes.reduce(0, +))
    }

    @Test("a wave file's thread wakes once per half second")
    func wave() throws {
        let file = try WaveFile(
            path: folder.file("host.wav"), format: AudioFormat(rate: 48_000, channels: 2),
            broadcast: BroadcastExtension(
                description: "host", reference: "r", start: LocalTime(MovieFile.date, secondsFromGMT: 0)))
        #expect(file.writeSchedule == nil)
        let silence = [Float](repeating: 0, count: 960 * 2)
        let wakes = try batchSizes(items: 300, step: .milliseconds(20), rhythm: { file.writeSchedule }) { _ in
            try file.append(samples: silence)
        }
        #expect(wakes.prefix(2) == [6, 19])
        #expect(wakes.dropFirst(2).allSatisfy { $0 == 25 } && wakes.count > 10)
        try file.finish()
    }
}
