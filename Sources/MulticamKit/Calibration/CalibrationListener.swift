internal import Encoding
internal import Media
internal import Plan
internal import Session
internal import Setup
internal import Synchrony

/// Detects events in frames and audio while a calibration runs. Used on the observer's thread alone.
final class CalibrationListener {
    private let reference: String
    private let options: CalibrationOptions
    private let tell: (CalibrationEvent) -> Void
    private let brightness = FrameBrightness()
    private var cameras: [String: CameraEvents] = [:]
    private var microphones: [String: MicrophoneEvents] = [:]
    private var progress: CalibrationProgress
    private var begin: ClockTime?
    private var isListening = false
    private var now = MediaTime.zero
    /// The roles that deliver no more, and since when nothing more can be learnt.
    private var ended: Set<String> = []
    private var uselessSince: ClockTime?
    private var problems: [String] = []

    /// The time that detectors take to learn the usual brightness and loudness.
    private static let warmUp = Nanoseconds.milliseconds(400)

    init(
        reference: String, setup: SessionSetup, options: CalibrationOptions,
        tell: @escaping (CalibrationEvent) -> Void
    ) {
        self.reference = reference
        self.options = options
        self.tell = tell
        var participants: [CalibrationProgress.Participant] = []
        for (role, source) in setup.plan.cameras.compactMap({ camera in
            setup.cameras[camera.role].map { (camera.role, $0) }
        }) {
            cameras[role] = CameraEvents()
            participants.append(
                CalibrationProgress.Participant(
                    role: role, device: source.device, format: .video(format: source.format)))
        }
        for (role, source) in setup.plan.microphones.compactMap({ microphone in
            setup.microphones[microphone.role].map { (microphone.role, $0) }
        }) {
            microphones[role] = MicrophoneEvents(rate: source.format.rate)
            participants.append(
                CalibrationProgress.Participant(
                    role: role, device: source.device, format: .audio(rate: source.format.rate)))
        }
        progress = CalibrationProgress(reference: reference, participants: participants, options: options)
    }

    /// Takes what the devices delivered.
    ///
    /// - Returns: Whether to go on.
    func take(_ news: [Observed], at time: ClockTime) -> Bool {
        let ready = (begin ?? time) + Self.warmUp
        begin = begin ?? time
        for item in news { take(item) }
        now = Self.media(time)
        guard time >= ready else { return true }
        if !isListening {
            isListening = true
            progress.begin(at: Self.media(ready))
            tell(.listening(reference: reference))
        }
        let events = progress.news(at: now)
        for event in events { tell(event) }
        if uselessSince == nil, isUseless { uselessSince = time }
        let isOver =
            time - ready >= options.duration
            || uselessSince.map { time - $0 >= CalibrationProgress.patience } ?? false
        return !isOver && (events.isEmpty || !progress.isDone)
    }

    /// Whether the reference has ended, or everything else has.
    private var isUseless: Bool {
        let others = Set(cameras.keys).union(microphones.keys).subtracting([reference])
        return ended.contains(reference) || others.isSubset(of: ended)
    }

    /// The result of the calibration. Call it once, at the end.
    func result() -> CalibrationResult {
        for role in microphones.keys.sorted() {
            for event in microphones[role]?.finish() ?? [] { progress.add(event, of: role) }
        }
        for event in progress.news(at: now, isOver: true) { tell(event) }
        return CalibrationResult(
            heardCount: progress.heardCount, findings: progress.findings, problems: problems)
    }

    private func take(_ item: Observed) {
        switch item {
        case .frame(let frame): look(at: frame)
        case .audio(let audio): listen(to: audio)
        case .away(let role, let cause):
            complain("\(role) went away (\(cause.printable())): it misses what happens meanwhile.")
            interrupt(role)
        case .returned(let role): interrupt(role)
        case .ended(let role, let cause):
            ended.insert(role)
            complain("\(role) ended: \(cause.printable()).")
        }
    }

    private func complain(_ sentence: String) {
        problems.append(sentence)
        tell(.hint(sentence))
    }

    private func look(at frame: ObservedFrame) {
        guard let mean = brightness.mean(of: frame.frame) else { return }
        let event = cameras[frame.role]?.add(
            brightness: mean, at: Self.media(frame.time), interval: frame.interval, error: frame.error)
        if let event { progress.add(event, of: frame.role) }
    }

    private func listen(to audio: ObservedAudio) {
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

    /// The time on the session clock, because a calibration has no T0.
    private static func media(_ time: ClockTime) -> MediaTime { MediaTime(nanoseconds: time.nanoseconds) }
}
