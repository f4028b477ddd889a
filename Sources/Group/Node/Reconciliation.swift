internal import MulticamControl
internal import MulticamMedia
internal import MulticamSessionFolder

/// Details of a recording's start, as reported by its recorder.
struct RecordingStart: Sendable, Hashable {
    /// Name of the session folder.
    var folder: String
    /// T0 on CLOCK_MONOTONIC.
    var monotonic: ClockTime
    /// T0 in the group's time, in nanoseconds since 1970; `nil` if the recorder doesn't follow the group's time.
    var utc: Int64?
}

/// Recording activity of a node's recorder.
enum RecorderActivity: Sendable, Hashable {
    /// No recorder process is running.
    case notRunning
    /// A recorder is running but doesn't respond.
    case unresponsive
    /// The recorder is starting, on standby, or paused.
    case idle
    /// The recorder is waiting for T0.
    case waiting
    /// The recorder is recording or closing its files.
    case recording(RecordingStart)

    /// Derives the recorder's activity from its status.
    ///
    /// - Parameters:
    ///   - status: The status that the recorder reported; `nil` if the recorder doesn't respond.
    ///   - isAlive: Whether a recorder is running.
    init(_ status: ControlStatus?, isAlive: Bool) {
        guard let status else {
            self = isAlive ? .unresponsive : .notRunning
            return
        }
        let folder = status.folder?.split(separator: "/").last.map(String.init)
        switch status.state {
        case .recording, .finishing:
            // The activity is unknown between T0 and the first status that contains T0, and while files are
            // being closed.
            guard let folder, let start = status.t0_monotonic_ns else {
                self = .unresponsive
                return
            }
            self = .recording(
                RecordingStart(
                    folder: folder, monotonic: ClockTime(nanoseconds: start), utc: status.t0_utc_ns))
        case .starting, .standby, .paused: self = folder == nil ? .idle : .waiting
        }
    }

    /// Whether the recorder is recording or closing its files.
    var isRecording: Bool { if case .recording = self { true } else { false } }
}

/// The decision about an unfinished recording in a node's journal, based on the recorder's state. The node's
/// program or the recorder may have died at any time. The journal is updated to match the actual state, so
/// that an outdated entry never prevents the node's next recording. The decision logic doesn't access clocks,
/// processes, or files.
enum Reconciliation: Sendable, Equatable {
    /// Nothing has changed, or the state is unknown.
    case unchanged
    /// The recording has started, but its start isn't in the journal yet.
    case adopt(RecordingStart)
    /// The recording has ended, and its folder contains the result.
    case end
    /// The recorder never started the recording. If the group recording is still running, the node may join
    /// it late.
    case drop

    /// Maximum lead of the recorder's T0 over the group's T0.
    private static let tolerance = Nanoseconds.seconds(1)
    /// Maximum time after T0 until a recorder has started a requested recording or reported that it can't.
    private static let longestWait = Nanoseconds.seconds(60)

    /// Decides what happens to an unfinished recording in the journal.
    ///
    /// - Parameters:
    ///   - entry: The recording in the journal.
    ///   - entries: All entries of the journal.
    ///   - activity: The recorder's activity.
    ///   - isBeginning: Whether a thread of this process is starting the recording.
    ///   - folder: State of the recording's session folder, ignored if the folder doesn't exist yet.
    init(
        _ entry: NodeRecording, in entries: [NodeRecording], _ activity: RecorderActivity, isBeginning: Bool,
        folder: FolderState
    ) {
        guard entry.isRunning, !isBeginning else {
            self = .unchanged
            return
        }
        guard let name = entry.folder else {
            switch activity {
            case .unresponsive, .waiting: self = .unchanged
            case .recording(let start):
                self = Self.owner(of: start, in: entries) == entry ? .adopt(start) : .drop
            case .notRunning, .idle: self = .drop
            }
            return
        }
        if case .recording(let start) = activity, start.folder == name {
            self = .unchanged
        } else {
            // A recorder that is too busy to respond still holds the lock on its session folder. A recorder
            // that has died leaves the outcome `recording` in the manifest.
            self = folder == .running ? .unchanged : .end
        }
    }

    /// Returns a recording that is running although the journal lists it as not started, because this node
    /// stopped waiting for it too early.
    ///
    /// - Parameters:
    ///   - entries: All entries of the journal, in any order. None of the entries may be a running recording.
    ///   - activity: The recorder's activity.
    /// - Returns: The journal entry and the details of the recording's start; `nil` if such a recording
    ///   doesn't exist.
    static func untracked(
        in entries: [NodeRecording], _ activity: RecorderActivity
    ) -> (entry: NodeRecording, start: RecordingStart)? {
        guard case .recording(let start) = activity else { return nil }
        return owner(of: start, in: entries).map { ($0, start) }
    }

    /// Returns the journal entry that matches a recording's start: among the entries without a folder, the
    /// last one with a T0 before the start.
    private static func owner(of start: RecordingStart, in entries: [NodeRecording]) -> NodeRecording? {
        guard let utc = start.utc else { return nil }
        return entries.filter { entry in
            let delay = Nanoseconds(utc) - Nanoseconds(entry.t0_utc_ns)
            // A running recording may have started late.
            return entry.folder == nil && delay >= .zero - tolerance
                && (entry.isRunning || delay < longestWait)
        }.max { $0.t0_utc_ns < $1.t0_utc_ns }
    }
}

/// The decision whether a node starts a recording. The decision logic doesn't access clocks, processes, or
/// files.
enum Admission: Sendable, Equatable {
    /// The node starts the recording, or retries one that never started.
    case begin
    /// The journal already contains the recording, which is running or has ended.
    case known
    /// Another recording is running.
    case busy(String)

    /// Decides whether to start a recording.
    ///
    /// - Parameters:
    ///   - recording: Name of the recording to start.
    ///   - entries: All entries of the journal.
    init(of recording: String, in entries: [NodeRecording]) {
        if let known = entries.first(where: { $0.recording == recording }), !known.neverStarted {
            self = .known
        } else if let other = entries.last(where: \.isRunning) {
            self = .busy(other.recording)
        } else {
            self = .begin
        }
    }
}

/// A node's decision about the recording in the broker's store, which the node may not know yet. The decision
/// logic doesn't access clocks or connections.
enum RecordingAction: Sendable, Equatable {
    case nothing
    case begin
    case stop(at: Int64)

    /// Decides whether to start or stop a recording.
    ///
    /// - Parameters:
    ///   - stored: The plausible recording in the store; `nil` if the store doesn't contain one.
    ///   - node: The node's name.
    ///   - running: The recording that the node is making; `nil` if the node isn't recording.
    ///   - now: The group's time in nanoseconds since 1970.
    init(_ stored: GroupRecording?, node: String, running: NodeRecording?, at now: Int64) {
        guard let stored, stored.nodes.contains(node) else {
            self = .nothing
            return
        }
        if stored.isRunning(at: now) {
            self = .begin
        } else if let end = stored.end_utc_ns, running?.recording == stored.name {
            self = .stop(at: end)
        } else {
            self = .nothing
        }
    }
}
