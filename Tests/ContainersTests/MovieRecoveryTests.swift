import Foundation
import MulticamContainers
import MulticamMedia
import MulticamSeededNoise
import Testing

@Suite("Recovery of a movie file after a crash")
struct MovieRecoveryTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// Records two cameras and audio in one file with a timecode. One camera has rotated JPEG frames, the
    /// other has H.264 frames that are reordered.
    private func record(_ name: String, disk: FileChangeRecorder? = nil, finish: Bool) throws -> String {
        let (photographs, film, tone) = (
            try Clip.photographs.get(), try Clip.film.get(), try Clip.tone.get()
        )
        let date = LocalTime(MovieFile.date, secondsFromGMT: 0)
        let file = try MovieFile(
            path: folder.file(name), kind: .mov,
            tracks: [
                .video(photographs.parameters, rotation: .quarter, name: "desk"),
                .video(film.parameters, name: "face"), .audio(tone.parameters, name: "host"),
                .timecode(Timecode(at: date, rate: FrameRate(30000, per: 1001)), name: "time of day"),
            ], createdAt: MovieFile.date, disk: disk?.hooks ?? FileWriteHooks())
        try file.append([photographs, film, tone])
        if finish {
            try file.finish()
        } else {
            try file.flushFragment()
            file.abandon()
        }
        return file.path
    }

    private func file(_ name: String, _ content: Data) throws -> String {
        let path = folder.file(name)
        try content.write(to: URL(filePath: path))
        return path
    }

    @Test("the recovered file is byte for byte identical to a finished one")
    func identical() throws {
        let killed = try record("killed.mov", finish: false)
        let finished = try record("finished.mov", finish: true)
        let remains = try MovieRecovery(path: killed)
        #expect(!remains.isPlain)
        try remains.repair()
        #expect(
            try Data(contentsOf: URL(filePath: killed)) == Data(contentsOf: URL(filePath: finished)))
    }

    @Test("the second recovery finds a complete file and doesn't change it")
    func twice() throws {
        let path = try record("killed.mov", finish: false)
        try MovieRecovery(path: path).repair()
        let first = try Data(contentsOf: URL(filePath: path))
        let disk = FileChangeRecorder()
        let again = try MovieRecovery(path: path, disk: disk.hooks)
        #expect(again.isPlain)
        try again.repair()
        #expect(disk.changes.isEmpty)
        #expect(try Data(contentsOf: URL(filePath: path)) == first)
    }

    @Test("a movie reports how much of all its tracks would survive a crash")
    func writtenEnd() throws {
        let (photographs, camera) = (try Clip.photographs.get(), try Clip.camera.get())
        let file = try MovieFile(
            path: folder.file("behind.mov"), kind: .mov,
            tracks: [
                .video(photographs.parameters, name: "desk"), .video(camera.parameters, name: "face"),
            ], createdAt: MovieFile.date)
        #expect(file.writtenEnd == .zero)
        try file.append([photographs, camera])
        try file.flushFragment()
        let ends = [photographs, camera].map { clip in
            let end = clip.packets.map { $0.presentation + $0.duration }.max() ?? 0
            return FrameRate(clip.parameters.timeScale).time(ofTick: end)
        }
        #expect(file.writtenEnd == ends.min())
        file.abandon()
    }

    /// Returns an unfinished small recording of two cameras, and the sample counts of its complete content.
    private func twoCameras() throws -> (content: Data, counts: [Int]) {
        let (photographs, camera) = (try Clip.photographs.get(), try Clip.camera.get())
        let file = try MovieFile(
            path: folder.file("two.mov"), kind: .mov,
            tracks: [
                .video(photographs.parameters, name: "desk"), .video(camera.parameters, name: "face"),
            ], createdAt: MovieFile.date)
        try file.append([photographs, camera])
        try file.flushFragment()
        file.abandon()
        return (
            try Data(contentsOf: URL(filePath: file.path)),
            [photographs.packets.count, camera.packets.count]
        )
    }

    /// Returns every offset around the start of each box and some offsets elsewhere, or all offsets if
    /// `MULTICAM_ALL_OFFSETS` is set.
    private func offsets(of content: Data) -> [Int] {
        guard ProcessInfo.processInfo.environment["MULTICAM_ALL_OFFSETS"] == nil else {
            return Array(0...content.count)
        }
        let edges = Boxes(content).boxes.flatMap { box in
            stride(from: box.range.lowerBound - 2, through: box.range.lowerBound + 18, by: 1)
        }
        let all = Set(edges).union(stride(from: 0, through: content.count, by: 1499)).union([content.count])
        return all.filter { (0...content.count).contains($0) }.sorted()
    }

    @Test("a file truncated at any offset yields exactly the samples before the cut")
    func everyOffset() throws {
        let (content, counts) = try twoCameras()
        // At the end of each fragment's media data, all its samples must be present.
        let ends = Boxes(content).boxes.filter { $0.type == "mdat" }.map(\.range.upperBound)
        var last = [0, 0]
        var readable = 0
        for offset in offsets(of: content) {
            let path = try file("torn.mov", content.prefix(offset))
            do throws(FileError) {
                let tracks = try MovieRecovery(path: path).tracks
                let now = tracks.map(\.sampleCount)
                #expect(zip(now, last).allSatisfy { $0 >= $1 }, "\(now) after \(last) at \(offset)")
                #expect(zip(now, counts).allSatisfy { $0 <= $1 })
                #expect(zip(tracks, [1001, 3000]).allSatisfy { $0.end == Int64($0.sampleCount) * Int64($1) })
                last = now
                readable += 1
            } catch {
                #expect(offset < ends[0], "\(error) at \(offset)")
                #expect(error.errno == 0)
            }
        }
        #expect(last == counts)
        #expect(readable > 50)
    }

    @Test(
        "a file truncated at any offset becomes a plain movie of the complete frames",
        arguments: [0.4, 0.55, 0.8, 0.97])
    func cutAndMadeWhole(share: Double) throws {
        let (content, _) = try twoCameras()
        let path = try file("torn.mov", content.prefix(Int(Double(content.count) * share)))
        let counts = try MovieRecovery(path: path).tracks.map(\.sampleCount)
        try MovieRecovery(path: path).repair()
        #expect(try Boxes(file: path).types == ["ftyp", "mdat", "moov"])
        let probe = try Probe(path)
        #expect(probe.streams.map(\.packetCount) == counts)
        #expect(probe.streams.compactMap(\.startSeconds) == [0, 0])
        let (desk, face) = (try Clip.photographs.get().frames, try Clip.camera.get().frames)
        #expect(try Probe.decodedFrames(path, stream: "v:0") == Array(desk.prefix(counts[0])))
        #expect(try Probe.decodedFrames(path, stream: "v:1") == Array(face.prefix(counts[1])))
        // All data is preserved except for the header of the media data box.
        let whole = try Data(contentsOf: URL(filePath: path))
        #expect(whole.prefix(20) == content.prefix(20))
        let cut = content.prefix(Int(Double(content.count) * share))
        #expect(whole.dropFirst(36).prefix(cut.count - 36) == cut.dropFirst(36))
    }

    @Test("trailing zeros and garbage are ignored", arguments: [0, 0xA5] as [UInt8])
    func rubbish(byte: UInt8) throws {
        let (content, counts) = try twoCameras()
        let path = try file("rubbish.mov", content + Data(repeating: byte, count: 9000))
        try MovieRecovery(path: path).repair()
        #expect(try Probe(path).streams.map(\.packetCount) == counts)
        #expect(try MovieRecovery(path: path).isPlain)
    }

    @Test("a track ends before the first frame with a page lost in a power cut")
    func lostPage() throws {
        var (content, counts) = try twoCameras()
        // The last fragment may be smaller than a page.
        let last = try #require(
            Boxes(content).boxes.last { $0.type == "mdat" && $0.range.count > 3 * 4096 })
        let middle = (last.range.lowerBound + 4096) / 4096 * 4096
        content.replaceSubrange(middle..<middle + 4096, with: Data(count: 4096))
        let tracks = try MovieRecovery(path: try file("holes.mov", content)).tracks
        #expect(tracks[0].sampleCount < counts[0] || tracks[1].sampleCount < counts[1])
        // A fragment contains 15 of its frames.
        #expect(tracks[0].sampleCount > counts[0] - 24)
    }

    // MARK: Finishing that is interrupted

    /// Recovers the file and returns the sample counts of all tracks with the resulting content.
    private func recovered(_ content: Data) throws -> (counts: [Int], content: Data) {
        let path = try file("interrupted.mov", content)
        let remains = try MovieRecovery(path: path)
        let counts = remains.tracks.map(\.sampleCount)
        try remains.repair()
        return (counts, try Data(contentsOf: URL(filePath: path)))
    }

    @Test("finishing loses no data if it is interrupted after or within any write")
    func interruptedFinish() throws {
        let disk = FileChangeRecorder()
        let path = try record("desk.mov", disk: disk, finish: true)
        let finished = try Data(contentsOf: URL(filePath: path))
        let changes = disk.changes
        let first = try #require(
            changes.lastIndex { change in
                if case .write(let bytes, let place) = change {
                    place > 4096 && bytes[4..<8] == Array("moov".utf8)[...]
                } else {
                    false
                }
            })
        let counts = [60, 90, try Clip.tone.get().packets.count, 1]
        for step in first..<changes.count {
            var sizes = [0]
            if case .write(let bytes, _) = changes[step] {
                // A power cut splits a write between sectors. The last write of 16 bytes fits within one
                // sector.
                sizes =
                    bytes.count <= 16 ? [0, bytes.count] : [0, 1, 511, 512, bytes.count / 2, bytes.count]
            }
            for size in sizes {
                let (found, whole) = try recovered(
                    FileChangeRecorder.content(after: changes[..<step], then: changes[step], bytes: size))
                #expect(found == counts, "\(size) bytes of change \(step)")
                #expect(Boxes(whole).types == ["ftyp", "mdat", "moov"])
                #expect(whole.suffix(1000) == finished.suffix(1000))
            }
        }
    }

    @Test("a power cut at any time loses no durable data, regardless of the lost sectors")
    func powerCuts() throws {
        let disk = FileChangeRecorder()
        _ = try record("desk.mov", disk: disk, finish: true)
        let changes = disk.changes
        var random = SeededGenerator(seed: 7)
        for _ in 0..<60 {
            let cut = Int.random(in: 3...changes.count, using: &random)
            let part = changes[..<cut]
            let durable = FileChangeRecorder.content(after: part[..<(part.lastIndex(of: .durable) ?? 0)])
            var before: [Int] = []
            do {
                before = try MovieRecovery(path: try file("durable.mov", durable)).tracks.map(\.sampleCount)
            } catch is FileError {}
            let share = Int.random(in: 0...4, using: &random)
            let seed = random.next()
            let left = FileChangeRecorder.content(afterPowerCutAfter: part) { sector in
                var noise = SeededGenerator(seed: seed &+ UInt64(sector))
                return noise.next() % 4 < share
            }
            guard !before.isEmpty else { continue }
            let after = try recovered(left).counts
            #expect(zip(after, before).allSatisfy { $0 >= $1 }, "\(after) after \(before) at change \(cut)")
        }
    }

    @Test("a recovery can be interrupted anywhere, and a second one produces the same file")
    func interruptedRecovery() throws {
        let (content, _) = try twoCameras()
        let torn = content.prefix(content.count - 700)
        let path = try file("torn.mov", torn)
        let disk = FileChangeRecorder()
        let ends: [Int64?] = [70 * 1001, 80 * 3000]
        try MovieRecovery(path: path, disk: disk.hooks).repair(ends: ends)
        let whole = try Data(contentsOf: URL(filePath: path))
        for (step, change) in disk.changes.enumerated() {
            var sizes = [0]
            if case .write(let bytes, _) = change {
                sizes = bytes.count <= 16 ? [0, bytes.count] : [0, 512, bytes.count / 2, bytes.count]
            }
            for size in sizes {
                var left = Data(torn)
                left = FileChangeRecorder.content(
                    after: [.write([UInt8](left), at: 0)] + disk.changes[..<step], then: change, bytes: size)
                let again = try file("again.mov", left)
                try MovieRecovery(path: again).repair(ends: ends)
                #expect(
                    try Data(contentsOf: URL(filePath: again)) == whole, "\(size) bytes of change \(step)")
            }
        }
    }

    // MARK: Ends

    @Test(
        "tracks are cut and padded to the given end with repeated frames and silence, and the file keeps all data"
    )
    func ends() throws {
        let path = try record("killed.mov", finish: false)
        let before = try Data(contentsOf: URL(filePath: path))
        // At 2.5 s, the JPEG track has 2.002 s, and the other tracks have 3 and 3.01 s. The audio track is
        // extended to 3.5 s.
        try MovieRecovery(path: path).repair(ends: [75 * 1001, 75 * 3000, 168_000, nil])
        let probe = try Probe(path)
        #expect(probe.streams.prefix(2).map(\.packetCount) == [75, 75])
        #expect(probe.streams.prefix(3).compactMap(\.startSeconds) == [0, 0, 0])
        #expect(probe.streams[2].durationSeconds == 3.5)
        #expect(probe.streams[0].rotation == -90)
        let (desk, face) = (try Clip.photographs.get().frames, try Clip.film.get().frames)
        #expect(
            try Probe.decodedFrames(path, stream: "v:0")
                == desk + Array(repeating: try #require(desk.last), count: 15))
        #expect(try Probe.decodedFrames(path, stream: "v:1") == Array(face.prefix(75)))
        let problems = try Program.run(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0:a", "-f", "null", "-"])
        #expect(problems.isEmpty)
        let after = try Data(contentsOf: URL(filePath: path))
        #expect(after.dropFirst(36).prefix(before.count - 36) == before.dropFirst(36))
    }

    @Test("frames with missing references are excluded, so that no gap remains")
    func holes() throws {
        let film = try Clip.film.get()
        for count in [40, 41, 42, 43, 44, 45] {
            let file = try MovieFile(
                path: folder.file("film-\(count).mp4"), kind: .mp4,
                tracks: [.video(film.parameters, name: "program")],
                createdAt: MovieFile.date)
            for packet in film.packets.prefix(count) { try file.append(packet, to: 0) }
            try file.flushFragment()
            file.abandon()
            let remains = try MovieRecovery(path: file.path)
            let kept = remains.tracks[0].sampleCount
            #expect(kept + remains.tracks[0].droppedCount == count)
            #expect(remains.tracks[0].droppedCount <= 3)
            #expect(remains.tracks[0].end == Int64(kept) * 3000)
            try remains.repair()
            #expect(try Probe.decodedFrames(file.path) == Array(film.frames.prefix(kept)))
        }
    }

    @Test(
        "frames dropped by a slow disk are counted, and the frames around them keep their times")
    func leftOut() throws {
        let clip = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file("slow.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date)
        for (index, packet) in clip.packets.enumerated() where ![7, 8, 9, 30].contains(index) {
            try file.append(packet, to: 0)
        }
        try file.flushFragment()
        file.abandon()
        let track = try MovieRecovery(path: file.path).tracks[0]
        let holes: [Range<Int64>] = [7007..<10_010, 30_030..<31_031]
        #expect(track.holes == holes)
        #expect(track.sampleCount == clip.packets.count - 4)
        #expect(track.end == Int64(clip.packets.count) * 1001)
    }

    // MARK: What is not ours

    @Test("a movie from another program is rejected with one sentence and not changed")
    func foreign() throws {
        let clip = try Clip.film.get()
        for (content, words) in [
            (clip.reference, "not a movie recorded by multicam"), (Data(), "not a movie"),
            (Data("mine".utf8), "not a movie"),
            (try twoCameras().content.prefix(40), "the file contains no frames and no audio"),
        ] {
            let path = try file("foreign.mp4", content)
            let error = #expect(throws: FileError.self) { _ = try MovieRecovery(path: path) }
            #expect(error?.detail.contains(words) == true, "\(error?.description ?? "")")
            #expect(try Data(contentsOf: URL(filePath: path)) == content)
        }
    }

    @Test("damage anywhere is rejected or skipped without a crash")
    func damage() throws {
        let (content, counts) = try twoCameras()
        let path = try record("plain.mov", finish: true)
        var random = SeededGenerator(seed: 3)
        for source in [content, try Data(contentsOf: URL(filePath: path))] {
            let heads = Boxes(source).boxes.filter { $0.type != "mdat" }.map {
                $0.range.lowerBound..<min($0.range.upperBound, $0.range.lowerBound + 3000)
            }
            for _ in 0..<150 {
                var damaged = source
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    guard let part = heads.randomElement(using: &random) else { continue }
                    damaged[Int.random(in: part, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                let copy = try file("damaged.mov", damaged)
                do throws(FileError) {
                    let remains = try MovieRecovery(path: copy)
                    #expect(remains.tracks.allSatisfy { $0.sampleCount <= 1000 })
                    try remains.repair()
                } catch {
                    #expect(error.errno == 0)
                }
            }
        }
        #expect(counts.count == 2)
    }

    @Test("a movie that is being recorded is rejected as busy")
    func busy() throws {
        let clip = try Clip.photographs.get()
        let file = try MovieFile(
            path: folder.file("desk.mov"), kind: .mov, tracks: [.video(clip.parameters, name: "desk")],
            createdAt: MovieFile.date)
        try file.append([clip])
        let error = #expect(throws: FileError.self) { _ = try MovieRecovery(path: file.path) }
        #expect(error?.isBusy == true)
        try file.finish()
    }
}
