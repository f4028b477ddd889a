internal import MulticamEncoding
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSession
internal import MulticamSetup
internal import MulticamSynchrony

/// The state of a running calibration. This value type receives events and the time, and returns findings and hints.
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
    /// Number of events detected by the reference that have been reported so far.
    private(set) var reportedCount = 0
    private var beginning: MediaTime?
    private var silentSince: MediaTime?

    /// Maximum time for a device to report an event that the reference has detected. The device's time of the
    /// event can be up to one second late, and detectors report the event another half second later.
    static let detectionTimeout = Nanoseconds.seconds(2)
    /// If no event is detected for this time, the user gets a hint.
    private static let silenceHintDelay = Nanoseconds.seconds(15)
    /// Number of events after which the user gets a hint about a device that detected none of them.
    private static let missedEventHintCount = 4

    init(reference: String, participants: [Participant], options: CalibrationOptions) {
        self.reference = reference
        self.participants = participants
        self.options = options
    }

    private var referenceEvents: [SharpEvent] { participants.first { $0.role == reference }?.events ?? [] }
    var eventCount: Int { referenceEvents.count }

    mutating func add(_ event: SharpEvent, of role: String) {
        guard let index = participants.firstIndex(where: { $0.role == role }) else { return }
        if role == reference, let beginning, event.middle < beginning { return }
        participants[index].events.append(event)
    }

    /// Ignores events that the reference detected before a given time, because the other devices may not have
    /// been ready.
    mutating func begin(at time: MediaTime) {
        beginning = time
        for index in participants.indices where participants[index].role == reference {
            participants[index].events.removeAll { $0.middle < time }
        }
    }

    /// Returns the calibration events to report now.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - isOver: Whether no more detections will arrive, so that there is no reason to wait for devices.
    /// - Returns: Events that every device has detected or missed, in order, followed by hints.
    mutating func dequeueEvents(at now: MediaTime, isOver: Bool = false) -> [CalibrationEvent] {
        var news: [CalibrationEvent] = []
        while reportedCount < referenceEvents.count {
            let event = referenceEvents[reportedCount]
            let others = participants.filter { $0.role != reference }
            let noticed = others.filter { Self.isDetected(event, by: $0) }
            let isDue = now.nanoseconds - event.middle.nanoseconds >= Self.detectionTimeout.count
            guard isDue || isOver || noticed.count == others.count else { break }
            reportedCount += 1
            let missed = others.filter { other in !noticed.contains { $0.role == other.role } }
            news.append(
                .detected(
                    number: reportedCount, detectedBy: noticed.map(\.role), missedBy: missed.map(\.role),
                    findings: findings))
        }
        return news + hints(at: now, afterEvent: !news.isEmpty)
    }

    /// Whether every device has reached the target accuracy with enough events.
    var isDone: Bool {
        reportedCount == referenceEvents.count
            && findings.allSatisfy { finding in
                finding.verdict == .reference
                    || finding.verdict == .measured
                        && (finding.estimate?.eventCount ?? 0) >= options.minEvents
            }
    }

    var findings: [CalibrationFinding] { participants.map(finding) }

    private func finding(of participant: Participant) -> CalibrationFinding {
        let isReference = participant.role == reference
        let estimate =
            isReference
            ? nil
            : LatencyEstimate(
                of: participant.events, against: referenceEvents, mediaType: participant.format.mediaType)
        return CalibrationFinding(
            role: participant.role, device: participant.device, format: participant.format,
            verdict: isReference ? .reference : verdict(on: estimate), estimate: estimate)
    }

    private func verdict(on estimate: LatencyEstimate?) -> CalibrationFinding.Verdict {
        guard let estimate, estimate.eventCount >= LatencyEstimate.fewestEvents else { return .tooFewEvents }
        guard estimate.uncertainty > options.targetUncertainty else { return .measured }
        return estimate.isUsable(goal: options.targetUncertainty) ? .coarse : .undecided
    }

    private static func isDetected(_ event: SharpEvent, by participant: Participant) -> Bool {
        let offsets = LatencyEstimate.expectations(of: participant.format.mediaType).offsets
        return participant.events.contains { other in
            offsets.contains(Nanoseconds(other.middle.nanoseconds - event.middle.nanoseconds))
        }
    }

    // MARK: Hints

    private mutating func hints(at now: MediaTime, afterEvent: Bool) -> [CalibrationEvent] {
        var hints: [String] = []
        let last = referenceEvents.last?.middle ?? silentSince ?? now
        silentSince = silentSince ?? now
        if let begin = silentSince,
            now.nanoseconds - max(begin, last).nanoseconds >= Self.silenceHintDelay.count
        {
            silentSince = now
            hints.append(
                "\(reference) did not detect a clap or beep for \(Int(Self.silenceHintDelay.inSeconds)) s. Clap closer to this microphone, or play a "
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
        guard participant.role != reference, reportedCount >= Self.missedEventHintCount else { return nil }
        if participant.events.isEmpty {
            let help =
                participant.format.mediaType == .video
                ? "Use a brighter or closer flash, or darken the room" : "Clap closer to this microphone"
            return "\(participant.role) didn't detect any of the \(reportedCount) events. \(help)."
        }
        guard let estimate = finding(of: participant).estimate, estimate.needsOtherPhases,
            estimate.uncertainty > options.targetUncertainty
        else { return nil }
        return
            "All events occurred at the same point in \(participant.role)'s frame interval, so more events won't improve the accuracy. Trigger the flash at irregular intervals."
    }
}

/// Detects events in frames and audio during a calibration. Only the observer's thread uses this object.
final class CalibrationDetector {
    private let reference: String
    private let options: CalibrationOptions
    private let report: (CalibrationEvent) -> Void
    private let brightness = FrameBrightness()
    private var cameras: [String: CameraEventDetector] = [:]
    private var microphones: [String: MicrophoneEventDetector] = [:]
    private var progress: CalibrationProgress
    private var startTime: ClockTime?
    private var isReady = false
    private var now = MediaTime.zero
    /// Roles of the devices that have stopped delivering data.
    private var ended: Set<String> = []
    private var lacksDevicesSince: ClockTime?
    private var problems: [String] = []

    /// Time during which the detectors adapt to the usual brightness and loudness.
    private static let warmUp = Nanoseconds.milliseconds(400)

    init(
        reference: String, setup: SessionSetup, options: CalibrationOptions,
        report: @escaping (CalibrationEvent) -> Void
    ) {
        self.reference = reference
        self.options = options
        self.report = report
        var participants: [CalibrationProgress.Participant] = []
        for (role, source) in setup.plan.cameras.compactMap({ camera in
            setup.cameras[camera.role].map { (camera.role, $0) }
        }) {
            cameras[role] = CameraEventDetector()
            participants.append(
                CalibrationProgress.Participant(
                    role: role, device: source.device, format: .video(format: source.format)))
        }
        for (role, source) in setup.plan.microphones.compactMap({ microphone in
            setup.microphones[microphone.role].map { (microphone.role, $0) }
        }) {
            microphones[role] = MicrophoneEventDetector(rate: source.format.rate)
            participants.append(
                CalibrationProgress.Participant(
                    role: role, device: source.device, format: .audio(rate: source.format.rate)))
        }
        progress = CalibrationProgress(reference: reference, participants: participants, options: options)
    }

    /// Processes the data that the devices delivered.
    ///
    /// - Returns: Whether the calibration should continue.
    func process(_ news: [ObservationEvent], at time: ClockTime) -> Bool {
        let ready = (startTime ?? time) + Self.warmUp
        startTime = startTime ?? time
        for item in news { process(item) }
        now = Self.media(time)
        guard time >= ready else { return true }
        if !isReady {
            isReady = true
            progress.begin(at: Self.media(ready))
            report(.ready(reference: reference))
        }
        let events = progress.dequeueEvents(at: now)
        for event in events { report(event) }
        if lacksDevicesSince == nil, lacksDevices { lacksDevicesSince = time }
        let isOver =
            time - ready >= options.duration
            || lacksDevicesSince.map { time - $0 >= CalibrationProgress.detectionTimeout } ?? false
        return !isOver && (events.isEmpty || !progress.isDone)
    }

    /// Whether the reference has ended, or all other devices have ended.
    private var lacksDevices: Bool {
        let others = Set(cameras.keys).union(microphones.keys).subtracting([reference])
        return ended.contains(reference) || others.isSubset(of: ended)
    }

    /// Returns the result of the calibration. Call this method only once, at the end of the measurement.
    func result() -> CalibrationResult {
        for role in microphones.keys.sorted() {
            for event in microphones[role]?.finish() ?? [] { progress.add(event, of: role) }
        }
        for event in progress.dequeueEvents(at: now, isOver: true) { report(event) }
        return CalibrationResult(
            eventCount: progress.eventCount, findings: progress.findings, problems: problems)
    }

    private func process(_ item: ObservationEvent) {
        switch item {
        case .frame(let frame): detectEvent(in: frame)
        case .audio(let audio): detectEvents(in: audio)
        case .away(let role, let cause):
            reportProblem(
                "\(role) was disconnected (\(cause.printable())). Events are missed until the device is reconnected."
            )
            interrupt(role)
        case .returned(let role): interrupt(role)
        case .ended(let role, let cause):
            ended.insert(role)
            reportProblem("\(role) stopped: \(cause.printable()).")
        }
    }

    private func reportProblem(_ sentence: String) {
        problems.append(sentence)
        report(.hint(sentence))
    }

    private func detectEvent(in frame: ObservedFrame) {
        guard let mean = brightness.mean(of: frame.frame) else { return }
        let event = cameras[frame.role]?.add(
            brightness: mean, at: Self.media(frame.time), interval: frame.interval, error: frame.error)
        if let event { progress.add(event, of: frame.role) }
    }

    private func detectEvents(in audio: ObservedAudio) {
        let events =
            microphones[audio.role]?.add(
                audio.samples, channels: audio.channels, firstSample: audio.firstSample,
                at: Self.media(audio.time), error: audio.error) ?? []
        for event in events { progress.add(event, of: audio.role) }
    }

    private func interrupt(_ role: String) {
        cameras[role]?.interrupt()
        microphones[role]?.interrupt()
    }

    /// Converts a time on the session clock to a media time. A calibration doesn't have a T0 to which times
    /// could be relative.
    private static func media(_ time: ClockTime) -> MediaTime { MediaTime(nanoseconds: time.nanoseconds) }
}
