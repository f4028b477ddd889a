internal import Containers
internal import FoundationEssentials
internal import Glibc
public import Media
internal import Profiles
public import SessionFolder
internal import Timing

extension RecordedSession {
    /// Reads the recording in a session folder, or that of a group in the folder that `multicam collect` made.
    ///
    /// - Parameter folder: Path of the folder.
    /// - Throws: `FileError` "read" with a sentence that says what to do: there is no recording, it still runs, it was
    ///   interrupted, or none of its files is there.
    public init(folder: String) throws(FileError) {
        if let group = try GroupManifest.read(in: folder) {
            self = try Self(group, in: folder)
        } else {
            self = try Self(sessionFolder: folder)
        }
    }

    /// Reads the recording in a session folder, as `init(folder:)` does; a group's is none.
    init(sessionFolder folder: String) throws(FileError) {
        let path = folder + "/manifest.json"
        func wrong(_ detail: String) -> FileError { FileError(path: path, operation: "read", detail: detail) }
        let state = FolderState(of: folder)
        if let remedy = state.remedy(for: folder) { throw wrong(remedy) }
        guard state == .ended else {
            throw wrong("it cannot be opened. Name the folder of a recording, as `record` prints it.")
        }
        let bytes = try WholeFile.bytes(of: path, atMost: Manifest.largestByteCount)
        let manifest: Manifest
        do throws(ManifestFault) {
            manifest = try Manifest(reading: bytes)
        } catch {
            throw wrong(
                "it is no manifest of a recording: it \(error.reason). Name the folder that `record` printed."
            )
        }
        let name = URL(fileURLWithPath: folder).standardizedFileURL.lastPathComponent
        guard
            let session = Self(
                manifest, name: name, isThere: { access(folder + "/" + $0, R_OK) == 0 })
        else {
            throw wrong(
                "none of the files of its cameras, microphones and program is there. Put them back beside it."
            )
        }
        self = session
    }

    /// Takes what a manifest says; `nil` where no file is there that has frames or audio.
    ///
    /// - Parameters:
    ///   - manifest: A manifest that was read and checked.
    ///   - name: Name of the session folder.
    ///   - isThere: Whether a file, named relative to the folder, can be read.
    public init?(_ manifest: Manifest, name: String, isThere: (String) -> Bool) {
        let end = MediaTime(nanoseconds: max(0, manifest.duration_ns))
        var problems: [String] = []
        var lost: [String] = []
        func tracks(_ kind: SessionTrack.Kind) -> [SessionTrack] {
            let tracks = manifest.tracks.filter { $0.kind == kind.rawValue }
            var roles: [String] = []
            for track in tracks where !roles.contains(track.role ?? track.name) {
                roles.append(track.role ?? track.name)
            }
            return roles.compactMap { role in
                let own = tracks.filter { ($0.role ?? $0.name) == role }
                func isFound(_ file: String) -> Bool {
                    let isThere = file.isPathWithin && isThere(file)
                    if !isThere { lost.append(file.printable()) }
                    return isThere
                }
                let track = SessionTrack(
                    own, role: role, kind: kind, of: manifest, end: end, isThere: isFound)
                let kept = (manifest.uploads ?? []).filter {
                    kind == .camera && $0.role == role && isFound($0.file)
                }
                let best = track.replaced(by: kept, end: end) ?? track
                return best.parts.isEmpty ? nil : best
            }
        }
        let cameras = tracks(.camera)
        let microphones = tracks(.microphone)
        let program = tracks(.program).first
        let planned = manifest.tracks.first { $0.kind == "program" }
        let angles = cameras.isEmpty ? [program].compactMap(\.self) : cameras
        let first = angles.first
        guard first != nil || !microphones.isEmpty else { return nil }
        if !lost.isEmpty {
            problems.append(
                "\(lost.joined(separator: ", ")): not there. What is made of the recording is made without \(lost.count == 1 ? "it" : "them")."
            )
        }
        switch manifest.outcome {
        case .recovered:
            problems.append("the recording was interrupted and recovered; see `recovery` in its manifest.")
        case .storageFailed: problems.append("a file of the recording could not be written as a whole.")
        case .recording, .finished: break
        }
        let upright = first.flatMap { angle in
            angle.parts.first?.size.map { angle.rotation.swapsSides ? $0.turned : $0 }
        }
        let size = planned.flatMap(Self.size) ?? upright ?? FrameSize(width: 1920, height: 1080)
        let rate = planned?.rate.flatMap { FrameRate($0) } ?? first?.rate ?? FrameRate(30, per: 1)
        let wallClock = Self.wallClock(manifest.started)
        self.init(
            name: name.printable(), title: (manifest.title ?? name).printable(),
            people: (manifest.people ?? [:]).mapValues { $0.printable() },
            formats: (manifest.edit ?? []).compactMap { EditFormat(rawValue: $0) }, size: size, rate: rate,
            duration: end,
            start: wallClock.local, startSince1970: wallClock.since1970,
            secondsFromGMT: wallClock.fromGMT, angles: angles,
            microphones: microphones,
            program: program,
            marks: manifest.marks.filter { $0.at_ns >= 0 && $0.at_ns <= end.nanoseconds },
            arrangements: (manifest.arrangements ?? []).sorted { $0.at_ns < $1.at_ns },
            changes: manifest.changes ?? [], problems: problems,
            encoding: planned?.encoder.flatMap(Self.encoding))
    }

    private static func encoding(_ encoder: Manifest.Encoder) -> VideoSettings? {
        guard let preset = encoder.preset.flatMap({ VideoEncodingSettings.Preset(rawValue: $0) }),
            let quality = encoder.quality, (0...51).contains(quality)
        else { return nil }
        return VideoSettings(preset: preset, quality: quality)
    }

    fileprivate static func size(_ track: Manifest.Track) -> FrameSize? {
        guard let width = track.width, let height = track.height else { return nil }
        let size = FrameSize(width: width, height: height)
        return size.isPlausible ? size : nil
    }

    /// Reads `2026-11-21T14:23:10.123456789+01:00`; midnight of 1970 for what is no date.
    private static func wallClock(
        _ text: String
    ) -> (local: LocalTime, since1970: Nanoseconds, fromGMT: Int) {
        let suffix = text.suffix(6)
        let hours = Int(suffix.dropFirst().prefix(2)) ?? 0
        let minutes = Int(suffix.suffix(2)) ?? 0
        let offset = (hours * 3600 + minutes * 60) * (suffix.first == "-" ? -1 : 1)
        let fraction = Double("0." + text.dropFirst(20).prefix { ("0"..."9").contains($0) }) ?? 0
        let whole = date(String(text.prefix(19)) + suffix)
        let date = (whole ?? Date(timeIntervalSince1970: 0)).addingTimeInterval(fraction)
        let fromGMT = whole == nil ? 0 : offset
        return (
            LocalTime(date, secondsFromGMT: fromGMT), .seconds(rounding: date.timeIntervalSince1970), fromGMT
        )
    }

    private static func date(_ text: String) -> Date? {
        do { return try Date.ISO8601FormatStyle().parse(text) } catch { return nil }
    }
}

extension SessionTrack {
    /// Joins the tracks of a role with all files that are there.
    fileprivate init(
        _ tracks: [Manifest.Track], role: String, kind: Kind, of manifest: Manifest, end: MediaTime,
        isThere: (String) -> Bool
    ) {
        let first = tracks.first
        let devices = manifest.devices.filter { $0.role == role && $0.kind == kind.rawValue }
        let frame = devices.first.map {
            FrameSize(width: $0.format.width ?? 0, height: $0.format.height ?? 0)
        }
        let names = Set(tracks.map(\.name))
        self.init(
            role: role.printable(), kind: kind,
            parts: Self.parts(tracks, end: end).filter { isThere($0.file) },
            rate: kind == .microphone ? nil : first?.rate.flatMap { FrameRate($0) } ?? FrameRate(30, per: 1),
            isOnGrid: first?.grid ?? true,
            rotation: first?.rotation.flatMap { Rotation(rawValue: $0) } ?? .none,
            shown: first?.crop.flatMap { crop in frame.map { FramePart(crop, of: $0) } } ?? .whole,
            channels: first?.channels ?? 0,
            gaps: manifest.gaps.filter { names.contains($0.track) && $0.to > .zero && $0.from < end },
            devices: devices.map { $0.name.printable() }, camera: devices.lazy.compactMap(\.camera).first)
    }

    /// The track as the phone kept it in its own storage: in place of what came over the network, where it has more of the recording.
    ///
    /// - Parameters:
    ///   - uploads: What the phone has handed over, of which all files are there.
    ///   - end: End of the recording.
    /// - Returns: `nil` where the track itself has as much.
    fileprivate func replaced(by uploads: [Manifest.Upload], end: MediaTime) -> SessionTrack? {
        let sorted = uploads.sorted { $0.first_ns < $1.first_ns }
        let parts = sorted.indices.compactMap { index -> SessionPart? in
            let upload = sorted[index]
            let from = max(0, upload.first_ns)
            let next = index + 1 < sorted.count ? sorted[index + 1].first_ns : end.nanoseconds
            let to = min(from + max(0, upload.duration_ns), next, end.nanoseconds)
            let size = FrameSize(width: upload.width, height: upload.height)
            guard from < to else { return nil }
            return SessionPart(
                file: upload.file, stream: 0, codec: upload.codec, from: MediaTime(nanoseconds: from),
                to: MediaTime(nanoseconds: to), size: size.isPlausible ? size : nil)
        }
        func length(_ parts: [SessionPart]) -> Int64 {
            parts.reduce(0) { $0 + $1.to.nanoseconds - $1.from.nanoseconds }
        }
        let missing = gaps.reduce(0) { sum, gap in
            sum + max(0, min(gap.to, end).nanoseconds - max(gap.from, .zero).nanoseconds)
        }
        guard !parts.isEmpty, length(parts) > length(self.parts) - missing else { return nil }
        return SessionTrack(
            role: role, kind: kind, parts: parts, rate: rate, isOnGrid: false, rotation: rotation,
            shown: shown,
            devices: devices, camera: camera)
    }

    /// The files of tracks in order, each from its first instant to the next one's.
    private static func parts(_ tracks: [Manifest.Track], end: MediaTime) -> [SessionPart] {
        struct Opening {
            let file: String
            let track: Manifest.Track
            let from: Int64
            let size: FrameSize?
        }
        let openings = tracks.flatMap { track -> [Opening] in
            let size = RecordedSession.size(track)
            let first = Opening(
                file: track.file, track: track, from: begin(of: track, end: end), size: size)
            return [first]
                + (track.part_details ?? []).map { part in
                    let partSize = part.width.flatMap { width in
                        part.height.map { FrameSize(width: width, height: $0) }
                    }
                    return Opening(
                        file: part.file, track: track, from: max(0, part.first_ns),
                        size: partSize.flatMap { $0.isPlausible ? $0 : nil } ?? size)
                }
        }.sorted { $0.from < $1.from }
        return openings.enumerated().compactMap { index, opening in
            let next = index + 1 < openings.count ? openings[index + 1].from : end.nanoseconds
            let last = begin(of: opening.track, end: end) + max(0, opening.track.duration_ns)
            let to = min(next, last, end.nanoseconds)
            guard opening.from < to else { return nil }
            return SessionPart(
                file: opening.file, stream: opening.track.stream, codec: opening.track.codec,
                from: MediaTime(nanoseconds: opening.from), to: MediaTime(nanoseconds: to), size: opening.size
            )
        }
    }

    /// The instant that is time 0 of a track's first file. A copied H.264 track that begins late begins with an earlier key
    /// frame, which its file does not show; it ends with the others.
    private static func begin(of track: Manifest.Track, end: MediaTime) -> Int64 {
        guard track.grid == false, track.first_ns > 0 else { return max(0, track.first_ns) }
        return max(track.first_ns, (track.ended_ns ?? end.nanoseconds) - max(0, track.duration_ns))
    }
}
