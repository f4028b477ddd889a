import Foundation
import MulticamContainers
import MulticamMedia
import Testing

@Suite("Metadata of a finished movie")
struct MovieMetadataTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    private struct Chapters: Decodable {
        struct Chapter: Decodable {
            let start_time: String
            let end_time: String
            let tags: [String: String]?
        }
        let chapters: [Chapter]
    }

    private func chapters(_ path: String, _ more: [String] = []) throws -> [String] {
        let output = try Program.run(
            "ffprobe", ["-v", "error"] + more + ["-show_chapters", "-of", "json", path])
        return try JSONDecoder().decode(Chapters.self, from: output).chapters.map {
            "\($0.start_time) \($0.end_time) \($0.tags?["title"] ?? "")"
        }
    }

    private func record(
        _ notes: MovieMetadata, as kind: MovieKind = .mp4, name: String = "program.mp4"
    ) throws -> MovieFile {
        let (film, tone) = (try Clip.film.get(), try Clip.tone.get())
        let file = try MovieFile(
            path: folder.file(name), kind: kind,
            tracks: [.video(film.parameters, name: "program"), .audio(tone.parameters, name: "mix")],
            createdAt: MovieFile.date)
        try file.append([film, tone])
        file.metadata = notes
        let summary = try file.finish(ends: [270_000, 144_480])
        #expect(FileVerification.fault(ofMovie: file.path, expecting: summary) == nil)
        return file
    }

    private let notes = MovieMetadata(
        title: "Zwölf Fragen", date: "2026-11-21",
        chapters: [
            .init(start: MediaTime(nanoseconds: 2_500_000_000), title: "Der Schluß"),
            .init(start: MediaTime(nanoseconds: 1_033_333_333), title: "Question 1"),
            .init(start: MediaTime(nanoseconds: 99_000_000_000), title: "after the end"),
        ])

    @Test("contains ordered chapters from time 0 in both formats, without changes to playback")
    func chapters() throws {
        let file = try record(notes)
        let expected = [
            "0.000000 1.033300 Beginning", "1.033300 2.500000 Question 1", "2.500000 3.010000 Der Schluß",
        ]
        #expect(try chapters(file.path) == expected)
        // Without the QuickTime chapter track, only the `chpl` list remains.
        let listed = try chapters(file.path, ["-ignore_chapters", "1"])
        #expect(listed.isEmpty)
        let list = try #require(try Boxes(file: file.path).content("moov", "udta", "chpl"))
        #expect(list.number(at: list.startIndex + 8, bytes: 1) == 3)
        #expect(list.number(at: list.startIndex + 9, bytes: 8) == 0)
        #expect(list.range(of: Data("Der Schluß".utf8)) != nil)
        #expect(try Probe.decodedFrames(file.path) == Clip.film.get().frames)
        #expect(try Boxes(file: file.path).types == ["ftyp", "mdat", "moov"])
        let probe = try Probe(file.path)
        #expect(probe.streams.compactMap(\.startSeconds).allSatisfy { $0 == 0 })
        #expect(probe.streams.prefix(2).map(\.codec_name) == ["h264", "aac"])
        #expect(probe.format.tags?["title"] == "Zwölf Fragen")
        #expect(probe.format.tags?["date"] == "2026-11-21")
    }

    @Test("contains chapters in QuickTime files")
    func quickTime() throws {
        let file = try record(notes, as: .mov, name: "program.mov")
        #expect(try chapters(file.path).count == 3)
    }

    @Test("a file without metadata lacks a metadata box, and a recovered one is read without chapters")
    func recovery() throws {
        let plain = try record(MovieMetadata())
        #expect(try Boxes(file: plain.path).content("moov", "udta") == nil)
        let file = try record(notes, name: "noted.mp4")
        let recovery = try MovieRecovery(path: file.path)
        #expect(recovery.isPlain && recovery.tracks.count == 2)
    }

    @Test("an audio-only file is an M4A with its cover")
    func podcast() throws {
        let tone = try Clip.tone.get()
        let file = try MovieFile(
            path: folder.file("podcast.m4a"), kind: .mp4, tracks: [.audio(tone.parameters, name: "mix")],
            createdAt: MovieFile.date)
        try file.append([tone])
        let jpeg = try #require(try Clip.photographs.get().packets.first).bytes
        file.metadata = MovieMetadata(chapters: notes.chapters, cover: jpeg)
        try file.finish(ends: [144_480])
        let probe = try Probe(file.path)
        #expect(probe.format.tags?["major_brand"] == "M4A ")
        #expect(probe.streams.contains { $0.codec_name == "mjpeg" })
        #expect(try chapters(file.path).count == 3)
    }

    @Test(
        "truncates long titles between characters, and keeps chapters beyond 255 in the chapter track"
    )
    func limits() throws {
        let long = String(repeating: "ü", count: 200)
        let many = (0..<300).map {
            MovieMetadata.Chapter(start: MediaTime(nanoseconds: Int64($0) * 1_000_000), title: long)
        }
        let notes = MovieMetadata(chapters: many)
        #expect(notes.remark?.contains("300 chapters") == true)
        #expect(MovieMetadata(chapters: Array(many.prefix(255))).remark == nil)
        let file = try record(notes)
        let found = try chapters(file.path)
        #expect(found.count == 300)
        #expect(found[0].hasSuffix(String(repeating: "ü", count: 127)))
    }
}
