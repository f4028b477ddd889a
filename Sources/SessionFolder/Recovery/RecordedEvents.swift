internal import FoundationEssentials
internal import Glibc
package import MulticamMedia
internal import MulticamSystem
package import MulticamTiming

/// The events of an interrupted recording, read from `events.ndjson` for a recovery.
///
/// The last line may be incomplete and followed by zeros. Invalid JSON lines at the end are ignored.
package struct RecordedEvents: Sendable {
    /// Readable events with plausible times, in file order. Events that this version of multicam doesn't
    /// support are omitted.
    package let events: [SessionEvent]
    /// Length of the file in bytes up to the end of the last valid JSON line.
    package let validByteCount: Int

    /// The fields that every event has, including unsupported events.
    private struct AnyEvent: Decodable {
        let event: String
        let at_ns: Int64
    }

    /// Parses the content of `events.ndjson`. Damaged lines are skipped.
    package init(_ bytes: [UInt8]) {
        var events: [SessionEvent] = []
        var validByteCount = 0
        var start = 0
        let decoder = JSONText.decoder()
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = Data(bytes[start..<end])
            start = end + 1
            if let event = Self.decode(SessionEvent.self, line, decoder) {
                if event.isPlausible { events.append(event) }
            } else if Self.decode(AnyEvent.self, line, decoder) == nil {
                continue
            }
            validByteCount = end + 1
        }
        self.events = events
        self.validByteCount = validByteCount
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ line: Data, _ decoder: JSONDecoder
    ) -> Value? {
        do { return try decoder.decode(type, from: line) } catch { return nil }
    }

    /// T0 on `CLOCK_MONOTONIC`, in nanoseconds; `nil` if no event reports it.
    var monotonicStart: Int64? {
        events.lazy.compactMap { event -> Int64? in
            if case .started(let started) = event.content { started.t0_monotonic_ns } else { nil }
        }.first
    }

    /// Markers set at or after T0.
    package var markers: [Manifest.Marker] {
        events.compactMap { event in
            guard case .mark(let marker) = event.content, event.at >= .zero else { return nil }
            return Manifest.Marker(at_ns: event.at.nanoseconds, text: marker.text)
        }
    }

    /// Changes made to the program at or after T0.
    package var changes: [Manifest.Change] {
        changeEvents.filter { !$0.change.changes.isEmpty }.map { at, change in
            Manifest.Change(
                at_ns: at, changes: change.changes, layout: change.layout, shown: change.shown,
                mix: change.mix, cost: change.cost, budget: change.budget, reductions: change.reductions)
        }
    }

    /// Content and mix of the program after each change.
    package var arrangements: [Manifest.Arrangement] {
        changeEvents.compactMap(\.change.arrangement).sorted { $0.at_ns < $1.at_ns }
    }

    /// The motions of automatic framing.
    package var framings: [Manifest.Framing] {
        events.compactMap { event in
            guard case .framing(let framing) = event.content, event.at >= .zero else { return nil }
            return Manifest.Framing(
                at_ns: event.at.nanoseconds, role: framing.track, motion: framing.motion)
        }
    }

    private var changeEvents: [(at: Int64, change: SessionEvent.Change)] {
        events.compactMap { event in
            guard case .change(let change) = event.content, event.at >= .zero else { return nil }
            return (event.at.nanoseconds, change)
        }
    }

    /// A time just after the last marker or change, relative to T0; zero if there are none.
    var lastRequest: MediaTime {
        MediaTime(nanoseconds: (markers.map(\.at_ns) + changeEvents.map(\.at)).max().map { $0 + 1 } ?? 0)
    }

    /// Steps of the governor.
    package var governor: [Manifest.GovernorStep] {
        events.compactMap { event in
            guard case .governor(let step) = event.content else { return nil }
            return Manifest.GovernorStep(
                at_ns: event.at.nanoseconds, step: step.step, reason: step.reason)
        }
    }

    /// Counts the lost frames of a track, including those lost in a failed encoder.
    ///
    /// - Parameters:
    ///   - track: Name of the track.
    ///   - end: End of the recording, relative to T0; `nil` to count all events.
    /// - Returns: Number of lost frames by cause.
    package func lost(of track: String, until end: MediaTime? = nil) -> [String: Int] {
        var lost: [String: Int] = [:]
        for event in events where event.at < end ?? MediaTime(nanoseconds: .max) {
            let (cause, count): (LossCause?, Int64?) =
                switch event.content {
                case .drop(let drop) where drop.track == track: (LossCause(rawValue: drop.cause), drop.count)
                case .encoder(let encoder) where encoder.track == track: (.encoder, encoder.lost)
                default: (nil, nil)
                }
            guard let cause, let count, (1...1_000_000_000).contains(count) else { continue }
            lost[cause.rawValue, default: 0] += Int(count)
        }
        return lost
    }

    /// Returns the encoder of a track according to the events, because x264 may have replaced the planned hardware
    /// encoder.
    package func encoder(_ planned: Manifest.Encoder, of track: String) -> Manifest.Encoder {
        // If the planned encoder has no device, x264 was planned, and the event reports a second x264
        // instance.
        guard planned.until_ns == nil, planned.device != nil,
            let (at, change) = events.lazy.compactMap({ event -> (MediaTime, SessionEvent.EncoderChange)? in
                guard case .encoder(let change) = event.content, change.track == track, event.at >= .zero
                else { return nil }
                return (event.at, change)
            }).first
        else { return planned }
        var encoder = planned
        encoder.until_ns = at.nanoseconds
        encoder.reason = change.reason.printable(limit: 1000)
        return encoder
    }

    /// Returns the last reported state of a device's clock. Values that no event reported are taken from
    /// `begun`, the state at the start of the recording.
    package func clock(_ begun: Manifest.Clock, of role: String) -> Manifest.Clock {
        var clock = begun
        for reading in clockReadings where reading.role == role {
            (clock.ppm, clock.residual_us) = (reading.ppm, reading.residualMicroseconds)
            (clock.locked, clock.restarts) = (reading.isLocked, clock.restarts + reading.restarts)
        }
        return clock
    }

    /// The state of a device's clock, as reported in one event.
    struct ClockReading {
        let role: String
        let at: MediaTime
        let ppm: Double
        let residualMicroseconds: Double
        let isLocked: Bool
        /// Number of restarts of the clock model since the previous reading.
        let restarts: Int
    }

    /// Readings of all clocks, in file order. Implausible readings are skipped, because a damaged line may still be
    /// valid JSON.
    var clockReadings: [ClockReading] {
        events.compactMap { event in
            guard case .clock(let clock) = event.content, abs(clock.ppm) < 1e6,
                (0..<1e9).contains(clock.residual_us)
            else { return nil }
            return ClockReading(
                role: clock.track, at: event.at, ppm: clock.ppm, residualMicroseconds: clock.residual_us,
                isLocked: clock.state == .locked,
                restarts: Int(min(max(clock.restarts ?? 0, 0), 1_000_000)))
        }
    }

    /// Returns the ranges of tracks without captured data, relative to T0, limited to the time from T0 to
    /// `end`.
    package func gaps(until end: MediaTime) -> [Gap] {
        var gaps: [Gap] = []
        var away: [String: (since: Int64, cause: String)] = [:]
        func add(_ track: String, _ from: Int64, _ to: Int64, _ cause: String) {
            let (from, to) = (max(0, from), min(to, end.nanoseconds))
            guard to > from else { return }
            gaps.append(
                Gap(
                    track: track, from: MediaTime(nanoseconds: from), to: MediaTime(nanoseconds: to),
                    cause: cause))
        }
        for event in events {
            let at = event.at.nanoseconds
            switch event.content {
            case .deviceLost(let lost): away[lost.track] = away[lost.track] ?? (at, lost.cause)
            case .deviceRestored(let restored):
                if let gap = away.removeValue(forKey: restored.track) {
                    add(restored.track, gap.since, at, gap.cause)
                }
            case .drop(let drop):
                if let duration = drop.duration_ns { add(drop.track, at, at + duration, drop.cause) }
            default: continue
            }
        }
        for (track, gap) in away.sorted(by: { $0.key < $1.key }) {
            add(track, gap.since, end.nanoseconds, gap.cause)
        }
        return gaps
    }

    /// Returns the live outputs according to the events, limited to the time from T0 to `end`.
    ///
    /// - Parameters:
    ///   - known: The live outputs of the last written manifest.
    ///   - end: End of the recording, relative to T0.
    /// - Returns: The live outputs of the manifest, followed by the live outputs that are found only in
    ///   events.
    package func liveOutputs(
        since known: [Manifest.LiveOutput], until end: MediaTime
    ) -> [Manifest.LiveOutput] {
        var liveOutputs = known
        var connected: [String: Int64] = [:]
        /// Number of frames counted before T0, if the live output was already active.
        var before: [String: (sent: Int64, dropped: Int64)] = [:]
        func close(_ index: Int, at time: Int64) {
            guard let began = connected.removeValue(forKey: liveOutputs[index].name) else { return }
            let (from, to) = (max(0, began), min(time, end.nanoseconds))
            guard to > from, liveOutputs[index].connected.last.map({ $0.to_ns <= from }) ?? true else {
                return
            }
            liveOutputs[index].connected.append(Manifest.LiveOutput.Connection(from_ns: from, to_ns: to))
        }
        for event in events {
            guard case .liveOutput(let output) = event.content else { continue }
            let (name, kind, at) = (output.name.printable(), output.kind.printable(), event.at.nanoseconds)
            let index = liveOutputs.firstIndex { $0.name == name } ?? liveOutputs.count
            if index == liveOutputs.count {
                liveOutputs.append(Manifest.LiveOutput(name: name, kind: kind))
            }
            if output.state == .connected {
                if connected[name] == nil { connected[name] = at }
            } else {
                close(index, at: at)
            }
            let counts = (sent: Self.count(output.sent_frames), dropped: Self.count(output.dropped_frames))
            if before[name] == nil { before[name] = at <= 0 ? counts : (0, 0) }
            let sent = counts.sent - (before[name]?.sent ?? 0)
            let dropped = counts.dropped - (before[name]?.dropped ?? 0)
            liveOutputs[index].sent_frames = max(liveOutputs[index].sent_frames, sent)
            liveOutputs[index].dropped_frames = max(liveOutputs[index].dropped_frames, dropped)
            let reasons = liveOutputs[index].reasons
            if let text = output.text?.printable(limit: 400), !reasons.contains(text),
                reasons.count < Manifest.LiveOutput.maxReasons
            {
                liveOutputs[index].reasons.append(text)
            }
        }
        for index in liveOutputs.indices { close(index, at: end.nanoseconds) }
        return liveOutputs
    }

    private static func count(_ number: Int64) -> Int64 {
        min(max(number, 0), Manifest.plausibleTimes.upperBound)
    }

    /// Returns the start of a continuation file, relative to T0; `nil` if no event reports it. `file` is
    /// relative to the session folder.
    package func start(ofPart file: String) -> MediaTime? {
        events.last { event in
            guard case .split(let split) = event.content else { return false }
            return split.file == file || split.files?.contains(file) == true
        }.map { max($0.at, .zero) }
    }
}

extension SessionEvent {
    /// Whether the event's times are plausible. A damaged or edited line may still be valid JSON.
    fileprivate var isPlausible: Bool {
        guard Manifest.plausibleTimes.contains(at.nanoseconds) else { return false }
        return switch content {
        case .drop(let drop):
            drop.duration_ns.map { (0...Manifest.plausibleTimes.upperBound).contains($0) } ?? true
        case .change(let change): change.arrangement?.isPlausible ?? true
        case .framing(let framing): framing.motion.isPlausible
        default: true
        }
    }
}

/// The locked `events.ndjson` of a recording. The lock prevents other processes from recording or recovering at the
/// same time.
final class EventJournal {
    private let path: String
    private let file: Opened?
    let bytes: [UInt8]

    /// Maximum number of bytes read from the event file. This limit is sufficient for months of events.
    private static let largest = 1 << 30

    /// Opens, locks and reads the events of a folder. A folder without an event file is not an error.
    ///
    /// - Throws: `FileError` with the operation "opening" if the file cannot be opened for writing, "reading"
    ///   if it cannot be read, or "recovering" if another process is recording or recovering.
    init(folder: ContainedFolder) throws(FileError) {
        let events = folder.file("events.ndjson")
        path = events.path
        let file: Opened
        do throws(FileError) {
            file = Opened(try events.openForUpdate())
        } catch {
            guard error.errno == ENOENT else { throw error }
            (self.file, bytes) = (nil, [])
            return
        }
        if flock(file.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            // A program that uses the recording has a shared lock.
            let isOnlyUsed = flock(file.number, LOCK_SH | LOCK_NB) == 0
            throw FileError(
                path: folder.path, operation: "recovering",
                detail: "\(folder.path.printable(limit: 1000)): "
                    + (isOnlyUsed
                        ? RecordingUse.remedy
                        : "this recording is still running or being recovered. Stop it first. "
                            + "Recover the recording only if it ends without completing its files."))
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < Self.largest {
            let count = read(file.number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(path: path, operation: "reading", errno: errno) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        self.bytes = bytes
        self.file = file
    }

    /// Whether the folder contains an event file.
    var exists: Bool { file != nil }

    /// An open file, which is unlocked and closed when the object is deallocated.
    private final class Opened {
        private let descriptor: OwnedDescriptor
        var number: Int32 { descriptor.number }

        init(_ descriptor: consuming OwnedDescriptor) { self.descriptor = descriptor }

        deinit {
            // Unlock the file explicitly, because a child process that is starting also holds the descriptor for a
            // moment.
            flock(descriptor.number, LOCK_UN)
        }
    }

    /// Appends an event after the last complete line, replacing an incomplete line, and waits until the event
    /// is on disk.
    func append(_ event: SessionEvent, after validByteCount: Int) throws(FileError) {
        guard let descriptor = file?.number else { return }
        let line = Array((event.line() + "\n").utf8)
        guard ftruncate(descriptor, validByteCount) == 0 else {
            throw FileError(path: path, operation: "truncating the file", errno: errno)
        }
        let written = pwrite(descriptor, line, line.count, validByteCount)
        guard written == line.count else {
            throw FileError(path: path, operation: "writing", errno: written < 0 ? errno : ENOSPC)
        }
        guard fdatasync(descriptor) == 0 else {
            throw FileError(path: path, operation: "fdatasync", errno: errno)
        }
    }
}
