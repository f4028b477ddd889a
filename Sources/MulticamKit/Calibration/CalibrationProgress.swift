internal import Media
internal import Setup
internal import Synchrony

/// The state of a running calibration: takes events and gives findings and hints. A value: time is an argument.
struct CalibrationProgress {
    struct Participant {
        let role: String
        let device: CaptureDevice
        let format: CalibratedFormat
        var events: [SharpEvent] = []
        var isHinted = false
    }

    private let reference: String
    private let options: CalibrationOptions
    private var participants: [Participant]
    /// The number of the reference's events that were reported.
    private(set) var toldCount = 0
    private var beginning: MediaTime?
    private var silentSince: MediaTime?

    /// How long a device may take to report an event of the reference: it may date it a second late, and detectors report it half
    /// a second later.
    static let patience = Nanoseconds.seconds(2)
    /// The time without an event after which the user gets a hint.
    private static let silence = Nanoseconds.seconds(15)
    /// The number of events after which a device that noticed none gets a hint.
    private static let hopeless = 4

    init(reference: String, participants: [Participant], options: CalibrationOptions) {
        self.reference = reference
        self.participants = participants
        self.options = options
    }

    private var heard: [SharpEvent] { participants.first { $0.role == reference }?.events ?? [] }
    var heardCount: Int { heard.count }

    mutating func add(_ event: SharpEvent, of role: String) {
        guard let index = participants.firstIndex(where: { $0.role == role }) else { return }
        if role == reference, let beginning, event.middle < beginning { return }
        participants[index].events.append(event)
    }

    /// Ignores what the reference heard before an instant, because other devices may not have been ready for it.
    mutating func begin(at time: MediaTime) {
        beginning = time
        for index in participants.indices where participants[index].role == reference {
            participants[index].events.removeAll { $0.middle < time }
        }
    }

    /// The events to report now.
    ///
    /// - Parameters:
    ///   - now: The present time.
    ///   - isOver: Whether nothing more will come, so that no device is waited for.
    /// - Returns: Events that every device has noticed or missed, in order, then hints.
    mutating func news(at now: MediaTime, isOver: Bool = false) -> [CalibrationEvent] {
        var news: [CalibrationEvent] = []
        while toldCount < heard.count {
            let event = heard[toldCount]
            let others = participants.filter { $0.role != reference }
            let noticed = others.filter { Self.noticed(event, by: $0) }
            let isDue = now.nanoseconds - event.middle.nanoseconds >= Self.patience.count
            guard isDue || isOver || noticed.count == others.count else { break }
            toldCount += 1
            let missed = others.filter { other in !noticed.contains { $0.role == other.role } }
            news.append(
                .heard(
                    number: toldCount, noticedBy: noticed.map(\.role), missedBy: missed.map(\.role),
                    findings: findings))
        }
        return news + hints(at: now, afterEvent: !news.isEmpty)
    }

    /// Whether every device is known within the goal and by enough events.
    var isDone: Bool {
        toldCount == heard.count
            && findings.allSatisfy { finding in
                finding.verdict == .reference
                    || finding.verdict == .measured && (finding.estimate?.eventCount ?? 0) >= options.events
            }
    }

    var findings: [CalibrationFinding] { participants.map(finding) }

    private func finding(of participant: Participant) -> CalibrationFinding {
        let isReference = participant.role == reference
        let estimate =
            isReference
            ? nil
            : LatencyEstimate(
                of: participant.events, against: heard, mediaType: participant.format.mediaType)
        return CalibrationFinding(
            role: participant.role, device: participant.device, format: participant.format,
            verdict: isReference ? .reference : verdict(on: estimate), estimate: estimate)
    }

    private func verdict(on estimate: LatencyEstimate?) -> CalibrationFinding.Verdict {
        guard let estimate, estimate.eventCount >= LatencyEstimate.fewestEvents else { return .tooFew }
        guard estimate.uncertainty > options.goal else { return .measured }
        return estimate.isUsable(goal: options.goal) ? .coarse : .undecided
    }

    private static func noticed(_ event: SharpEvent, by participant: Participant) -> Bool {
        let offsets = LatencyEstimate.expectations(of: participant.format.mediaType).offsets
        return participant.events.contains { other in
            offsets.contains(Nanoseconds(other.middle.nanoseconds - event.middle.nanoseconds))
        }
    }

    // MARK: Hints

    private mutating func hints(at now: MediaTime, afterEvent: Bool) -> [CalibrationEvent] {
        var hints: [String] = []
        let last = heard.last?.middle ?? silentSince ?? now
        silentSince = silentSince ?? now
        if let begin = silentSince, now.nanoseconds - max(begin, last).nanoseconds >= Self.silence.count {
            silentSince = now
            hints.append(
                "\(reference) has heard nothing sharp for \(Int(Self.silence.inSeconds)) s: clap nearer to it, or play a "
                    + "louder beep.")
        }
        for index in participants.indices where afterEvent && !participants[index].isHinted {
            guard let hint = hint(for: participants[index]) else { continue }
            participants[index].isHinted = true
            hints.append(hint)
        }
        return hints.map { .hint($0) }
    }

    private func hint(for participant: Participant) -> String? {
        guard participant.role != reference, toldCount >= Self.hopeless else { return nil }
        if participant.events.isEmpty {
            let help =
                participant.format.mediaType == .video
                ? "let the flash be brighter or nearer, or darken the room" : "clap nearer to it"
            return "\(participant.role) has noticed none of \(toldCount) events: \(help)."
        }
        guard let estimate = finding(of: participant).estimate, estimate.needsOtherPhases,
            estimate.uncertainty > options.goal
        else { return nil }
        return
            "the events fall at the same phase of \(participant.role)'s frames, which tells no more: flash at uneven times."
    }
}
