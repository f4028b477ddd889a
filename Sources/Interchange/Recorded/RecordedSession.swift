internal import FoundationEssentials
package import MulticamContainers
package import MulticamMedia
package import MulticamProfiles
package import MulticamSessionFolder
internal import MulticamSystem
internal import MulticamTiming

/// A recording with the information needed for editing: its tracks with all their files, the content of the program,
/// and the gaps. A pure value type.
///
/// `init(folder:)` reads the recording from a session folder.
package struct RecordedSession: Sendable, Equatable {
    /// Name of the session folder.
    package var name: String
    /// Display title; the folder's name if the user didn't set one.
    package var title: String
    /// Names of people by role.
    package var people: [String: String]
    /// Project formats requested in the profile.
    package var formats: [EditFormat]
    /// Size of the edited picture in pixels: the size of the program or, for a recording without a program,
    /// the upright size of the first camera.
    package var size: FrameSize
    /// Frame rate of the edited picture in frames per second: the rate of the program or, for a recording
    /// without a program, the rate of the first camera.
    package var rate: FrameRate
    /// Length of the recording; a whole number of frames at `rate`.
    package var duration: MediaTime
    /// Wall clock time at T0.
    package var start: LocalTime
    /// Time of T0 since 1970 in UTC.
    package var startSince1970: Nanoseconds = .zero
    /// Offset of the wall clock from UTC, in seconds.
    package var secondsFromGMT = 0
    /// The cameras, in manifest order. For a recording without camera tracks, this array contains the
    /// program.
    package var angles: [SessionTrack]
    /// The microphones, in manifest order.
    package var microphones: [SessionTrack]
    /// The recorded program; `nil` without a program.
    package var program: SessionTrack?
    /// Markers set by users.
    package var markers: [Manifest.Marker]
    /// Arrangements and mixes of the program; empty without a program.
    package var arrangements: [Manifest.Arrangement]
    /// Changes made by users during the recording.
    package var changes: [Manifest.Change]
    /// Messages for users about missing or recovered content.
    package var problems: [String]
    /// Encoder settings of the program; `nil` if its manifest doesn't contain them.
    package var encoding: VideoSettings? = nil

    /// Number of frames in the recording at `rate`.
    package var frameCount: Int64 { rate.ticks(before: duration) }

    /// Returns the timecode at T0 for a rate: the time of day, as in the camera files.
    package func timecode(at rate: FrameRate) -> Timecode { Timecode(at: start, rate: rate) }

    /// Returns the angle for a role; `nil` if it doesn't exist.
    package func angle(_ role: String) -> SessionTrack? { angles.first { $0.role == role } }

    /// Returns the number of the frame at `rate` that contains an instant, from 0 to the last frame.
    package func frame(at time: MediaTime) -> Int64 {
        let next = rate.ticks(before: time)
        return min(rate.time(ofTick: next) == time ? next : max(0, next - 1), max(0, frameCount - 1))
    }

    /// Whether the mix of the recording contains any audio.
    package var hasAudio: Bool {
        microphones.isEmpty
            ? (program?.channels ?? 0) > 0
            : microphones.contains { gains(of: $0.role).contains { $0.decibels != nil } }
    }

    /// Returns the gains, in dB, that the program's mix applies to a microphone, in order. Each entry contains the
    /// first frame to which the gain applies. The first entry is at frame 0; `nil` means muted. Without a program, all microphones are mixed unchanged.
    package func gains(of role: String) -> [(frame: Int64, decibels: Double?)] {
        var gains: [(frame: Int64, decibels: Double?)] = []
        for arrangement in arrangements {
            let frame = gains.isEmpty ? 0 : rate.ticks(before: MediaTime(nanoseconds: arrangement.at_ns))
            let decibels = arrangement.gains[role] ?? nil
            guard frame < frameCount, gains.last?.decibels != decibels || gains.isEmpty else { continue }
            if gains.last?.frame == frame { gains.removeLast() }
            gains.append((frame, decibels))
        }
        return gains.isEmpty ? [(0, 0)] : gains
    }

    /// Returns the filters that the program's mix applies to a microphone, or to the mix if the role is `program`, in order, with
    /// the time from which they apply. The first entry is at T0.
    package func processing(of role: String) -> [(from: MediaTime, processing: SoundProcessing)] {
        var all: [(from: MediaTime, processing: SoundProcessing)] = [(.zero, .off)]
        for arrangement in arrangements {
            let processing = arrangement.processing?[role] ?? .off
            guard all.last?.processing != processing else { continue }
            let isFirst = all.count == 1 && arrangement.at_ns <= 0
            if isFirst { all.removeLast() }
            all.append((MediaTime(nanoseconds: max(0, arrangement.at_ns)), processing))
        }
        return all
    }
}

extension RecordedSession {
    /// Reads the recording in a session folder, or a group's recording in the folder created by `multicam
    /// collect`.
    ///
    /// - Parameter folder: Path of the folder.
    /// - Throws: `FileError` with the operation "reading" with a message that explains what to do: the recording is
    ///   missing, still running, or interrupted, or all of its files are missing.
    package init(folder: String) throws(FileError) {
        if let group = try GroupManifest.read(in: folder) {
            self = try Self(group, in: folder)
        } else {
            self = try Self(sessionFolder: folder)
        }
    }

    /// Reads the recording in a session folder, like `init(folder:)`, but doesn't accept a group's recording.
    init(sessionFolder folder: String) throws(FileError) {
        let path = folder + "/manifest.json"
        func wrong(_ detail: String) -> FileError {
            FileError(path: path, operation: "reading", detail: detail)
        }
        let contained: ContainedFolder
        do throws(FileError) { contained = try ContainedFolder(opening: folder) } catch {
            throw error.isPermission
                ? error
                : wrong(
                    "the manifest cannot be opened. Specify a session folder, as printed by `multicam record`."
                )
        }
        let state = FolderState(of: contained)
        if let remedy = state.remedy(for: folder) { throw wrong(remedy) }
        guard state == .ended else {
            throw wrong(
                "the manifest cannot be opened. Specify a session folder, as printed by `multicam record`.")
        }
        let bytes = try WholeFile.bytes(
            of: contained.file(Manifest.fileName), atMost: Manifest.largestByteCount)
        let manifest: Manifest
        do throws(ManifestFault) {
            manifest = try Manifest(reading: bytes)
        } catch {
            throw wrong(
                "the manifest \(error.reason). Specify a session folder, as printed by `multicam record`."
            )
        }
        let name = URL(fileURLWithPath: folder).standardizedFileURL.lastPathComponent
        guard
            let session = Self(
                manifest, name: name, isThere: { contained.file($0).isReadable })
        else {
            throw wrong(
                "all media files of the recording are missing. Restore the files to the session folder."
            )
        }
        self = session
    }

    /// Creates a session from a manifest; `nil` if no file with frames or audio exists.
    ///
    /// - Parameters:
    ///   - manifest: A manifest that has been read and validated.
    ///   - name: Name of the session folder.
    ///   - isThere: Returns whether a file, given by its path relative to the folder, can be read.
    package init?(_ manifest: Manifest, name: String, isThere: (String) -> Bool) {
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
                    let isThere = file.isSafeRelativePath && isThere(file)
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
                "\(lost.joined(separator: ", ")) \(lost.count == 1 ? "is" : "are") missing. The output doesn't contain \(lost.count == 1 ? "this file" : "these files")."
            )
        }
        switch manifest.outcome {
        case .recovered:
            problems.append(
                "the recording was interrupted and recovered. For details, see `recovery` in its manifest.")
        case .storageFailed: problems.append("a file of the recording could not be written completely.")
        case .recording, .finished: break
        }
        let upright = first.flatMap { angle in
            angle.parts.first?.size.map { angle.rotation.swapsSides ? $0.transposed : $0 }
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
            markers: manifest.markers.filter { $0.at_ns >= 0 && $0.at_ns <= end.nanoseconds },
            arrangements: manifest.framedArrangements,
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

    /// Parses a date such as `2026-11-21T14:23:10.123456789+01:00`. Returns midnight on January 1, 1970, for
    /// invalid dates.
    private static func wallClock(
        _ text: String
    ) -> (local: LocalTime, since1970: Nanoseconds, fromGMT: Int) {
        let suffix = text.suffix(6)
        let hours = Int(suffix.dropFirst().prefix(2)) ?? 0
        let minutes = Int(suffix.suffix(2)) ?? 0
        let offset = (hours * 3600 + minutes * 60) * (suffix.first == "-" ? -1 : 1)
        let known = Manifest.date(ofTimeStamp: text)
        let date = known ?? Date(timeIntervalSince1970: 0)
        let fromGMT = known == nil ? 0 : offset
        return (
            LocalTime(date, secondsFromGMT: fromGMT), .seconds(rounding: date.timeIntervalSince1970), fromGMT
        )
    }
}

extension SessionTrack {
    /// Joins a role's tracks, with all existing files.
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
            isOnGrid: first?.variable_rate != true,
            rotation: first?.rotation.flatMap { Rotation(rawValue: $0) } ?? .none,
            shown: first?.crop.flatMap { crop in frame.map { FramePart(crop, of: $0) } } ?? .whole,
            channels: first?.channels ?? 0,
            gaps: manifest.gaps.filter { names.contains($0.track) && $0.to > .zero && $0.from < end },
            devices: devices.map { $0.name.printable() }, camera: devices.lazy.compactMap(\.camera).first)
        pixelAspect = first?.pixel_aspect.flatMap { AspectRatio($0) }
        empty = devices.enumerated().compactMap { index, device in
            // A screen track that shows the same picture for a long time isn't empty, because it contains a
            // slide.
            let isSlide = device.content == .frozen && device.type == SourceKind.screen.rawValue
            guard device.content != nil, !isSlide else { return nil }
            let next = index + 1 < devices.count ? devices[index + 1].from_ns : nil
            let from = MediaTime(nanoseconds: max(0, device.from_ns ?? 0))
            let to = min(next.map { MediaTime(nanoseconds: $0) } ?? end, end)
            return from < to ? from..<to : nil
        }
    }

    /// Returns the track from the phone's own storage instead of the network recording, if it contains more
    /// of the recording.
    ///
    /// - Parameters:
    ///   - uploads: Complete uploads from the phone.
    ///   - end: End of the recording.
    /// - Returns: `nil` if the network recording contains at least as much of the recording.
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

    /// Returns the tracks' files in order, each extending from its start to the start of the next file.
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
                file: track.file, track: track, from: startTime(of: track, end: end), size: size)
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
            let last = startTime(of: opening.track, end: end) + max(0, opening.track.duration_ns)
            let to = min(next, last, end.nanoseconds)
            guard opening.from < to else { return nil }
            return SessionPart(
                file: opening.file, stream: opening.track.stream, codec: opening.track.codec,
                from: MediaTime(nanoseconds: opening.from), to: MediaTime(nanoseconds: to), size: opening.size
            )
        }
    }

    /// Returns the instant that corresponds to time 0 of a track's first file. If a copied H.264 track begins
    /// late, its file begins with an earlier key frame, which isn't shown on playback. The track ends
    /// together with the other tracks.
    private static func startTime(of track: Manifest.Track, end: MediaTime) -> Int64 {
        guard track.variable_rate == true, track.first_ns > 0 else { return max(0, track.first_ns) }
        return max(track.first_ns, (track.ended_ns ?? end.nanoseconds) - max(0, track.duration_ns))
    }
}

extension RecordedSession {
    /// Reads a group's recording as one session with the aligned tracks of all nodes whose folder exists. A
    /// camera's role is `NODE/ROLE`.
    ///
    /// - Parameters:
    ///   - group: Content of `group.json`.
    ///   - folder: Path of the folder that contains `group.json`.
    /// - Throws: `FileError` with the operation "reading" if a node's recording can't be read, or none exists.
    init(_ group: GroupManifest, in folder: String) throws(FileError) {
        var parts: [(node: String, session: RecordedSession, later: Nanoseconds)] = []
        for node in group.nodes {
            parts.append(
                (
                    node.name, try RecordedSession(sessionFolder: "\(folder)/\(node.name)"),
                    Nanoseconds(node.first_ns)
                ))
        }
        guard let session = Self(group, joining: parts) else {
            throw FileError(
                path: "\(folder)/\(GroupManifest.fileName)", operation: "reading",
                detail: "the recordings of the nodes are missing. Collect the recording again.")
        }
        self = session
    }

    /// Joins the recordings from a group's nodes; `nil` for an empty list. Performs no I/O.
    ///
    /// - Parameters:
    ///   - group: Content of `group.json`.
    ///   - parts: For each node, its name, its recording, and the start of the recording relative to the group's T0. If
    ///     a start is negative, the earliest start is the session's T0.
    package init?(
        _ group: GroupManifest, joining parts: [(node: String, session: RecordedSession, later: Nanoseconds)]
    ) {
        // Using the highest rate of all nodes ensures that no frames are omitted.
        guard let leading = parts.max(by: { $0.session.rate < $1.session.rate })?.session else { return nil }
        let begin = parts.map(\.later).reduce(.zero, min)
        let parts = parts.map { (node: $0.node, session: $0.session, later: $0.later - begin) }
        func joined(
            _ tracks: (RecordedSession) -> [SessionTrack]
        ) -> [SessionTrack] {
            parts.flatMap { part in
                tracks(part.session).map {
                    $0.moved(to: part.node, later: part.later, origin: part.session.start)
                }
            }
        }
        var people: [String: String] = [:]
        var (problems, markers, formats): ([String], [Manifest.Marker], [EditFormat]) = ([], [], [])
        var end = MediaTime.zero
        for (node, session, later) in parts {
            for (role, name) in session.people { people["\(node)/\(role)"] = name }
            problems += session.problems.map { "\(node): \($0)" }
            formats += session.formats.filter { !formats.contains($0) }
            end = max(end, session.duration.advanced(by: later))
            // A marker that all nodes share counts once; two markers from the same node count as two.
            let others = markers
            for marker in session.markers {
                let time = MediaTime(nanoseconds: marker.at_ns).advanced(by: later).nanoseconds
                let isKnown = others.contains { other in
                    other.text == marker.text
                        && (Nanoseconds(other.at_ns) - Nanoseconds(time)).magnitude < .milliseconds(100)
                }
                if !isKnown { markers.append(Manifest.Marker(at_ns: time, text: marker.text)) }
            }
        }
        if !group.missing.isEmpty {
            problems.append(
                "the recordings of these nodes have not been collected yet: \(group.missing.map { $0.printable(limit: 100) }.joined(separator: ", "))."
            )
        }
        // T0 on the leading node's wall clock, regardless of this computer's time zone.
        let instant = Nanoseconds(group.t0_utc_ns) + begin
        let date = Date(timeIntervalSince1970: instant.inSeconds)
        self.init(
            name: group.recording.printable(), title: group.recording.printable(), people: people,
            formats: formats, size: leading.size, rate: leading.rate, duration: end,
            start: LocalTime(date, secondsFromGMT: leading.secondsFromGMT), startSince1970: instant,
            secondsFromGMT: leading.secondsFromGMT,
            angles: joined(\.angles), microphones: joined(\.microphones), program: nil,
            markers: markers.sorted { $0.at_ns < $1.at_ns }, arrangements: [], changes: [],
            problems: problems,
            encoding: parts.lazy.compactMap(\.session.encoding).first)
    }

    /// Returns the timecode in a camera's file at an instant: the time of day of the computer that recorded it.
    ///
    /// - Parameters:
    ///   - track: A camera's track.
    ///   - time: An instant of the session.
    ///   - rate: Rate of the timecode.
    /// - Returns: The timecode.
    package func timecode(of track: SessionTrack?, at time: MediaTime, rate: FrameRate) -> Timecode {
        let (start, since) = origin(of: track, at: time)
        return Timecode(at: start, rate: rate).advanced(by: rate.ticks(before: since))
    }

    /// Returns the wall clock at T0 of the computer that recorded a track, and the time since then.
    func origin(of track: SessionTrack?, at time: MediaTime) -> (start: LocalTime, since: MediaTime) {
        guard let origin = track?.origin else { return (start, time) }
        return (origin.start, time.advanced(by: .zero - origin.later))
    }
}

extension SessionTrack {
    /// Returns the same track as part of a group's recording.
    fileprivate func moved(to node: String, later: Nanoseconds, origin start: LocalTime) -> SessionTrack {
        var track = SessionTrack(
            role: "\(node)/\(role)", kind: kind,
            parts: parts.map { part in
                SessionPart(
                    file: "\(node)/\(part.file)", stream: part.stream, codec: part.codec,
                    from: part.from.advanced(by: later), to: part.to.advanced(by: later), size: part.size)
            }, rate: rate, isOnGrid: isOnGrid, rotation: rotation, shown: shown, channels: channels,
            gaps: gaps.map { $0.later(by: later) }, devices: devices, camera: camera.map { "\(node)/\($0)" })
        track.pixelAspect = pixelAspect
        track.empty = empty.map { $0.lowerBound.advanced(by: later)..<$0.upperBound.advanced(by: later) }
        track.origin = Origin(start: start, later: later)
        return track
    }
}

extension RecordedSession {
    /// Returns the session up to an instant, without later files and markers. Performs no I/O.
    package func truncated(at end: MediaTime) -> RecordedSession {
        var session = self
        session.duration = min(duration, end)
        session.angles = angles.compactMap { $0.truncated(at: end) }
        session.microphones = microphones.compactMap { $0.truncated(at: end) }
        session.program = program?.truncated(at: end)
        session.markers = markers.filter { $0.at_ns <= end.nanoseconds }
        return session
    }
}

extension SessionTrack {
    /// Returns the track up to an instant; `nil` if it begins later.
    fileprivate func truncated(at end: MediaTime) -> SessionTrack? {
        var track = self
        track.parts = parts.filter { $0.from < end }.map { part in
            var part = part
            part.to = min(part.to, end)
            return part
        }
        return track.parts.isEmpty ? nil : track
    }
}

extension RecordedSession {
    /// Determines the first visible frame of each file in tracks that aren't on a grid. Performs no I/O
    /// itself.
    ///
    /// - Parameter start: Returns the time of the first visible frame in a file, relative to the file's time
    ///   0; `nil` if it can't be read.
    /// - Returns: The session with the times of the first visible frames. Each such file extends to the first
    ///   frame of the next file.
    package func withFirstFrames(_ start: (SessionPart) -> MediaTime?) -> RecordedSession {
        var session = self
        for angle in session.angles.indices where !session.angles[angle].isOnGrid {
            var parts = session.angles[angle].parts
            // A frame is shown at the nearest tick.
            let early = MediaTime(nanoseconds: (session.angles[angle].rate ?? rate).interval.count / 2)
            for index in parts.indices {
                guard let time = start(parts[index]), time > early else { continue }
                let shown = MediaTime(
                    nanoseconds: parts[index].from.nanoseconds.addingReportingOverflow(time.nanoseconds)
                        .partialValue)
                guard shown > parts[index].from, shown < parts[index].to else { continue }
                // If a file ended before the next file began, nothing was recorded in between.
                if index > 0, parts[index - 1].to == parts[index].from { parts[index - 1].to = shown }
                parts[index].firstFrame = shown
            }
            session.angles[angle].parts = parts
        }
        return session
    }
}
