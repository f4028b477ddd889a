internal import Foundation
internal import Glibc
public import Media
public import Timing

/// What `events.ndjson` tells of a recording that did not come to its end.
///
/// Its last line may be torn, and zeros may follow: whatever is no JSON at the end is left out.
public struct RecordedEvents: Sendable {
    /// The fields that a recovery needs.
    public struct Event: Sendable, Equatable, Decodable {
        public let event: String
        public let at_ns: Int64
        public let track: String?
        public let cause: String?
        public let count: Int64?
        /// Frames that a hardware encoder took with it.
        public let lost: Int64?
        public let duration_ns: Int64?
        public let text: String?
        public let step: String?
        public let reason: String?
        public let file: String?
        public let files: [String]?
        /// Of a clock.
        public let ppm: Double?
        public let residual_us: Double?
        public let state: String?
        public let restarts: Int?

        /// Whether its times are those of a recording. A line may be damaged, or edited, and still be JSON.
        fileprivate var isPlausible: Bool {
            Manifest.plausibleTimes.contains(at_ns)
                && (duration_ns.map { (0...Manifest.plausibleTimes.upperBound).contains($0) } ?? true)
        }
    }

    public let events: [Event]
    /// How many of its bytes are whole lines.
    public let wholeByteCount: Int

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

    public var marks: [Manifest.Mark] {
        events.filter { $0.event == "mark" && $0.at_ns >= 0 }.map {
            Manifest.Mark(at_ns: $0.at_ns, text: $0.text ?? "")
        }
    }

    public var governor: [Manifest.GovernorStep] {
        events.compactMap { event in
            guard event.event == "governor", let step = event.step, let reason = event.reason else {
                return nil
            }
            return Manifest.GovernorStep(at_ns: event.at_ns, step: step, reason: reason)
        }
    }

    /// Frames of a track that are lost, by cause: those of its camera, and those that an encoder failed with.
    ///
    /// - Parameters:
    ///   - track: Its name.
    ///   - end: Of the recording; `nil` for all that was told.
    /// - Returns: Counts by cause.
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

    /// What encoded a track, by what was to encode it: x264 may have taken over.
    public func encoder(_ planned: Manifest.Encoder, of track: String) -> Manifest.Encoder {
        // Without a device x264 was to encode it, and an event tells of another x264.
        guard planned.until_ns == nil, planned.device != nil,
            let event = events.first(where: { $0.event == "encoder" && $0.track == track && $0.at_ns >= 0 })
        else { return planned }
        var encoder = planned
        encoder.until_ns = event.at_ns
        encoder.reason = event.reason?.printable(limit: 1000)
        return encoder
    }

    /// What was told of a device's clock, last of all, by what was known of it at the start.
    public func clock(_ begun: Manifest.Clock, of role: String) -> Manifest.Clock {
        var clock = begun
        for reading in clockReadings where reading.role == role {
            (clock.ppm, clock.residual_us) = (reading.ppm, reading.residualMicroseconds)
            (clock.locked, clock.restarts) = (reading.isLocked, clock.restarts + reading.restarts)
        }
        return clock
    }

    /// What was told of a device's clock at one time.
    struct ClockReading {
        let role: String
        let at: MediaTime
        let ppm: Double
        let residualMicroseconds: Double
        let isLocked: Bool
        /// Since the one before.
        let restarts: Int
    }

    /// All that can be: a line may be damaged and still be JSON.
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

    /// Stretches of tracks that are not as captured, up to the recording's end.
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

    /// Where a part begins, by the file's name relative to the folder.
    public func start(ofPart file: String) -> MediaTime? {
        events.last { $0.event == "split" && ($0.file == file || $0.files?.contains(file) == true) }.map {
            MediaTime(nanoseconds: max(0, $0.at_ns))
        }
    }
}
