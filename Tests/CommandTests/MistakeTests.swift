import Foundation
import Testing

/// Tests each row of `mistakes.md`, which lists typical mistakes with their error messages.
@Suite("Typical mistakes on the command line")
struct MistakeTests {
    private struct Row {
        let words: [String]
        let status: Int32
        /// The expected output, with `…` for parts that depend on the computer.
        let answer: String
    }

    private static let table = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "mistakes.md")

    private static func rows() throws -> [Row] {
        try String(contentsOf: table, encoding: .utf8).split(separator: "\n").compactMap { line -> Row? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].hasPrefix("`multicam"), let status = Int32(cells[1]) else {
                return nil
            }
            // Arguments that are empty or contain spaces are quoted.
            let command = cells[0].trimmingCharacters(in: ["`"])
            var words: [String] = []
            for (index, part) in command.split(separator: "'", omittingEmptySubsequences: false).enumerated()
            {
                if index % 2 == 1 {
                    words.append(String(part))
                } else {
                    words += part.split(separator: " ").map(String.init)
                }
            }
            return Row(words: Array(words.dropFirst()), status: status, answer: cells[2])
        }
    }

    /// Creates the files named in the table.
    private func prepare(_ folder: Scratch) throws {
        _ = try folder.file("notes.txt", "Bring the cables.\n")
        _ = try folder.file("empty.yaml", "")
        _ = try folder.file("tab.yaml", "cameras:\n\tdesk: { device: any }\n")
        _ = try folder.file("typo.yaml", "cameras: { desk: { device: any, sise: 640x480 } }\n")
        _ = try folder.file("twice.yaml", "cameras: { a: { device: any }, a: { device: any } }\n")
        _ = try folder.file("nothing.yaml", "cameras: { a: { device: any } }\ntracks: { cameras: none }\n")
        _ = try folder.file("sound.yaml", "microphones: { host: { device: default } }\n")
        _ = try folder.file(
            "two.yaml", "cameras: { a: { device: any, size: big, rate: fast } }\nlimits: { lost_frames: 2 }\n"
        )
        _ = try folder.file("manifest.json", "not a manifest")
        try prepareTalk(folder)
        // This path is identical to the folder of the group's only node.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/studio", withIntermediateDirectories: true)
        _ = try folder.file(
            "studio/group.json",
            """
            {"schema":1,"group":"studio","recording":"r","t0_utc_ns":1,"missing":[],
             "nodes":[{"name":"left","folder":"talk","first_ns":0,"outcome":"finished"}]}
            """)
        try FileManager.default.copyItem(atPath: folder.path + "/talk", toPath: folder.path + "/studio/left")
    }

    /// A finished recording, whose files are never read.
    private func prepareTalk(_ folder: Scratch) throws {
        for place in ["talk/cameras", "talk/audio"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(place)", withIntermediateDirectories: true)
        }
        let tracks = [
            ("camera", "desk", "cameras/desk.mov"), ("camera", "face", "cameras/face.mov"),
            ("microphone", "host", "audio/host.wav"),
        ].map { kind, role, file in
            #"{"name":"\#(role)","kind":"\#(kind)","file":"\#(file)","stream":0,"codec":"mjpeg","first_ns":0,"duration_ns":10000000000}"#
        }
        for file in ["cameras/desk.mov", "cameras/face.mov", "audio/host.wav"] {
            _ = try folder.file("talk/\(file)", "")
        }
        _ = try folder.file(
            "talk/manifest.json",
            """
            {"schema":1,"multicam":"0.0.0","profile":"talk","started":"2026-11-21T14:23:10.000000000+01:00",
             "t0_monotonic_ns":1,"duration_ns":10000000000,"alignment_delay_ns":1,"outcome":"finished",
             "machine":{"host":"h","system":"s","processors":1},"devices":[],"governor":[],"markers":[],"gaps":[],
             "tracks":[\(tracks.joined(separator: ","))]}
            """)
    }

    @Test("each mistake produces the documented message and exit status")
    func answers() throws {
        let scratch = try Scratch()
        try prepare(scratch)
        let rows = try Self.rows()
        #expect(rows.count >= 50)
        for row in rows {
            let words = row.words.map { $0.replacing("DIR", with: scratch.path) }
            let outcome = try Multicam.run([Multicam.path] + words)
            let messages = outcome.errorsWithoutPressure.split(separator: "\n").map {
                $0.hasPrefix("multicam: ") ? $0.dropFirst(10) : $0
            }
            let answer = messages.joined(separator: " / ").replacing(scratch.path, with: "DIR")
            #expect(outcome.status == row.status, "\(row.words)")
            #expect(Self.fits(answer, row.answer), "\(row.words): \(answer)")
            // The message must be a full sentence with the failure, its cause, and a remedy.
            #expect(answer.hasSuffix(".") && answer.count > 30, "\(answer)")
        }
    }

    /// Returns whether `text` matches `pattern`, in which `…` is a wildcard.
    private static func fits(_ text: String, _ pattern: String) -> Bool {
        var rest = text[...]
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.hasSuffix(part)
            } else {
                guard let range = rest.firstRange(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
        }
        return rest.isEmpty
    }
}
