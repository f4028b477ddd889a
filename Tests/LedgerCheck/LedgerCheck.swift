import Foundation
package import MulticamSessionFolder
internal import MulticamTiming

/// Compares the numbers in a recording's manifest with its files, as counted by ffprobe, and with what could have been
/// captured.
package enum LedgerCheck {
    /// Reads the manifest of a session folder.
    package static func manifest(of folder: String) throws -> Manifest {
        try JSONDecoder().decode(
            Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/manifest.json")))
    }

    /// Checks the manifest of one folder.
    ///
    /// - Parameters:
    ///   - manifest: The manifest of a recording that has ended.
    ///   - folder: The session folder of the recording.
    /// - Returns: A sentence for each violated rule.
    /// - Throws: An error if a file can't be read.
    package static func breaches(of manifest: Manifest, in folder: String) throws -> [String] {
        var probes: [String: [Probe.Stream]] = [:]
        var breaches: [String] = []
        for track in manifest.tracks {
            let streams = try ([track.file] + (track.parts ?? [])).map { file -> Probe.Stream? in
                let all = try probes[file] ?? Probe.streams(of: "\(folder)/\(file)")
                probes[file] = all
                return all.first { $0.index == track.stream }
            }
            if let frames = track.frames {
                breaches += self.breaches(of: frames, track, streams, manifest).map {
                    "\(folder): \(track.name): \($0): \(frames), missing \(track.missing ?? [:])"
                }
            }
            if let samples = track.samples {
                breaches += self.breaches(of: samples, track, streams, manifest).map {
                    "\(folder): \(track.name): \($0): \(samples)"
                }
            }
        }
        return breaches
    }

    // MARK: Frames

    private static func breaches(
        of frames: Manifest.Frames, _ track: Manifest.Track, _ streams: [Probe.Stream?], _ manifest: Manifest
    ) -> [String] {
        var breaches: [String] = []
        let lost = frames.lost.values.reduce(0, +)
        if frames.written != frames.captured - frames.decimated + frames.duplicated + frames.slate {
            breaches.append("written ≠ captured − decimated + duplicated + slate")
        }
        if ![frames.captured, frames.decimated, frames.duplicated, frames.slate].allSatisfy({ $0 >= 0 })
            || !frames.lost.values.allSatisfy({ $0 > 0 })
        {
            breaches.append("a count is below 0, or a loss is 0")
        }
        let shown = streams.reduce(0) { $0 + ($1?.shownCount ?? 0) }
        if shown != frames.written { breaches.append("the files have \(shown) frames") }
        if track.kind == "program" {
            let ticks = count(manifest.duration_ns, rate: track.rate ?? 0)
            if Double(lost) > ticks || Double(frames.written) > ticks {
                breaches.append("there are only \(ticks) ticks")
            }
            for (role, missing) in track.missing ?? [:]
            where missing.values.reduce(0, +) > frames.written + lost {
                breaches.append("more ticks lack \(role) than there are")
            }
        } else if let limit = mostFrames(of: track, in: manifest), Double(frames.captured + lost) > limit {
            breaches.append("captured + lost is above \(limit)")
        }
        return breaches
    }

    /// Returns the number of frames that a camera could have delivered during a recording; `nil` if its rate is
    /// unknown.
    private static func mostFrames(of track: Manifest.Track, in manifest: Manifest) -> Double? {
        let devices = manifest.devices.filter { $0.role == track.role ?? track.name && $0.kind == "camera" }
        let rates = devices.map { $0.format.rate * (1 + max($0.clock.ppm, 0) / 1e6) }
        guard let rate = rates.max(), devices.allSatisfy({ !$0.identity.hasPrefix("file") }) else {
            return nil
        }
        // There may be one more frame at each end, and one wherever the stream began again in another phase, after a
        // gap or with another camera.
        return count(manifest.duration_ns, rate: rate) + 2
            + Double(manifest.gaps.count { $0.track == track.name } + devices.count - 1)
    }

    // MARK: Samples

    private static func breaches(
        of samples: Manifest.Samples, _ track: Manifest.Track, _ streams: [Probe.Stream?],
        _ manifest: Manifest
    ) -> [String] {
        var breaches: [String] = []
        if samples.written != samples.captured + samples.silence {
            breaches.append("written ≠ captured + silence")
        }
        if samples.captured < 0 || samples.silence < 0 { breaches.append("a count is below 0") }
        let inFiles = streams.reduce(0) { $0 + ($1?.sampleCount ?? 0) }
        // A player rounds the length of AAC to packets of 1024 samples.
        let tolerance = track.codec == "aac" ? 1024 * Int64(streams.count) : 0
        if abs(inFiles - samples.written) > tolerance { breaches.append("the files have \(inFiles) samples") }
        if Double(samples.written) > count(manifest.duration_ns, rate: 48_000) {
            breaches.append("the recording is shorter")
        }
        return breaches
    }

    /// Returns the number of grid ticks in a duration in nanoseconds.
    private static func count(_ duration: Int64, rate: Double) -> Double {
        (Double(duration) * rate / 1e9 - 1e-6).rounded(.up)
    }
}

/// A media file that was read by ffprobe.
private struct Probe: Decodable {
    struct Stream: Decodable {
        let index: Int
        let duration: String?
        var shownCount = 0

        /// Number of samples per channel at 48 kHz.
        var sampleCount: Int64 { duration.flatMap { Double($0) }.map { Int64(($0 * 48_000).rounded()) } ?? 0 }

        private enum CodingKeys: String, CodingKey { case index, duration }
    }

    struct Packet: Decodable {
        let stream_index: Int
        let flags: String
    }

    let packets: [Packet]
    let streams: [Stream]

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Returns the streams with their number of packets. Hidden frames, which are stored only because later frames
    /// depend on them, are not counted.
    static func streams(of path: String) throws -> [Stream] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "ffprobe", "-v", "error", "-show_entries", "stream=index,duration:packet=stream_index,flags",
            "-of",
            "json", path,
        ]
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "ffprobe can't read \(path)")
        }
        let probe = try JSONDecoder().decode(Self.self, from: data)
        var counts: [Int: Int] = [:]
        for packet in probe.packets where !packet.flags.contains("D") {
            counts[packet.stream_index, default: 0] += 1
        }
        return probe.streams.map { stream in
            var stream = stream
            stream.shownCount = counts[stream.index] ?? 0
            return stream
        }
    }
}
