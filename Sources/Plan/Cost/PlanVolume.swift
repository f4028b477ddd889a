package import MulticamMedia

/// Estimates the amount of data that a plan will write.
///
/// The size of a camera's JPEGs depends on the scene. During a recording, the remaining time is therefore
/// computed from the amount of data that was actually written.
extension SessionPlan {
    /// Expected bytes per second written to the session folder, by owner: `program` or a role.
    package var bytesPerSecond: [String: Double] {
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
            let channels =
                microphone.sourceChannels.isEmpty
                ? microphone.format.channels : microphone.sourceChannels.count
            // Audio is stored with 24 bits per sample, or as AAC.
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

    /// Name that identifies the program as the owner of work and streams. A role can't have this name.
    package static let programOwner = "program"

    func camera(_ role: String) -> PlannedCamera? { cameras.first { $0.role == role } }

    /// Returns the bytes per second of an encoded stream. At its recording presets, x264 needs about 0.12
    /// bits per pixel for photographic content in motion at quality 23, and a quarter of that for synthetic
    /// frames. The size halves when the quality value increases by six. Hardware encoders are assumed to
    /// produce streams that are twice as large.
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
    /// Returns the number of encoder threads that each frame of a camera wakes. Writer threads aren't
    /// counted, because they write several frames at once.
    func consumers(of role: String) -> Double {
        let tracks = cameraTracks.count { $0.role == role && $0.mode == .encode }
        return Double(tracks + (program?.layers.contains { $0.role == role } == true ? 1 : 0))
    }
}

extension PlannedMicrophone {
    /// Synthetic audio is simpler than audio from a physical microphone.
    var detail: CostTable.Detail { selector.hasPrefix("virtual:") ? .plain : .photographic }
}

extension PlannedCamera {
    /// Synthetic frames are simpler than frames from a physical camera.
    var detail: CostTable.Detail { selector.hasPrefix("virtual:") ? .plain : .photographic }

    /// Expected size in bytes of one frame as the camera delivers it. MJPEG needs 0.09 bytes per pixel for
    /// photographic content in motion at 1080p, and H.264 needs 0.02 bytes per pixel at typical camera bit
    /// rates. Synthetic MJPEG was measured from 480p to 1080p: half of its size comes from the edges of its
    /// tiles, whose number doesn't depend on the frame size. Synthetic H.264 needs a third as much as H.264
    /// from a camera.
    var expectedBytes: Double {
        let pixels = Double(format.size.pixelCount)
        if detail == .plain, format.pixel == .mjpeg { return 16_000 + pixels * 0.037 }
        let isSimpler = detail == .plain && !format.pixel.isRaw
        return pixels
            * (isSimpler ? format.pixel.typicalBytesPerPixel / 3 : format.pixel.typicalBytesPerPixel)
    }
}

extension SessionPlan {
    /// Returns the time until a disk is full at the plan's expected write rate.
    ///
    /// - Parameter freeBytes: Current free space in bytes.
    /// - Returns: The time until the disk is full, at most 100 years; `nil` if the plan doesn't write data.
    package func timeToFill(_ freeBytes: Int64) -> Nanoseconds? {
        let rate = expectedBytesPerSecond
        guard rate > 0 else { return nil }
        // The result is limited to 100 years.
        return .seconds(rounding: min(Double(max(freeBytes, 0)) / rate, 3.2e9))
    }

    /// Expected bytes per second that all tracks and the program write to the session folder.
    package var expectedBytesPerSecond: Double {
        bytesPerSecond.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
    }
}
