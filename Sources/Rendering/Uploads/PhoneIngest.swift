internal import Containers
internal import FileSystem
internal import FoundationEssentials
internal import Glibc
internal import Interchange
public import Media
public import SessionFolder

/// Makes a media file of what a phone has stored of a recording, and adds it to the manifest. The recording's own files stay as they are.
/// Use it on a thread that may block on the disk.
public struct PhoneIngest: Sendable {
    private let folder: String
    private let arrival: UploadArrival

    /// Prepares it.
    ///
    /// - Parameters:
    ///   - arrival: What has arrived.
    ///   - folder: Path of the session folder.
    public init(_ arrival: UploadArrival, into folder: String) {
        (self.arrival, self.folder) = (arrival, folder)
    }

    private var role: String { arrival.role }

    /// Makes the file out of what has arrived, which is removed.
    ///
    /// - Parameter progress: Called with the share that is done, 0…1.
    /// - Returns: What was added to the manifest.
    /// - Throws: `FileError` with a sentence: there is no such recording or role, it has not ended, nothing has arrived, no frame of it lies in
    ///   the recording, or a file cannot be read or written. What has arrived stays then.
    public func run(_ progress: (Double) -> Void = { _ in }) throws(FileError) -> Manifest.Upload {
        let path = folder + "/manifest.json"
        func wrong(_ detail: String) -> FileError {
            FileError(path: path, operation: "ingest", detail: detail)
        }
        if let remedy = FolderState(of: folder).remedy(for: folder) { throw wrong(remedy) }
        let turn = waitForTurn()
        defer { withExtendedLifetime(turn) {} }
        var manifest = try manifest(at: path)
        let arrived = "\(folder)/\(arrival.file)"
        if let known = manifest.uploads?.first(where: { $0.id == arrival.id }) {
            // Somebody was ended before this could be removed.
            unlink(arrived)
            return known
        }
        guard
            let device = manifest.devices.last(where: {
                $0.role == role && $0.kind == "camera" && PhoneSelector.handles($0.identity)
            })
        else {
            throw wrong("no phone was the camera `\(role.printable())` of this recording.")
        }
        let stored = try StoredFrames(arrived)
        let file = freeName(stored.format.pixel == .mjpeg ? "mov" : "mp4", manifest)
        let (upload, listed) = try write(stored, to: file, device.identity, manifest, progress)
        manifest.uploads = (manifest.uploads ?? []) + [upload]
        manifest.files = ((manifest.files ?? []) + [listed]).sorted { $0.file < $1.file }
        try SessionFolder.write(JSONText.pretty(manifest), to: "manifest.json", in: folder)
        unlink(arrived)
        return upload
    }

    /// Waits until nobody else adds to this recording: two phones may hand over what they kept at the same time, and one of them twice.
    ///
    /// - Returns: Whose release lets the next one in; `nil` where the file system has no locks.
    private func waitForTurn() -> OwnedDescriptor? {
        let number = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        let descriptor = OwnedDescriptor(owning: number)
        while flock(descriptor.number, LOCK_EX) != 0, errno == EINTR {}
        return descriptor
    }

    private func manifest(at path: String) throws(FileError) -> Manifest {
        let bytes = try WholeFile.bytes(of: path, atMost: Manifest.largestByteCount)
        do throws(ManifestFault) {
            return try Manifest(reading: bytes)
        } catch {
            throw FileError(
                path: path, operation: "ingest",
                detail: "it is no manifest of a recording: it \(error.reason).")
        }
    }

    /// A name that no other upload has.
    private func freeName(_ ending: String, _ manifest: Manifest) -> String {
        let taken = Set((manifest.files ?? []).map(\.file) + (manifest.uploads ?? []).map(\.file))
        let names = (1...).lazy.map { number in
            "cameras/\(role)-phone\(number == 1 ? "" : "-\(number)").\(ending)"
        }
        return names.first { !taken.contains($0) } ?? ""
    }

    private func write(
        _ stored: StoredFrames, to name: String, _ device: String, _ manifest: Manifest,
        _ progress: (Double) -> Void
    ) throws(FileError) -> (Manifest.Upload, Manifest.File) {
        let path = "\(folder)/\(name)"
        let start = ClockTime(nanoseconds: manifest.t0_monotonic_ns)
        let times = stored.times.map { $0 - start }
        let duration = Nanoseconds(manifest.duration_ns)
        let shown = stored.frames.indices.filter { times[$0] < duration }
        // From the last key frame before T0 on, so that something is shown from T0.
        let first =
            shown.last { stored.frames[$0].isKey && times[$0] <= .zero }
            ?? shown.first { stored.frames[$0].isKey }
        guard let first, let session = RecordedSession(manifest, name: "", isThere: { _ in true }) else {
            throw nothing
        }
        let (format, scale) = (stored.format, StreamParameters.ownTimeScale)
        let codec: StreamParameters.Codec = format.pixel == .mjpeg ? .mjpeg : .h264
        let from = max(.zero, times[first])
        let draft = try DraftFile(for: path, replaces: true)
        let movie = try MovieFile(
            path: draft.path, kind: codec == .mjpeg ? .mov : .mp4,
            tracks: [
                .video(
                    StreamParameters(
                        codec: codec, timeScale: scale, size: format.size, rate: format.rate,
                        color: stored.color),
                    rotation: session.angle(role)?.rotation ?? .none, name: role)
            ], createdAt: session.date(at: MediaTime(nanoseconds: from.count)))
        defer { movie.abandon() }
        let interval = format.rate.interval.count.rescaled(from: 1_000_000_000, to: scale)
        var (last, count) = (Int64.min, 0)
        for index in shown where index >= first {
            let tick = (times[index] - from).count.rescaled(from: 1_000_000_000, to: scale)
            let frame = stored.frames[index]
            let bytes = try stored.bytes(of: frame)
            // Two frames at one instant: the phone's clock was set.
            guard tick > last, Self.isFrame(bytes, of: codec) else { continue }
            (last, count) = (tick, count + 1)
            try movie.append(
                EncodedPacket(
                    bytes: bytes, presentation: tick, decode: tick, duration: interval,
                    isKey: frame.isKey), to: 0)
            if count.isMultiple(of: 100) { progress(Double(index - first) / Double(times.count - first)) }
        }
        let end = min(
            last < 0 ? 0 : last + interval,
            (duration - from).count.rescaled(from: 1_000_000_000, to: scale))
        guard count > 0, end > 0 else { throw nothing }
        let summary = try movie.finish(ends: [end])
        try draft.publish()
        let (byteCount, checksum) = try FileVerification.checksum(
            of: path, from: summary.checksum?.start ?? 0)
        let isSame = summary.byteCount == byteCount && summary.checksum.map { $0 == checksum } ?? true
        guard isSame else {
            throw FileError(
                path: path, operation: "verify", detail: "it is not as it was written. Check the disk.")
        }
        // A group's time is another line over the clock by which the phone was dated.
        let drift = manifest.group_time == nil ? 0 : Int64(Double(manifest.duration_ns) * Self.drift)
        return (
            Manifest.Upload(
                role: role, device: device, id: arrival.id, file: name, codec: codec.rawValue,
                width: format.size.width, height: format.size.height, rate: format.rate.perSecond,
                first_ns: from.count,
                duration_ns: max(0, end.rescaled(from: scale, to: 1_000_000_000)), frames: count,
                error_ns: stored.error.count + drift),
            Manifest.File(
                file: name, bytes: byteCount, xxh3_128: checksum.value, hashed_from: checksum.start,
                verified: true)
        )
    }

    private var nothing: FileError {
        FileError(
            path: "\(folder)/\(arrival.file)", operation: "ingest",
            detail: "no frame of it was captured during the recording.")
    }

    /// Whether bytes are a frame as its codec has them.
    private static func isFrame(_ bytes: SharedBytes, of codec: StreamParameters.Codec) -> Bool {
        let sample = codec == .h264 ? PlainStream(setup: []).sample(of: bytes) : bytes
        return withExtendedLifetime(sample) {
            PacketCheck.isPacket(Array(sample.bytes), of: codec == .h264 ? "avc1" : "jpeg")
        }
    }

    /// Share by which this computer's clock and a group's run apart at most: twice what quartz does.
    private static let drift = 0.000_1
}
