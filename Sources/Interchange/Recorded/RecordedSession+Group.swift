public import Containers
internal import FoundationEssentials
public import Media
internal import Profiles
public import SessionFolder
internal import Timing

extension RecordedSession {
    /// Reads the recording of a group: one session with the tracks of all nodes whose folders are there, each where it belongs. A camera's
    /// role is `NODE/ROLE`.
    ///
    /// - Parameters:
    ///   - group: What `group.json` says.
    ///   - folder: Path of the folder that has it.
    /// - Throws: `FileError` "read" when a node's recording cannot be read, or none is there.
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
                path: "\(folder)/\(GroupManifest.fileName)", operation: "read",
                detail: "no node's recording is there yet: collect it again")
        }
        self = session
    }

    /// Joins the recordings of a group's nodes; `nil` where there are none. Pure.
    ///
    /// - Parameters:
    ///   - group: What `group.json` says.
    ///   - parts: Each node's name, its recording, and how much later than the group's T0 that begins; where that is negative, the first
    ///     beginning is the session's T0.
    public init?(
        _ group: GroupManifest, joining parts: [(node: String, session: RecordedSession, later: Nanoseconds)]
    ) {
        // No frame of a faster node is left out.
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
        var (problems, marks, formats): ([String], [Manifest.Mark], [EditFormat]) = ([], [], [])
        var end = MediaTime.zero
        for (node, session, later) in parts {
            for (role, name) in session.people { people["\(node)/\(role)"] = name }
            problems += session.problems.map { "\(node): \($0)" }
            formats += session.formats.filter { !formats.contains($0) }
            end = max(end, session.duration.later(by: later))
            // A mark that all nodes have is one; two of the same node are two.
            let others = marks
            for mark in session.marks {
                let time = MediaTime(nanoseconds: mark.at_ns).later(by: later).nanoseconds
                let isKnown = others.contains { other in
                    other.text == mark.text
                        && (Nanoseconds(other.at_ns) - Nanoseconds(time)).magnitude < .milliseconds(100)
                }
                if !isKnown { marks.append(Manifest.Mark(at_ns: time, text: mark.text)) }
            }
        }
        if !group.missing.isEmpty {
            problems.append(
                "not collected yet: \(group.missing.map { $0.printable(limit: 100) }.joined(separator: ", "))."
            )
        }
        // T0 as the leading node's clock on the wall shows it, wherever this computer is.
        let instant = Nanoseconds(group.t0_utc_ns) + begin
        let date = Date(timeIntervalSince1970: instant.inSeconds)
        self.init(
            name: group.recording.printable(), title: group.recording.printable(), people: people,
            formats: formats, size: leading.size, rate: leading.rate, duration: end,
            start: LocalTime(date, secondsFromGMT: leading.secondsFromGMT), startSince1970: instant,
            secondsFromGMT: leading.secondsFromGMT,
            angles: joined(\.angles), microphones: joined(\.microphones), program: nil,
            marks: marks.sorted { $0.at_ns < $1.at_ns }, arrangements: [], changes: [], problems: problems,
            encoding: parts.lazy.compactMap(\.session.encoding).first)
    }

    /// Time code that a camera's file has at an instant: the time of day, by the computer that recorded it.
    ///
    /// - Parameters:
    ///   - track: A camera's track.
    ///   - time: An instant of the session.
    ///   - rate: The rate of the time code.
    /// - Returns: The time code.
    public func timecode(of track: SessionTrack?, at time: MediaTime, rate: FrameRate) -> Timecode {
        let (start, since) = origin(of: track, at: time)
        return Timecode(at: start, rate: rate).advanced(by: rate.ticks(before: since))
    }

    /// The wall clock of the computer that recorded a track at its T0, and an instant since then.
    func origin(of track: SessionTrack?, at time: MediaTime) -> (start: LocalTime, since: MediaTime) {
        guard let origin = track?.origin else { return (start, time) }
        return (origin.start, time.later(by: .zero - origin.later))
    }
}

extension SessionTrack {
    /// The same track in a group's recording.
    fileprivate func moved(to node: String, later: Nanoseconds, origin start: LocalTime) -> SessionTrack {
        var track = SessionTrack(
            role: "\(node)/\(role)", kind: kind,
            parts: parts.map { part in
                SessionPart(
                    file: "\(node)/\(part.file)", stream: part.stream, codec: part.codec,
                    from: part.from.later(by: later), to: part.to.later(by: later), size: part.size)
            }, rate: rate, isOnGrid: isOnGrid, rotation: rotation, shown: shown, channels: channels,
            gaps: gaps.map { $0.later(by: later) }, devices: devices, camera: camera.map { "\(node)/\($0)" })
        track.origin = Origin(start: start, later: later)
        return track
    }
}
