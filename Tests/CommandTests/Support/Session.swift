import Foundation
import MulticamLedgerCheck
import MulticamSessionFolder
import Testing

/// A session folder that is read with programs other than multicam.
struct Session {
    struct Media {
        let frames: Int
        let seconds: Double
    }

    let path: String
    let manifest: Manifest

    init(_ path: String) throws {
        self.path = path
        manifest = try LedgerCheck.manifest(of: path)
    }

    var outcome: Manifest.Outcome { manifest.outcome }
    var seconds: Double { Double(manifest.duration_ns) / 1e9 }

    func track(_ name: String) throws -> Manifest.Track {
        try #require(manifest.tracks.first { $0.name == name })
    }

    func frames(_ name: String) throws -> Manifest.Frames { try #require(try track(name).frames) }

    /// Changes the manifest of a session folder, as another program or a crash could.
    static func edit(_ folder: String, _ change: (inout Manifest) -> Void) throws {
        var manifest = try LedgerCheck.manifest(of: folder)
        change(&manifest)
        try write(manifest, to: folder)
    }

    static func write(_ manifest: Manifest, to folder: String) throws {
        try JSONText.pretty(manifest).write(to: URL(fileURLWithPath: folder + "/manifest.json"))
    }

    /// Decodes a whole file with ffmpeg, expects no error messages, and returns its frame count and duration.
    func play(_ file: String) throws -> Media {
        let full = path + "/" + file
        let decoded = try Multicam.run(["ffmpeg", "-v", "error", "-i", full, "-f", "null", "-"])
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(file): \(decoded.errors)")
        let probe = try Multicam.run([
            "ffprobe", "-v", "error", "-count_packets", "-show_entries",
            "format=duration:stream=codec_type,nb_read_packets", "-of", "json", full,
        ])
        let facts = try JSONSerialization.jsonObject(with: Data(probe.output.utf8)) as? [String: Any] ?? [:]
        let streams = facts["streams"] as? [[String: Any]] ?? []
        let video = streams.first { $0["codec_type"] as? String == "video" }
        let format = facts["format"] as? [String: Any] ?? [:]
        return Media(
            frames: Int(video?["nb_read_packets"] as? String ?? "") ?? 0,
            seconds: Double(format["duration"] as? String ?? "") ?? 0)
    }
}

extension Manifest.Track {
    /// The number of frames or samples in the track's files.
    var written: Int64? { frames.map { Int64($0.written) } ?? samples?.written }
}
