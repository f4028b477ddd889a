import Foundation

/// A session folder that contains only audio: its manifest and its WAV files.
final class SyntheticSession {
    let folder: String

    /// Writes the audio files by their names, in the order of the manifest.
    init(_ audioBlocks: [(name: String, audio: SyntheticAudio)]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder + "/audio", withIntermediateDirectories: true)
        var tracks: [[String: Any]] = []
        for (name, audio) in audioBlocks {
            try audio.wave.write(to: URL(fileURLWithPath: folder + "/audio/\(name).wav"))
            tracks.append([
                "name": name, "kind": "microphone", "file": "audio/\(name).wav", "stream": 0,
                "codec": "pcm_s24le",
                "channels": 1, "first_ns": 0, "duration_ns": audio.duration,
            ])
        }
        try write(manifest(tracks: tracks, duration: audioBlocks.first?.audio.duration ?? 0))
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: folder)
        } catch {
            print("left behind: \(folder): \(error)")
        }
    }

    func manifest(tracks: [[String: Any]], duration: Int64, outcome: String = "finished") -> [String: Any] {
        [
            "schema": 1, "multicam": "0.0.0", "profile": "test",
            "started": "2026-01-01T00:00:00.000000000+00:00",
            "t0_monotonic_ns": 1, "duration_ns": duration, "alignment_delay_ns": 100_000_000,
            "outcome": outcome,
            "machine": ["host": "test", "system": "test", "processors": 1], "devices": [], "tracks": tracks,
            "governor": [], "markers": [], "gaps": [],
        ]
    }

    func write(_ manifest: [String: Any]) throws {
        let data = try JSONSerialization.data(withJSONObject: manifest)
        try data.write(to: URL(fileURLWithPath: folder + "/manifest.json"))
    }
}

extension SyntheticAudio {
    var duration: Int64 { Int64(Double(samples.count) / rate * 1e9) }

    /// A WAV file of 32-bit floats (IEEE float, format 3).
    var wave: Data {
        func little<Number: FixedWidthInteger>(_ number: Number) -> Data {
            withUnsafeBytes(of: number.littleEndian) { Data($0) }
        }
        let bytes = samples.withUnsafeBytes { Data($0) }
        var data = Data("RIFF".utf8) + little(UInt32(36 + bytes.count)) + Data("WAVEfmt ".utf8)
        data += little(UInt32(16)) + little(UInt16(3)) + little(UInt16(1)) + little(UInt32(rate))
        data += little(UInt32(rate) * 4) + little(UInt16(4)) + little(UInt16(32))
        return data + Data("data".utf8) + little(UInt32(bytes.count)) + bytes
    }
}
