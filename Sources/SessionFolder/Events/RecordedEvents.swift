internal import FoundationEssentials
internal import Glibc
public import Media
public import Timing

/// The events in `events.ndjson` of an interrupted recording, as a recovery needs them.
///
/// The last line may be torn, and zeros may follow: lines at the end that are no JSON are ignored.
public struct RecordedEvents: Sendable {
    /// One line of `events.ndjson`, with the fields that a recovery needs.
    public struct Event: Sendable, Equatable, Decodable {
        /// Name of the event, for example `drop`.
        public let event: String
        /// Time of the event in nanoseconds since T0.
        public let at_ns: Int64
        /// Name of the track.
        public let track: String?
        /// Why frames or audio are missing, or why a device is away.
        public let cause: String?
        /// Number of lost frames.
        public let count: Int64?
        /// Number of frames that were lost in a hardware encoder when it failed.
        public let lost: Int64?
        /// Length of missing audio in nanoseconds.
        public let duration_ns: Int64?
        /// Sentence for people, or the words of a mark.
        public let text: String?
        /// Measure that the governor took or took back.
        public let step: String?
        /// Why the governor took a step, or why another encoder took over.
        public let reason: String?
        /// File that continues a track after a split.
        public let file: String?
        /// Files that continue the tracks after a split on request.
        public let files: [String]?
        /// Error of a device's rate in parts per million, positive when it runs fast.
        public let ppm: Double?
        /// Standard error of a device's clock model, in microseconds.
        public let residual_us: Double?
        /// State of a device's clock, for example `locked`.
        public let state: String?
        /// How often a device's clock model began anew since the event before.
        public let restarts: Int?
        /// What a person changed, in words.
        public let changes: [String]?
        /// Layout of the program after a change.
        public let layout: String?
        /// Roles of the cameras that the program shows after a change.
        public let shown: [String]?
        /// Roles of the microphones that the program mixes after a change.
        public let mix: [String]?
        /// Hardware cost after a change. Of the event `pressure`: the cost of system pressure.
        public let cost: Double?
        /// Largest hardware cost that the profile allows.
        public let budget: Double?
        /// What cameras gave so that a change fits.
        public let reductions: [String]?
        /// What the program shows and mixes after a change.
        public let arrangement: Manifest.Arrangement?
        /// Name of a live output.
        public let name: String?
        /// Kind of its destination.
        public let kind: String?
        /// Frames that it has sent so far.
        public let sent_frames: Int64?
        /// Frames that it has not sent so far.
        public let dropped_frames: Int64?

        /// Whether the event's times are those of a recording. A line may be damaged or edited and still be JSON.
        fileprivate var isPlausible: Bool {
            Manifest.plausibleTimes.contains(at_ns)
                && (duration_ns.map { (0...Manifest.plausibleTimes.upperBound).contains($0) } ?? true)
                && (arrangement?.isPlausible ?? true)
        }
    }

    /// Readable events with plausible times, in the order of their lines.
    public let events: [Event]
    /// Length of the file in bytes up to the last line that is JSON.
    public let wholeByteCount: Int

    /// Reads the content of `events.ndjson`; damaged lines are left out.
    public init(_ bytes: [UInt8]) {
        var lines: [(event: Event?, end: Int)] = []
        var start = 0
        let decoder = JSONDecoder()
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = Data(bytes[start..<end])
            do {
                lines.append((try decoder.decode(Event.self, from: line), end + 1))
            } catch {
                lines.append((nil, end + 1))
            }
            start = end + 1
        }
        while let last = lines.last, last.event == nil { lines.removeLast() }
        events = lines.compactMap(\.event).filter(\.isPlausible)
        wholeByteCount = lines.last?.end ?? 0
    }

    /// Marks that people set from T0 on.
    public var marks: [Manifest.Mark] {
        events.filter { $0.event == "mark" && $0.at_ns >= 0 }.map {
            Manifest.Mark(at_ns: $0.at_ns, text: $0.text ?? "")
        }
    }

    /// Changes that people made from T0 on.
    public var changes: [Manifest.Change] {
        switches.compactMap { event in
            guard let changes = event.changes, !changes.isEmpty else { return nil }
            return Manifest.Change(
                at_ns: event.at_ns, changes: changes, layout: event.layout, shown: event.shown,
                mix: event.mix,
                cost: event.cost, budget: event.budget, reductions: event.reductions)
        }
    }

    /// What the program showed and mixed from each change on.
    public var arrangements: [Manifest.Arrangement] { switches.compactMap(\.arrangement) }

    private var switches: [Event] { events.filter { $0.event == "switch" && $0.at_ns >= 0 } }

    /// Steps of the governor.
    public var governor: [Manifest.GovernorStep] {
        events.compactMap { event in
            guard event.event == "governor", let step = event.step, let reason = event.reason else {
                return nil
            }
            return Manifest.GovernorStep(at_ns: event.at_ns, step: step, reason: reason)
        }
    }

    /// Counts the lost frames of a track: those of its camera, and those that a failed encoder took with it.
    ///
    /// - Parameters:
    ///   - track: Name of the track.
    ///   - end: End of the recording, since T0; `nil` to count all events.
    /// - Returns: Number of lost frames by cause.
    public func lost(of track: String, until end: MediaTime? = nil) -> [String: Int] {
        var lost: [String: Int] = [:]
        for event in events where event.track == track && event.at_ns < end?.nanoseconds ?? .max {
            let (cause, count): (LossCause?, Int64?) =
                switch event.event {
                case "drop": (event.cause.flatMap(LossCause.init(rawValue:)), event.count)
                case "encoder": (.encoder, event.lost)
                default: (nil, nil)
                }
            guard let cause, let count, (1...1_000_000_000).contains(count) else { continue }
            lost[cause.rawValue, default: 0] += Int(count)
        }
        return lost
    }

    /// The encoder of a track according to the events: x264 may have replaced the planned hardware encoder.
    public func encoder(_ planned: Manifest.Encoder, of track: String) -> Manifest.Encoder {
        // Without a device, x264 was planned, and an event reports another instance of x264.
        guard planned.until_ns == nil, planned.device != nil,
            let event = events.first(where: { $0.event == "encoder" && $0.track == track && $0.at_ns >= 0 })
        else { return planned }
        var encoder = planned
        encoder.until_ns = event.at_ns
        encoder.reason = event.reason?.printable(limit: 1000)
        return encoder
    }

    /// The last reported state of a device's clock; values that no event reported are those of `begun`, the state at the start.
    public func clock(_ begun: Manifest.Clock, of role: String) -> Manifest.Clock {
        var clock = begun
        for reading in clockReadings where reading.role == role {
            (clock.ppm, clock.residual_us) = (reading.ppm, reading.residualMicroseconds)
            (clock.locked, clock.restarts) = (reading.isLocked, clock.restarts + reading.restarts)
        }
        return clock
    }

    /// The state of a device's clock as one event reports it.
    struct ClockReading {
        let role: String
        let at: MediaTime
        let ppm: Double
        let residualMicroseconds: Double
        let isLocked: Bool
        /// How often the clock model began anew since the reading before.
        let restarts: Int
    }

    /// Readings of all clocks in the order of their lines; implausible ones are left out, since a line may be damaged and still
    /// be JSON.
    var clockReadings: [ClockReading] {
        events.filter { $0.event == "clock" }.compactMap { event in
            guard let role = event.track, let ppm = event.ppm, abs(ppm) < 1e6,
                let residual = event.residual_us, (0..<1e9).contains(residual)
            else { return nil }
            return ClockReading(
                role: role, at: MediaTime(nanoseconds: event.at_ns), ppm: ppm, residualMicroseconds: residual,
                isLocked: event.state == "locked", restarts: min(max(event.restarts ?? 0, 0), 1_000_000))
        }
    }

    /// Stretches of tracks for which nothing was captured, since T0, limited to the time from T0 to `end`.
    public func gaps(until end: MediaTime) -> [Gap] {
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
            guard let track = event.track else { continue }
            switch event.event {
            case "unplug": away[track] = away[track] ?? (event.at_ns, event.cause ?? "unplugged")
            case "replug":
                if let gap = away.removeValue(forKey: track) { add(track, gap.since, event.at_ns, gap.cause) }
            case "drop":
                if let duration = event.duration_ns {
                    add(track, event.at_ns, event.at_ns + duration, event.cause ?? "lost")
                }
            default: continue
            }
        }
        for (track, gap) in away.sorted(by: { $0.key < $1.key }) {
            add(track, gap.since, end.nanoseconds, gap.cause)
        }
        return gaps
    }

    /// Live outputs as the events tell them, limited to the time from T0 to `end`.
    ///
    /// - Parameters:
    ///   - known: The live outputs of the manifest that was written last.
    ///   - end: End of the recording, since T0.
    /// - Returns: Those of the manifest, then those that only events tell.
    public func publications(
        since known: [Manifest.Publication], until end: MediaTime
    ) -> [Manifest.Publication] {
        var publications = known
        var connected: [String: Int64] = [:]
        /// What was counted before T0, where the output ran already.
        var before: [String: (sent: Int64, dropped: Int64)] = [:]
        func close(_ index: Int, at time: Int64) {
            guard let began = connected.removeValue(forKey: publications[index].name) else { return }
            let (from, to) = (max(0, began), min(time, end.nanoseconds))
            guard to > from, publications[index].connected.last.map({ $0.to_ns <= from }) ?? true else {
                return
            }
            publications[index].connected.append(Manifest.Publication.Connection(from_ns: from, to_ns: to))
        }
        for event in events where event.event == "publication" {
            guard let name = event.name?.printable(), let kind = event.kind?.printable() else { continue }
            let index = publications.firstIndex { $0.name == name } ?? publications.count
            if index == publications.count {
                publications.append(Manifest.Publication(name: name, kind: kind))
            }
            if event.state == "connected" {
                if connected[name] == nil { connected[name] = event.at_ns }
            } else {
                close(index, at: event.at_ns)
            }
            let counts = (sent: Self.count(event.sent_frames), dropped: Self.count(event.dropped_frames))
            if before[name] == nil { before[name] = event.at_ns <= 0 ? counts : (0, 0) }
            let sent = counts.sent - (before[name]?.sent ?? 0)
            let dropped = counts.dropped - (before[name]?.dropped ?? 0)
            publications[index].sent_frames = max(publications[index].sent_frames, sent)
            publications[index].dropped_frames = max(publications[index].dropped_frames, dropped)
            let reasons = publications[index].reasons
            if let text = event.text?.printable(limit: 400), !reasons.contains(text),
                reasons.count < Manifest.Publication.mostReasons
            {
                publications[index].reasons.append(text)
            }
        }
        for index in publications.indices { close(index, at: end.nanoseconds) }
        return publications
    }

    private static func count(_ number: Int64?) -> Int64 {
        min(max(number ?? 0, 0), Manifest.plausibleTimes.upperBound)
    }

    /// When a later file of a track begins, since T0; `nil` where no event tells it. `file` is relative to the session folder.
    public func start(ofPart file: String) -> MediaTime? {
        events.last { $0.event == "split" && ($0.file == file || $0.files?.contains(file) == true) }.map {
            MediaTime(nanoseconds: max(0, $0.at_ns))
        }
    }
}
