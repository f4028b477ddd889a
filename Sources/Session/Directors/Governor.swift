internal import Encoders
internal import Inputs
internal import Media
internal import Monitoring
internal import Plan
internal import SessionFolder

/// Shows the governor's policy how a recording runs, and carries out what it decides. Timeline's thread only.
final class Governor {
    private var governor: GovernorPolicy
    /// The plan that runs, with the cameras that were taken in.
    private var plan: SessionPlan
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let taps: TapBoard
    private let clock: any SessionClock
    private let alignmentDelay: Nanoseconds
    private var due = MediaTime.zero
    /// How many frames each stream dropped before its queue overflowed, and when the last overflow was told.
    private var overflows: [ObjectIdentifier: (count: Int, at: MediaTime)] = [:]

    /// The format that each camera was asked for last to reduce its work, by role, and the measure that asked for it.
    private var asked: [String: (format: VideoFormat?, measure: GovernorMeasure)] = [:]
    /// The plan with the changes that people made.
    var changedPlan: SessionPlan

    /// What the governor did, for the manifest.
    private(set) var steps: [Manifest.GovernorStep] = []
    /// Why the governor ends the recording, or `nil` while it does not.
    private(set) var endReason: String?

    private static let interval: Int64 = 100_000_000
    /// How long a stream must be without overflow, in nanoseconds, for the next overflow to be told.
    private static let pauseBetweenOverflows: Int64 = 5_000_000_000

    /// Creates the governor of a recording.
    ///
    /// - Parameters:
    ///   - plan: The plan that runs.
    ///   - inputs: The devices; their cameras may be changed.
    ///   - outputs: The outputs; their streams may be given less.
    ///   - taps: Taps of the calling program; previews may be paused.
    ///   - clock: The session clock.
    ///   - alignmentDelay: How long after an instant the session decides what its tick shows.
    init(
        _ plan: SessionPlan, inputs: SessionInputs, outputs: SessionOutputs, taps: TapBoard,
        clock: any SessionClock, alignmentDelay: Nanoseconds
    ) {
        self.plan = plan
        changedPlan = plan
        self.inputs = inputs
        self.outputs = outputs
        self.taps = taps
        self.clock = clock
        self.alignmentDelay = alignmentDelay
        // Previews come and go while it runs.
        governor = GovernorPolicy(ladder: Self.ladder(plan, inputs: inputs, hasPreviews: true))
        takeInStreams()
    }

    /// The measures that can reduce the work of a session on its devices, in the order in which they are taken.
    static func ladder(_ plan: SessionPlan, inputs: SessionInputs, hasPreviews: Bool) -> [GovernorMeasure] {
        let changeable = inputs.cameras.filter(\.isChangeable)
        let offers = Dictionary(uniqueKeysWithValues: changeable.map { ($0.role, $0.source.device.formats) })
        return GovernorLadder(plan, offers: offers, floors: plan.budget, hasPreviews: hasPreviews).measures
    }

    /// The measures in force now.
    var inForce: [GovernorMeasure] { governor.inForce }

    /// Looks, decides and acts, ten times a second. To be called as the timeline goes on.
    ///
    /// - Parameters:
    ///   - pressure: System pressure as assessed last.
    ///   - position: How far the recording has come.
    /// - Returns: The events to tell.
    func follow(_ pressure: SystemPressure?, at position: MediaTime) -> [SessionEvent] {
        guard position >= due, endReason == nil else { return [] }
        due = MediaTime(nanoseconds: position.nanoseconds + Self.interval)
        takeInCameras()
        takeInStreams()
        withdrawRefused(at: position)
        spareAbsent()
        var events = takeRefusals(at: position) + takeOverflows(at: position)
        switch governor.look(clock.isRealTime ? outputs.encoderAges : [], pressure, at: clock.now) {
        case .none: break
        case .steps(let steps):
            for step in steps {
                apply(step)
                events.append(note(step.text, step.reason, isUp: step.isUp, at: position))
            }
        case .end(let reason):
            endReason = reason
            events.append(note("the recording is ended", reason, isUp: false, at: position))
        }
        return events
    }

    private func note(_ step: String, _ reason: String, isUp: Bool, at position: MediaTime) -> SessionEvent {
        steps.append(Manifest.GovernorStep(at_ns: position.nanoseconds, step: step, reason: reason))
        return SessionEvent(
            .governor, at: position,
            [
                "step": .string(step), "reason": .string(reason), "direction": .string(isUp ? "up" : "down"),
                "text": .string("\(step): \(reason)"),
            ])
    }

    /// Ends its measures that would outlive the recording: previews come again on standby.
    func end() { taps.pausePreviews(false) }

    // MARK: What happens

    private func apply(_ step: GovernorStep) {
        switch step.measure.action {
        case .preset, .rate, .programPause, .coarseDecoding:
            for stream in outputs.governedStreams { apply(step.measure, isUp: step.isUp, to: stream) }
        case .previews:
            taps.pausePreviews(!step.isUp)
        case .cameraRate(let role, _, _), .cameraSize(let role, _, _), .cameraOff(let role):
            guard let camera = inputs.cameras.first(where: { $0.role == role }) else { return }
            let format = Self.format(of: camera, givingUp: governor.inForce[...])
            if step.isUp { asked[role] = nil } else { asked[role] = (format, step.measure) }
            camera.change(to: format, for: .governor, reason: "\(step.text): \(step.reason)")
        }
    }

    private func apply(_ measure: GovernorMeasure, isUp: Bool, to stream: any GovernedStream) {
        switch measure.action {
        case .preset(stream.streamName, let from, let to): stream.encoder.change(to: isUp ? from : to)
        case .rate(stream.streamName, let from, let to): stream.intake?.lower(to: isUp ? from : to)
        case .programPause:
            if stream.streamName == SessionPlan.programOwner { stream.intake?.isPaused = !isUp }
        case .coarseDecoding: stream.isCoarse = !isUp
        case .preset, .rate, .previews, .cameraRate, .cameraSize, .cameraOff: break
        }
    }

    // MARK: What comes while it runs

    /// Adds the measures of cameras that were taken in. Such a camera is the last of the plan, so it is the first to
    /// be reduced; its rate only as far as its frames still come before their ticks are decided.
    private func takeInCameras() {
        let known = Set(plan.cameras.map(\.role))
        let new = changedPlan.cameras.filter { camera in
            !known.contains(camera.role) && inputs.cameras.contains { $0.role == camera.role }
        }
        guard !new.isEmpty else { return }
        let roles = Set(new.map(\.role))
        plan.cameras += new
        plan.cameraTracks += changedPlan.cameraTracks.filter { roles.contains($0.role) }
        let slowest = Dictionary(
            uniqueKeysWithValues: inputs.cameras.filter { roles.contains($0.role) }.map {
                ($0.role, $0.slowestInterval(decidedAfter: alignmentDelay))
            })
        let ladder = Self.ladder(plan, inputs: inputs, hasPreviews: true)
        governor.extend(
            to: ladder.filter { measure in
                guard case .cameraRate(let role, _, let rate) = measure.action, let slowest = slowest[role]
                else { return true }
                return rate.interval <= slowest
            })
    }

    /// Gives new streams an intake, and applies the measures in force to them.
    private func takeInStreams() {
        // In simulated time queues wait for room as long as they like: their lengths mean nothing.
        for stream in outputs.governedStreams where stream.intake == nil {
            let room = clock.isRealTime ? stream.encoder.room : Int.max
            stream.intake = EncoderIntake(rate: stream.rate, room: room)
            for measure in governor.inForce { apply(measure, isUp: false, to: stream) }
        }
    }

    /// Asks a camera for the format that a person wants, as far as the measures in force allow it.
    ///
    /// - Parameters:
    ///   - format: The format, or `nil` for off.
    ///   - camera: A camera that can change its format.
    ///   - reason: Why, for the gap.
    func choose(_ format: VideoFormat?, of camera: CameraInput, reason: String) {
        camera.chosenFormat = format
        camera.change(
            to: Self.format(of: camera, givingUp: governor.inForce[...]), for: .change, reason: reason)
    }

    /// The format of a camera under some measures, or `nil` for off.
    static func format(of camera: CameraInput, givingUp measures: ArraySlice<GovernorMeasure>) -> VideoFormat?
    {
        guard var wanted = camera.chosenFormat else { return nil }
        // A person may have asked for less than would be given up.
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
        // Another size may have other rates.
        let offer = camera.source.device.formats.first { $0.pixel == wanted.pixel && $0.size == wanted.size }
        let rate = offer?.rate(for: wanted.rate) ?? wanted.rate
        return VideoFormat(pixel: wanted.pixel, size: wanted.size, rate: rate)
    }

    // MARK: What happened

    /// Withdraws a measure whose format the camera refused; the camera itself warns of the refusal.
    private func withdrawRefused(at position: MediaTime) {
        for camera in inputs.cameras {
            for format in camera.takeRefusedFormats() {
                guard let last = asked[camera.role], last.format == format else { continue }
                asked[camera.role] = nil
                governor.withdraw(last.measure)
                steps.append(
                    Manifest.GovernorStep(
                        at_ns: position.nanoseconds, step: "\(last.measure.text) is withdrawn",
                        reason:
                            "camera \(camera.role) did not take it and goes on as before; it is not asked again."
                    ))
            }
        }
    }

    /// Excludes the measures of cameras that are away or switched off by a person, and of previews while there are none. A measure
    /// that is taken back meanwhile holds when the camera returns; previews that come while they are given up are paused.
    private func spareAbsent() {
        let absent = Set(inputs.cameras.filter { $0.isAway || $0.chosenFormat == nil }.map(\.role))
        let hasPreviews = taps.hasPreviews
        governor.idle = Set(
            governor.ladder.indices.filter { index in
                let measure = governor.ladder[index]
                if case .previews = measure.action { return !hasPreviews }
                return measure.changedCamera.map { absent.contains($0) } ?? false
            })
    }

    private func takeRefusals(at position: MediaTime) -> [SessionEvent] {
        outputs.governedStreams.compactMap { stream in
            stream.encoder.takeRefusal().map { refusal in
                SessionEvent(.warning, at: position, ["text": .string(refusal.description)])
            }
        }
    }

    private func takeOverflows(at position: MediaTime) -> [SessionEvent] {
        outputs.governedStreams.compactMap { stream in
            let count = stream.intake?.overflowCount ?? 0
            let known = overflows[ObjectIdentifier(stream)]
            guard count > known?.count ?? 0 else { return nil }
            overflows[ObjectIdentifier(stream)] = (count, position)
            let isSame = known.map {
                position.nanoseconds - $0.at.nanoseconds < Self.pauseBetweenOverflows
            }
            guard isSame != true else { return nil }
            return note(
                "\(stream.streamName) frames left out",
                "its encoder is \(stream.encoder.queueLength) frames behind, with room for \(stream.encoder.room).",
                isUp: false, at: position)
        }
    }
}
