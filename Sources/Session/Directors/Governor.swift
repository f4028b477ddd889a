internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamWriters

/// Feeds the governor's policy with measurements of the recording, and executes its decisions. Use this type
/// only on the timeline's thread.
final class Governor {
    private var policy: GovernorPolicy
    /// The running plan, including added cameras.
    private var plan: SessionPlan
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let taps: TapRegistry
    private let clock: any SessionClock
    private let alignmentDelay: Nanoseconds
    private var due = MediaTime.zero
    /// For each stream, the number of dropped frames when a queue overflow was last reported, and the time of
    /// that report.
    private var overflows: [ObjectIdentifier: (count: Int, at: MediaTime)] = [:]

    /// The format that was last requested from each camera to reduce the load, and the measure that required
    /// this format, by role.
    private var requestedFormats: [String: (format: VideoFormat?, measure: GovernorMeasure)] = [:]
    /// The plan, including the user's changes.
    var changedPlan: SessionPlan

    /// The governor's steps so far, which are listed in the manifest.
    private(set) var steps: [Manifest.GovernorStep] = []
    /// The reason why the governor ends the recording, or `nil` if the governor doesn't end it.
    private(set) var endReason: String?

    private static let interval: Int64 = 100_000_000
    /// Minimum time without overflow after which a stream's next overflow is reported, in nanoseconds.
    private static let pauseBetweenOverflows: Int64 = 5_000_000_000

    /// Creates the governor of a recording.
    ///
    /// - Parameters:
    ///   - plan: The running plan.
    ///   - inputs: The devices. The governor may change the formats of cameras.
    ///   - outputs: The outputs. The governor may reduce the number of frames that the encoders of the outputs receive.
    ///   - taps: The caller's taps. The governor may pause previews.
    ///   - clock: The session clock.
    ///   - alignmentDelay: Time from an instant until the session processes the tick at that instant.
    init(
        _ plan: SessionPlan, inputs: SessionInputs, outputs: SessionOutputs, taps: TapRegistry,
        clock: any SessionClock, alignmentDelay: Nanoseconds
    ) {
        self.plan = plan
        changedPlan = plan
        self.inputs = inputs
        self.outputs = outputs
        self.taps = taps
        self.clock = clock
        self.alignmentDelay = alignmentDelay
        // Previews may be added and removed during the recording.
        policy = GovernorPolicy(ladder: Self.ladder(plan, inputs: inputs, hasPreviews: true))
        adoptNewStreams()
    }

    /// Returns the measures with which the governor can reduce the load of a session, in the order of their
    /// use.
    static func ladder(_ plan: SessionPlan, inputs: SessionInputs, hasPreviews: Bool) -> [GovernorMeasure] {
        let changeable = inputs.cameras.filter(\.canChangeFormat)
        let offers = Dictionary(uniqueKeysWithValues: changeable.map { ($0.role, $0.source.device.formats) })
        return GovernorLadder(plan, offers: offers, floors: plan.budget, hasPreviews: hasPreviews).measures
    }

    /// The measures that are currently active.
    var inForce: [GovernorMeasure] { policy.activeMeasures }

    /// Checks the recording ten times per second, and applies or reverts measures. Call this method as the
    /// timeline advances.
    ///
    /// - Parameters:
    ///   - pressure: The last assessed system pressure.
    ///   - position: Progress of the recording.
    /// - Returns: The events to send.
    func update(with pressure: SystemPressure?, at position: MediaTime) -> [SessionEvent] {
        guard position >= due, endReason == nil else { return [] }
        due = MediaTime(nanoseconds: position.nanoseconds + Self.interval)
        adoptNewCameras()
        adoptNewStreams()
        withdrawRefused(at: position)
        excludeUnavailable()
        var events = dequeueRefusalEvents(at: position) + dequeueOverflowEvents(at: position)
        switch policy.evaluate(clock.isRealTime ? outputs.encoderAges : [], pressure, at: clock.now) {
        case .none: break
        case .steps(let steps):
            for step in steps {
                apply(step)
                events.append(
                    recordStep(
                        step.text, step.reason, summary: step.summary, isUp: step.isReverted, at: position))
            }
        case .end(let reason):
            endReason = reason
            events.append(
                recordStep(
                    "recording stopped", reason, summary: "The recording was stopped to protect the files.",
                    isUp: false, at: position))
        }
        return events
    }

    private func recordStep(
        _ step: String, _ reason: String, summary: String, isUp: Bool, at position: MediaTime
    ) -> SessionEvent {
        steps.append(Manifest.GovernorStep(at_ns: position.nanoseconds, step: step, reason: reason))
        return SessionEvent(
            .governor(
                SessionEvent.Governor(
                    step: step, reason: reason, direction: isUp ? .up : .down,
                    text: "\(summary) Step: \(step). Reason: \(reason)".asSentence)),
            at: position)
    }

    /// Ends measures that would outlast the recording, so that previews resume on standby.
    func end() { taps.pausePreviews(false) }

    // MARK: Governor steps

    private func apply(_ step: GovernorStep) {
        switch step.measure.action {
        case .preset, .rate, .programPause, .coarseDecoding:
            for stream in outputs.governedStreams { apply(step.measure, isUp: step.isReverted, to: stream) }
        case .previews:
            taps.pausePreviews(!step.isReverted)
        // The service that requests the frames reads the active measures from the status.
        case .analysis: break
        case .cameraRate(let role, _, _), .cameraSize(let role, _, _), .cameraOff(let role):
            guard let camera = inputs.cameras.first(where: { $0.role == role }) else { return }
            let format = Self.format(of: camera, reducedBy: policy.activeMeasures[...])
            if step.isReverted {
                requestedFormats[role] = nil
            } else {
                requestedFormats[role] = (format, step.measure)
            }
            camera.change(to: format, for: .governor, reason: "\(step.text): \(step.reason)")
        }
    }

    private func apply(_ measure: GovernorMeasure, isUp: Bool, to stream: any GovernedStream) {
        switch measure.action {
        case .preset(stream.streamName, let from, let to): stream.encoder.change(to: isUp ? from : to)
        case .rate(stream.streamName, let from, let to): stream.intake?.lowerRate(to: isUp ? from : to)
        case .programPause:
            if stream.streamName == SessionPlan.programOwner { stream.intake?.isPaused = !isUp }
        case .coarseDecoding: stream.isCoarse = !isUp
        case .preset, .rate, .previews, .analysis, .cameraRate, .cameraSize, .cameraOff: break
        }
    }

    // MARK: Added cameras and streams

    /// Adds the measures of added cameras. An added camera is the last one in the plan, so its quality is
    /// reduced first. The camera's rate is reduced only to a value at which frames still arrive before their
    /// ticks are processed.
    private func adoptNewCameras() {
        let known = Set(plan.cameras.map(\.role))
        let new = changedPlan.cameras.filter { camera in
            !known.contains(camera.role) && inputs.cameras.contains { $0.role == camera.role }
        }
        let beginsAnalysis = changedPlan.analyzesFrames && !plan.analyzesFrames
        guard !new.isEmpty || beginsAnalysis else { return }
        for index in plan.cameras.indices {
            guard let changed = changedPlan.cameras.first(where: { $0.role == plan.cameras[index].role })
            else { continue }
            plan.cameras[index].detection = changedPlan.detection(of: changed)
        }
        let roles = Set(new.map(\.role))
        plan.cameras += new
        plan.cameraTracks += changedPlan.cameraTracks.filter { roles.contains($0.role) }
        let slowest = Dictionary(
            uniqueKeysWithValues: inputs.cameras.filter { roles.contains($0.role) }.map {
                ($0.role, $0.slowestInterval(decidedAfter: alignmentDelay))
            })
        let ladder = Self.ladder(plan, inputs: inputs, hasPreviews: true)
        policy.extend(
            to: ladder.filter { measure in
                guard case .cameraRate(let role, _, let rate) = measure.action, let slowest = slowest[role]
                else { return true }
                return rate.interval <= slowest
            })
    }

    /// Creates an `EncoderIntake` for each new stream, and applies the active measures to it.
    private func adoptNewStreams() {
        // In simulated time, producers may wait indefinitely for space in a queue, so queue lengths are
        // meaningless.
        for stream in outputs.governedStreams where stream.intake == nil {
            let room = clock.isRealTime ? stream.encoder.queueCapacity : Int.max
            stream.intake = EncoderIntake(rate: stream.rate, room: room)
            for measure in policy.activeMeasures { apply(measure, isUp: false, to: stream) }
        }
    }

    /// Requests the user's format from a camera, within the limits of the active measures.
    ///
    /// - Parameters:
    ///   - format: The requested format, or `nil` to switch the camera off.
    ///   - camera: A camera that can change its format.
    ///   - reason: The reason that is recorded for the gap in the camera's frames.
    func choose(_ format: VideoFormat?, of camera: CameraInput, reason: String) {
        camera.chosenFormat = format
        camera.change(
            to: Self.format(of: camera, reducedBy: policy.activeMeasures[...]), for: .reconfigured,
            reason: reason)
    }

    /// Returns the format of a camera while some measures are active, or `nil` if these measures switch the
    /// camera off.
    static func format(of camera: CameraInput, reducedBy measures: ArraySlice<GovernorMeasure>)
        -> VideoFormat?
    {
        guard var wanted = camera.chosenFormat else { return nil }
        // The user's format may already be lower than the measure requires.
        for measure in measures {
            switch measure.action {
            case .cameraRate(camera.role, _, let rate):
                wanted = VideoFormat(pixel: wanted.pixel, size: wanted.size, rate: min(wanted.rate, rate))
            case .cameraSize(camera.role, _, let size) where size.pixelCount < wanted.size.pixelCount:
                wanted = VideoFormat(pixel: wanted.pixel, size: size, rate: wanted.rate)
            case .cameraOff(camera.role): return nil
            default: break
            }
        }
        // The camera may support other frame rates at the new frame size.
        let offer = camera.source.device.formats.first { $0.pixel == wanted.pixel && $0.size == wanted.size }
        let rate = offer?.rate(for: wanted.rate) ?? wanted.rate
        return VideoFormat(pixel: wanted.pixel, size: wanted.size, rate: rate)
    }

    // MARK: Refusals and overflows

    /// Withdraws a measure if the camera rejected the format that the measure requires. The camera itself
    /// reports the rejection.
    private func withdrawRefused(at position: MediaTime) {
        for camera in inputs.cameras {
            for format in camera.drainRefusedFormats() {
                guard let last = requestedFormats[camera.role], last.format == format else { continue }
                requestedFormats[camera.role] = nil
                policy.withdraw(last.measure)
                steps.append(
                    Manifest.GovernorStep(
                        at_ns: position.nanoseconds, step: "\(last.measure.text) was canceled",
                        reason:
                            "camera \(camera.role) rejected the format and continues unchanged. This step will not be repeated."
                    ))
            }
        }
    }

    /// Excludes measures for cameras that are disconnected or switched off, and the measure for previews if
    /// no previews exist. An active measure for a disconnected camera is applied when the camera is
    /// reconnected. New previews are paused while previews are disabled.
    private func excludeUnavailable() {
        let absent = Set(inputs.cameras.filter { $0.isAway || $0.chosenFormat == nil }.map(\.role))
        let hasPreviews = taps.hasPreviews
        policy.inapplicable = Set(
            policy.ladder.indices.filter { index in
                let measure = policy.ladder[index]
                if case .previews = measure.action { return !hasPreviews }
                return measure.changedCamera.map { absent.contains($0) } ?? false
            })
    }

    private func dequeueRefusalEvents(at position: MediaTime) -> [SessionEvent] {
        outputs.governedStreams.compactMap { stream in
            stream.encoder.dequeuePresetRejection().map { refusal in
                SessionEvent(warning: refusal.description, at: position)
            }
        }
    }

    private func dequeueOverflowEvents(at position: MediaTime) -> [SessionEvent] {
        outputs.governedStreams.compactMap { stream in
            let count = stream.intake?.overflowCount ?? 0
            let known = overflows[ObjectIdentifier(stream)]
            guard count > known?.count ?? 0 else { return nil }
            overflows[ObjectIdentifier(stream)] = (count, position)
            let isSame = known.map {
                position.nanoseconds - $0.at.nanoseconds < Self.pauseBetweenOverflows
            }
            guard isSame != true else { return nil }
            return recordStep(
                "\(stream.streamName) frames dropped",
                "the encoder is \(stream.encoder.queueLength) frames behind (buffer: \(stream.encoder.queueCapacity) frames).",
                summary: "Computer too slow: frames of \(stream.streamName) were dropped.", isUp: false,
                at: position)
        }
    }
}

/// Monitors system pressure during a recording. A separate thread reads the computer's state; this type
/// assesses the pressure. Use this type only on the timeline's thread.
final class PressureMonitor {
    private let host: HostMonitor
    private let clock: any SessionClock
    private let frameInterval: Nanoseconds
    /// Whether the recording writes files. If so, the state of the disk affects the system pressure.
    private let writesFiles: Bool
    private var assessment = PressureAssessment()
    private var queues = StandingQueues()
    private var due = MediaTime.zero
    private var queuesDue = MediaTime.zero
    private(set) var history = PressureHistory()

    /// Interval between two checks of the queues, in nanoseconds. Ten checks per assessment are enough to
    /// detect when a queue is empty.
    private static let queueInterval: Int64 = 100_000_000

    /// Starts reading the computer's state.
    ///
    /// - Parameters:
    ///   - host: Reads the computer's state.
    ///   - clock: The session clock.
    ///   - folder: Path of the session folder, or `nil` when nothing is written. If the value is `nil`, the
    ///     state of disks is ignored.
    ///   - frameInterval: Frame interval of the leading grid, which is the unit for measuring queues.
    init(_ host: any HostReading, clock: any SessionClock, folder: String?, frameInterval: Nanoseconds) {
        // Without a folder, the path `/dev/null` serves as a placeholder, and its disk state is discarded.
        self.host = HostMonitor(host, clock: clock, folder: folder ?? "/dev/null")
        writesFiles = folder != nil
        self.clock = clock
        self.frameInterval = frameInterval
    }

    /// The last assessed system pressure, or `nil` before the first reading of the computer's state.
    private(set) var current: SystemPressure?

    /// The last reading of the computer's state, or `nil` before the first one.
    var report: HostMonitor.Report? { host.report }

    /// Samples the queues of the encoders and files, and assesses the pressure once per second. Call this
    /// method as the timeline advances.
    ///
    /// - Returns: An event if the level has changed, otherwise `nil`.
    func update(with outputs: SessionOutputs, at position: MediaTime) -> SessionEvent? {
        // In simulated time, producers may wait indefinitely for space in a queue, so queue ages are
        // meaningless.
        if clock.isRealTime, position >= queuesDue {
            queuesDue = MediaTime(nanoseconds: position.nanoseconds + Self.queueInterval)
            queues.record(ages(outputs))
        }
        guard position >= due, let report = host.report else { return nil }
        due = MediaTime(nanoseconds: position.nanoseconds + HostMonitor.interval.count)
        var state = report.state
        if !writesFiles { state.disk = nil }
        let pressure = assessment.assess(
            state, readAt: report.at, queues: queues.drain(), at: clock.now)
        let was = current?.level ?? .nominal
        current = pressure
        history.record(pressure, at: position, cpuTime: clock.isRealTime ? report.cpuTime : nil)
        return pressure.level == was ? nil : SessionEvent(pressure, was: was, at: position)
    }

    /// Stops reading the computer's state.
    func stop() { host.stop() }

    private func ages(_ outputs: SessionOutputs) -> [QueueAge] {
        let interval = frameInterval.inSeconds
        var ages = outputs.encoderAges
        ages += outputs.writers.values.map {
            QueueAge(.writer, name: $0.relativePath, intervals: $0.backlog.inSeconds / interval)
        }
        ages += outputs.waves.map {
            QueueAge(.writer, name: $0.relativePath, intervals: $0.backlog.inSeconds / interval)
        }
        return ages
    }
}
