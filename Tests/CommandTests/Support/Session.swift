import Foundation
import Testing

/// A session folder that is read with programs other than multicam.
struct Session {
    struct Media {
        let frames: Int
        let seconds: Double
    }

    let path: String
    let manifest: [String: Any]

    init(_ path: String) throws {
        self.path = path
        let data = try Data(contentsOf: URL(fileURLWithPath: path + "/manifest.json"))
        manifest = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    var outcome: String? { manifest["outcome"] as? String }
    var seconds: Double { ((manifest["duration_ns"] as? NSNumber)?.doubleValue ?? 0) / 1e9 }
    var markers: [[String: Any]] { manifest["markers"] as? [[String: Any]] ?? [] }

    func track(_ name: String) throws -> [String: Any] {
        let tracks = manifest["tracks"] as? [[String: Any]] ?? []
        return try #require(tracks.first { $0["name"] as? String == name })
    }

    func frames(_ name: String) throws -> [String: Any] {
        try #require(try track(name)["frames"] as? [String: Any])
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
