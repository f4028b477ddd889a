internal import FoundationEssentials
internal import MulticamContainers
internal import MulticamInterchange
package import MulticamMedia
package import MulticamSessionFolder
internal import MulticamSystem

/// Converts the local recording that a phone uploaded to a media file and adds the file to the session's
/// manifest. The existing media files of the session aren't changed. Use this type on a thread that may block
/// on disk I/O.
package struct PhoneIngest: Sendable {
    private let folder: String
    private let arrival: UploadArrival

    /// Prepares the conversion of an upload.
    ///
    /// - Parameters:
    ///   - arrival: The completed upload.
    ///   - folder: Path of the session folder.
    package init(_ arrival: UploadArrival, into folder: String) {
        (self.arrival, self.folder) = (arrival, folder)
    }

    private var role: String { arrival.role }

    /// Creates the media file and then removes the upload.
    ///
    /// - Parameter progress: Called with the completed fraction, 0…1.
    /// - Returns: The entry that was added to the manifest.
    /// - Throws: `FileError` with an explanation if the session or the role doesn't exist, the session's
    ///   recording hasn't ended, the upload is missing, no uploaded frame is within the recording, or a file
    ///   can't be read or written. After an error, the upload is kept.
    package func run(_ progress: (Double) -> Void = { _ in }) throws(FileError) -> Manifest.Upload {
        let path = folder + "/manifest.json"
        func wrong(_ detail: String) -> FileError {
            FileError(path: path, operation: "ingesting", detail: detail)
        }
        let contained = try ContainedFile(Manifest.fileName, in: folder).folder
        if let remedy = FolderState(of: contained).remedy(for: folder) { throw wrong(remedy) }
        // A lock serializes the conversions, because several phones, or one phone twice, may upload at the
        // same time.
        let turn = try contained.lock()
        defer { withExtendedLifetime(turn.number) {} }
        var manifest = try manifest(in: contained)
        let arrived = contained.file(arrival.file)
        if let known = manifest.uploads?.first(where: { $0.id == arrival.id }) {
            // An earlier conversion was interrupted after it created the media file and before it removed the
            // upload.
            arrived.discard()
            return known
        }
        guard
            let device = manifest.devices.last(where: {
                $0.role == role && $0.kind == "camera" && PhoneSelector.handles($0.identity)
            })
        else {
            throw wrong("camera `\(role.printable())` of this recording was not a phone.")
        }
        let stored = try StoredFrames(arrived)
        let file = freeName(stored.format.pixel == .mjpeg ? "mov" : "mp4", manifest)
        let (upload, listed) = try write(
            stored, to: contained.file(file), device.identity, manifest, progress)
        manifest.uploads = (manifest.uploads ?? []) + [upload]
        manifest.files = ((manifest.files ?? []) + [listed]).sorted { $0.file < $1.file }
        try SessionFolder.write(JSONText.pretty(manifest), to: Manifest.fileName, in: contained)
        arrived.discard()
        return upload
    }

    private func manifest(in folder: ContainedFolder) throws(FileError) -> Manifest {
        let file = folder.file(Manifest.fileName)
        let bytes = try WholeFile.bytes(of: file, atMost: Manifest.largestByteCount)
        do throws(ManifestFault) {
            return try Manifest(reading: bytes)
        } catch {
            throw FileError(
                path: file.path, operation: "ingesting",
                detail: "the manifest \(error.reason).")
        }
    }

    /// Returns a file name that no other file of the session uses.
    private func freeName(_ ending: String, _ manifest: Manifest) -> String {
        let taken = Set((manifest.files ?? []).map(\.file) + (manifest.uploads ?? []).map(\.file))
        let names = (1...).lazy.map { number in
            "cameras/\(role)-phone\(number == 1 ? "" : "-\(number)").\(ending)"
        }
        return names.first { !taken.contains($0) } ?? ""
    }

    private func write(
        _ stored: StoredFrames, to place: ContainedFile, _ device: String, _ manifest: Manifest,
        _ progress: (Double) -> Void
    ) throws(FileError) -> (Manifest.Upload, Manifest.File) {
        let start = ClockTime(nanoseconds: manifest.t0_monotonic_ns)
        let times = stored.times.map { $0 - start }
        let duration = Nanoseconds(manifest.duration_ns)
        let shown = stored.frames.indices.filter { times[$0] < duration }
        // The file starts with the last key frame before T0, so that a frame is visible at T0.
        let first =
            shown.last { stored.frames[$0].isKey && times[$0] <= .zero }
            ?? shown.first { stored.frames[$0].isKey }
        guard let first, let session = RecordedSession(manifest, name: "", isThere: { _ in true }) else {
            throw noFramesError
        }
        let (format, scale) = (stored.format, StreamParameters.captureTimeScale)
        let codec: StreamParameters.Codec = format.pixel == .mjpeg ? .mjpeg : .h264
        let from = max(.zero, times[first])
        let draft = try DraftFile(for: place, replaces: true)
        let movie = try MovieFile(
            draft.temporaryFile, kind: codec == .mjpeg ? .mov : .mp4,
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
            // A frame is skipped if its time isn't later than the time of the previous frame, which happens
            // if the phone's clock was set.
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
        guard count > 0, end > 0 else { throw noFramesError }
        let summary = try movie.finish(ends: [end])
        try draft.publish()
        let (byteCount, checksum) = try FileVerification.checksum(
            of: place, from: summary.checksum?.start ?? 0)
        let isSame = summary.byteCount == byteCount && summary.checksum.map { $0 == checksum } ?? true
        guard isSame else {
            throw FileError(
                path: place.path, operation: "verifying the file",
                detail: "the file content differs from the written data. Check the disk.")
        }
        // In a group, the clock used for the phone's timestamps may drift relative to the group time.
        let drift = manifest.group_time == nil ? 0 : Int64(Double(manifest.duration_ns) * Self.drift)
        return (
            Manifest.Upload(
                role: role, device: device, id: arrival.id, file: place.name, codec: codec.rawValue,
                width: format.size.width, height: format.size.height, rate: format.rate.perSecond,
                first_ns: from.count,
                duration_ns: max(0, end.rescaled(from: scale, to: 1_000_000_000)), frames: count,
                error_ns: stored.error.count + drift),
            Manifest.File(
                file: place.name, bytes: byteCount, xxh3_128: checksum.value, hashed_from: checksum.start,
                verified: true)
        )
    }

    private var noFramesError: FileError {
        FileError(
            path: "\(folder)/\(arrival.file)", operation: "ingesting",
            detail: "the file contains no frames captured during the recording.")
    }

    /// Whether the bytes are a valid frame of the codec.
    private static func isFrame(_ bytes: SharedBytes, of codec: StreamParameters.Codec) -> Bool {
        let sample = codec == .h264 ? AVCStreamConverter(setup: []).sample(of: bytes) : bytes
        return withExtendedLifetime(sample) {
            PacketCheck.isPacket(Array(sample.bytes), of: codec == .h264 ? "avc1" : "jpeg")
        }
    }

    /// Maximum relative drift between this computer's clock and the clock of a group, which is twice the
    /// tolerance of quartz oscillators.
    private static let drift = 0.000_1
}

/// The local recording of a phone. The file consists of messages as sent over the network (`PhoneMessage`).
/// Each message is preceded by its length as a four-byte little-endian number. The content isn't trusted:
/// reading stops at the first invalid message.
struct StoredFrames {
    /// A frame and its position in the file.
    struct Frame {
        let isKey: Bool
        /// Capture time on the phone's clock.
        let captured: Nanoseconds
        fileprivate let offset: Int64
        fileprivate let byteCount: Int
    }

    /// A measurement of the offset between the phone's clock and `CLOCK_MONOTONIC`.
    private struct ClockOffset {
        let at: Nanoseconds
        let offset: Nanoseconds
        let error: Nanoseconds
    }

    /// The format of the frames.
    let format: VideoFormat
    /// The color description of the frames.
    let color: ColorDescription
    /// The frames of the recording, in encoding order.
    private(set) var frames: [Frame] = []
    private var clockOffsets: [ClockOffset] = []
    private let file: ReadFile

    /// Maximum number of frames and clock measurements: more than two days at 120 frames per second.
    private static let maxEntries = 24_000_000
    private static let lengths = PhoneMessage.headerSize + 1...16 << 20
    private static let longestFormat = 1 << 12
    /// Maximum plausible clock offset (about 30 years) and error (one hour).
    private static let plausible = (
        offset: Nanoseconds.seconds(1_000_000_000), error: Nanoseconds.seconds(3600)
    )

    /// Reads all messages of the local recording except for the frame data.
    ///
    /// - Parameter source: The file with the local recording.
    /// - Throws: `FileError` with the operation "opening" or "reading". If the file doesn't contain frames or
    ///   clock measurements, the error includes an explanation.
    init(_ source: ContainedFile) throws(FileError) {
        file = try ReadFile(source)
        var declared: (format: VideoFormat, color: ColorDescription)?
        var place: Int64 = 0
        while place < file.byteCount, frames.count + clockOffsets.count < Self.maxEntries {
            let head = try file.read(4 + PhoneMessage.headerSize, at: place)
            guard head.count == 4 + PhoneMessage.headerSize else { break }
            let length = head.withUnsafeBytes { Int(UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self))) }
            guard Self.lengths.contains(length), place + 4 + Int64(length) <= file.byteCount,
                let message = head.withUnsafeBytes({
                    PhoneMessage(UnsafeRawBufferPointer(rebasing: $0.dropFirst(4)))
                })
            else { break }
            let content = (offset: place + Int64(head.count), count: length - PhoneMessage.headerSize)
            switch message.kind {
            case .h264, .jpeg:
                guard message.kind == (declared?.format.pixel == .mjpeg ? .jpeg : .h264) else { break }
                frames.append(
                    Frame(
                        isKey: message.isKey, captured: message.time, offset: content.offset,
                        byteCount: content.count))
            case .date:
                guard content.count == 16 else { break }
                let numbers = try file.read(16, at: content.offset)
                if let date = Self.clockOffset(numbers, at: message.time) { clockOffsets.append(date) }
            case .format where declared == nil && content.count <= Self.longestFormat:
                declared = Self.format(try file.read(content.count, at: content.offset))
            case .format, .pcm, .stored: break
            }
            place += 4 + Int64(length)
        }
        guard let declared, !frames.isEmpty else {
            throw FileError(
                path: source.path, operation: "reading", detail: "the file contains no frames from a phone.")
        }
        guard !clockOffsets.isEmpty else {
            throw FileError(
                path: source.path, operation: "reading",
                detail: "the file doesn't contain the capture times of its frames.")
        }
        (format, color) = declared
        clockOffsets.sort { $0.at < $1.at }
    }

    private static func format(_ bytes: [UInt8]) -> (format: VideoFormat, color: ColorDescription)? {
        do {
            let declared = try JSONDecoder().decode(PhoneFormat.self, from: Data(bytes))
            return declared.video.map { ($0, declared.color) }
        } catch {
            return nil
        }
    }

    private static func clockOffset(_ bytes: [UInt8], at time: Nanoseconds) -> ClockOffset? {
        guard bytes.count == 16 else { return nil }
        let numbers = bytes.withUnsafeBytes { bytes in
            [0, 8].map { Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self)) }
        }
        guard abs(Double(numbers[0])) * 1000 <= Double(plausible.offset.count),
            (0...plausible.error.count / 1000).contains(numbers[1])
        else { return nil }
        return ClockOffset(at: time, offset: .microseconds(numbers[0]), error: .microseconds(numbers[1]))
    }

    /// Maximum error of the frames' capture times.
    var error: Nanoseconds { clockOffsets.map(\.error).max() ?? .zero }

    /// Capture times of all frames on `CLOCK_MONOTONIC`, in the order of `frames`. Clock offsets are
    /// interpolated linearly between two measurements.
    var times: [ClockTime] {
        var next = 0
        return frames.map { frame in
            // Capture times are in ascending order unless the phone reports wrong times, in which case any
            // clock measurement is equally suitable.
            while next < clockOffsets.count, clockOffsets[next].at <= frame.captured { next += 1 }
            let (before, after) = (
                clockOffsets[max(0, next - 1)], clockOffsets[min(next, clockOffsets.count - 1)]
            )
            let span = after.at - before.at
            let way = min(max(frame.captured - before.at, .zero), span)
            let share = span > .zero ? way.inSeconds / span.inSeconds : 0
            let offset = before.offset + .seconds(rounding: (after.offset - before.offset).inSeconds * share)
            return ClockTime(nanoseconds: (frame.captured + offset).count)
        }
    }

    /// Reads the encoded data of a frame from the file.
    ///
    /// - Throws: `FileError` with the operation "reading".
    func bytes(of frame: Frame) throws(FileError) -> SharedBytes {
        SharedBytes(try file.read(frame.byteCount, at: frame.offset))
    }
}
