package import Media

/// How much data a plan makes, as far as it can be estimated before it runs.
///
/// A camera's JPEGs grow with what it sees. While recording, the minutes left on the disk are reckoned from what was
/// really written.
extension SessionPlan {
    /// Expected bytes per second into the session folder, by owner: `program` or a role.
    public var bytesPerSecond: [String: Double] {
        var bytes: [String: Double] = [:]
        for (owner, settings) in encoders {
            let detail =
                owner == Self.programOwner
                ? cameras.map(\.detail).max { $0 == .plain && $1 != .plain } : camera(owner)?.detail
            bytes[owner, default: 0] += Self.encodedBytes(settings, detail ?? .photographic)
        }
        if let program, !program.mix.isEmpty {
            bytes[Self.programOwner, default: 0] += Double(program.audioBitrate) / 8
        }
        for track in cameraTracks where track.mode == .copy {
            guard let camera = camera(track.role) else { continue }
            bytes[track.role, default: 0] += camera.expectedBytes * track.rate.perSecond
        }
        for track in microphoneTracks {
            guard let microphone = microphones.first(where: { $0.role == track.role }) else { continue }
            let channels = microphone.pick.isEmpty ? microphone.format.channels : microphone.pick.count
            // 24 bits a sample, or AAC.
            bytes[track.role, default: 0] +=
                track.file.hasSuffix(".wav") ? Double(AudioFormat.sessionRate * channels * 3) : 192_000 / 8
        }
        return bytes
    }

    /// The encoded video streams of the plan with their owners: `program` or a role.
    package var encoders: [(owner: String, settings: VideoEncodingSettings)] {
        let tracks = cameraTracks.filter { $0.mode == .encode }.map { ($0.role, $0.settings) }
        return (program.map { [(Self.programOwner, $0.settings)] } ?? []) + tracks
    }

    /// The owner of the program's work and streams; no role may have this name.
    package static let programOwner = "program"

    func camera(_ role: String) -> PlannedCamera? { cameras.first { $0.role == role } }

    /// Bytes per second of an encoded stream. x264 at its recording presets takes about 0.12 bits a pixel of moving photographs
    /// at quality 23, a quarter of that of synthetic frames, and half as much with every six steps of quality. Hardware is
    /// reckoned with twice of that.
    private static func encodedBytes(_ settings: VideoEncodingSettings, _ detail: CostTable.Detail)
        -> Double
    {
        let bitsPerPixel = detail == .plain ? 0.03 : 0.12
        var steps = Double(settings.quality - 23) / 6
        var factor = 1.0
        while steps >= 1 { (steps, factor) = (steps - 1, factor / 2) }
        while steps <= -1 { (steps, factor) = (steps + 1, factor * 2) }
        factor *= 1 - steps / 2
        if settings.hardware != nil { factor *= 2 }
        return Double(settings.size.pixelCount) * settings.rate.perSecond * bitsPerPixel * factor / 8
    }
}

extension SessionPlan {
    /// The number of encoder threads that each frame of a camera wakes. A file's thread gathers frames and does not count.
    func consumers(of role: String) -> Double {
        let tracks = cameraTracks.count { $0.role == role && $0.mode == .encode }
        return Double(tracks + (program?.layers.contains { $0.role == role } == true ? 1 : 0))
    }
}

extension PlannedMicrophone {
    /// Synthetic audio is simpler than what a microphone hears.
    var detail: CostTable.Detail { selector.hasPrefix("virtual:") ? .plain : .photographic }
}

extension PlannedCamera {
    /// Synthetic frames are simpler than what a camera sees.
    var detail: CostTable.Detail { selector.hasPrefix("virtual:") ? .plain : .photographic }

    /// Bytes of one frame as the camera delivers it: MJPEG of moving photographs takes 0.09 a pixel at 1080p, H.264 at a camera's
    /// usual rates 0.02. Synthetic MJPEG was weighed from 480p to 1080p: half of it is the edges of its tiles, as many at any
    /// size; synthetic H.264 is a third of a camera's.
    var expectedBytes: Double {
        let pixels = Double(format.size.pixelCount)
        if detail == .plain, format.pixel == .mjpeg { return 16_000 + pixels * 0.037 }
        let isSimpler = detail == .plain && !format.pixel.isRaw
        return pixels * (isSimpler ? format.pixel.usualBytes / 3 : format.pixel.usualBytes)
    }
}
