internal import Containers
internal import Encoders
internal import Foundation
internal import Media
internal import Monitoring
internal import Plan
internal import Profiles
internal import SessionFolder
internal import Timing
internal import Writers

/// One recording from its devices' start to its closed files.
///
/// `run` begins and ends it on a thread of the session's; between, the timeline's thread has it.
final class Recorder {
    let plan: SessionPlan
    let options: RecordingOptions
    let clock: any SessionClock
    let machinery: any MediaMachinery
    let controls: SessionControls
    let inputs: SessionInputs
    /// The recording's own first.
    let disks: [RecordingDisk]
    private let sinks: SessionSinks
    private let host: (any HostReading)?
    /// Whether devices and sinks run before it and go on after it.
    private let isLentDevices: Bool
    private let publish: (SessionEvent) -> Void
    private let report: (SessionStatus) -> Void

    private var marks: [Manifest.Mark] = []
    private var stills: [Manifest.Still] = []
    private var parts: PartDirector?
    private var changes: ChangeDirector?
    private var tracks: TrackDirector?
    private var encoders: EncoderDirector?
    private var manifest: ManifestBuilder?
    private var storage: StorageDirector?
    private var statusDue = MediaTime.zero
    private var pressure: PressureWatch?
    private var governance: Governance?
    private var history = SyncHistory()
    /// What cameras could not follow of those that they are to match.
    private var matchRemarks: [(role: String, text: String)] = []
    /// Hardware encoders that wait for the recording to begin.
    private var preparedEncoders: [String: Carried<any PictureEncoding>] = [:]

    /// The status is made anew at this interval: often enough for a meter, seldom enough to cost nothing.
    private static let statusInterval: Int64 = 100_000_000

    init(
        plan: SessionPlan, options: RecordingOptions, clock: any SessionClock, machinery: any MediaMachinery,
        controls: SessionControls, inputs: SessionInputs, disks: [RecordingDisk], sinks: SessionSinks,
        host: (any HostReading)?, isLentDevices: Bool, publish: @escaping (SessionEvent) -> Void,
        report: @escaping (SessionStatus) -> Void
    ) {
        self.plan = plan
        self.options = options
        self.clock = clock
        self.machinery = machinery
        self.controls = controls
        self.inputs = inputs
        self.disks = disks
        self.sinks = sinks
        self.host = host
        self.isLentDevices = isLentDevices
        self.publish = publish
        self.report = report
    }

    /// Records. Blocks its thread, which must not be one of the session clock's, until all files are closed.
    func run() throws(RecordingError) -> RecordingResult {
        let sinkThreads = isLentDevices ? [] : sinks.start(with: machinery)
        defer {
            if !isLentDevices { sinks.finish() }
            for thread in sinkThreads { thread.join() }
        }
        preparedEncoders = try OutputAssembly.hardwareEncoders(of: plan, inputs, machinery)
        // Devices and timeline begin at one instant, so that a simulated recording is repeatable.
        clock.hold()
        do {
            if !isLentDevices { try inputs.start(on: clock) }
        } catch {
            clock.release()
            inputs.stop()
            throw error
        }
        // This thread only waits while the timeline's works on the recorder: `join` hands it over and back.
        nonisolated(unsafe) let recorder = self
        nonisolated(unsafe) var outcome: Result<Recorded, RecordingError>?
        let timeline = clock.startThread(named: "timeline") {
            do throws(RecordingError) {
                outcome = .success(try recorder.followTimeline())
            } catch {
                outcome = .failure(error)
            }
        }
        clock.release()
        timeline.join()
        if !isLentDevices { inputs.stop() }
        guard let recorded = outcome else {
            preconditionFailure("the timeline ended without a result")
        }
        return finish(try recorded.get())
    }

    /// Removes the folders of a recording that never began.
    func removeUnused() {
        for disk in disks {
            disk.room.finish()
            _ = disk.papers.finish()
            disk.folder.removeUnused()
        }
    }

    // MARK: On the timeline's thread

    /// What the timeline leaves to be closed.
    private struct Recorded {
        let outputs: SessionOutputs
        let end: MediaTime
        let manifest: ManifestBuilder
    }

    private func followTimeline() throws(RecordingError) -> Recorded {
        let shortcoming = inputs.cameras.isEmpty ? nil : machinery.slateShortcoming
        let (start, outputs) = try begin()
        let delay = alignmentDelay
        pressure = host.map {
            PressureWatch(
                $0, clock: clock, folder: disks[0].folder.path,
                frameInterval: (leadingRate ?? AudioGrid.blocks).interval)
        }
        let storage = StorageDirector(outputs, host: host, clock: clock, delay: delay)
        self.storage = storage
        defer {
            pressure?.stop()
            storage.finish()
        }
        manifest = ManifestBuilder(recorder: self, start: start, delay: delay)
        writeManifest(outputs)
        controls.recordingTiming = SessionControls.Timing(
            alignmentDelay: delay,
            slowestIntervals: Dictionary(
                uniqueKeysWithValues: inputs.cameras.map {
                    ($0.role, $0.slowestInterval(decidedAfter: delay))
                }))
        // Announced when it is true, and not while there is still time to it.
        clock.sleep(until: start, unless: Cancellation())
        note(
            SessionEvent(
                .started, at: .zero,
                [
                    "t0_monotonic_ns": .integer(start.nanoseconds),
                    "folder": .string(disks[0].folder.path),
                ]))
        for step in options.reduction?.steps ?? [] { note(SessionEvent(reduced: step)) }
        noteControls()
        if let shortcoming { note(SessionEvent(.warning, at: .zero, ["text": .string(shortcoming)])) }
        noteEncoders(outputs)
        let timeline = Timeline(
            start: start, delay: delay, clock: clock, inputs: inputs, outputs: outputs,
            leadingRate: leadingRate,
            // Unowned: the recorder's directors have the timeline, and nothing of a recording may outlive it.
            announce: { [unowned self] in note($0) })
        if isGoverned {
            // What software encodes after all has presets to give up.
            let fallen = Set(outputs.namedEncoders.filter { $0.lane.fallback != nil }.map(\.name))
            governance = Governance(
                plan.withoutHardware(for: fallen), inputs: inputs, outputs: outputs, taps: sinks.pictures,
                clock: clock, alignmentDelay: delay)
        }
        parts = PartDirector(
            clock: clock, start: start, timeline: timeline, outputs: outputs)
        changes = ChangeDirector(start: start, timeline: timeline)
        tracks = TrackDirector(
            clock: clock, start: start, machinery: machinery, disks: disks, timeline: timeline,
            inputs: inputs, outputs: outputs)
        encoders = EncoderDirector(timeline: timeline, outputs: outputs)
        let end = timeline.run { position in control(position, start: start, outputs: outputs) }
        watchSound(until: MediaTime(nanoseconds: end.nanoseconds - 1), start: start)
        for event in parts?.takeEvents(before: end) ?? [] { note(event) }
        for event in changes?.takeEvents(before: end) ?? [] { note(event) }
        endChanges(start: start, end: end)
        // The clocks as they were at the last tick: what devices deliver until they have stopped is of no recording.
        manifest?.noteDevices()
        history.noteJitter(inputs)
        guard let manifest else { preconditionFailure("a recording that began has a manifest") }
        return Recorded(outputs: outputs, end: end, manifest: manifest)
    }

    /// Who wants a change from here on is told that nothing is recorded; devices that are on their way in are stopped with the others.
    private func endChanges(start: ClockTime, end: MediaTime) {
        controls.recordingTiming = nil
        tracks?.finish()
        var late = controls.close()
        followMarks(late.marks, start: start, end: end)
        late.marks = []
        for still in late.stills { note(still.files, of: still.role, since: start) }
        for order in late.plans.flatMap(\.orders) { order.hand(to: inputs) }
        changes?.end(standsBy: late.standsBy)
        parts?.end()
        controls.tellEnd(of: late)
    }

    /// For whoever must make whole what a crash leaves.
    private func writeManifest(_ outputs: SessionOutputs) {
        manifest?.noteDevices()
        for disk in disks {
            if let current = manifest?.current(outputs, on: disk) { disk.papers.write(current) }
        }
    }

    private func begin() throws(RecordingError) -> (start: ClockTime, outputs: SessionOutputs) {
        try inputs.waitUntilReady(on: clock, limit: options.startTimeLimit, controls: controls)
        matchRemarks = CameraMatching(plan, inputs, clock: clock, controls: controls).run()
        let assembly = OutputAssembly(
            plan: plan, inputs: inputs, disks: disks, machinery: machinery, clock: clock, sinks: sinks,
            prepared: preparedEncoders)
        preparedEncoders = [:]
        // A slow disk takes its time before the first instant is chosen, and what devices deliver meanwhile is of no recording.
        let prepared = try assembly.prepare()
        inputs.keepLatest()
        // Time enough for the tracks to be made, so that it is not over when it is announced.
        let start = onLabel(clock.now + .milliseconds(120))
        let outputs = assembly.make(prepared, start: start)
        inputs.tellBeginning(start)
        return (start, outputs)
    }

    /// Says what cameras made of the controls that they are to have, where it is not what was asked for.
    private func noteControls() {
        var remarks = matchRemarks
        for camera in inputs.cameras {
            remarks += camera.controls.compactMap(\.remark).map {
                (camera.role, "camera \(camera.role): \($0)")
            }
        }
        for (role, text) in remarks {
            note(SessionEvent(.warning, at: .zero, ["track": .string(role), "text": .string(text)]))
        }
    }

    /// The next instant at which the time of day comes to a label of the leading grid's time code: so the times of day in
    /// the files of pictures and of sound say the same to the sample.
    private func onLabel(_ time: ClockTime) -> ClockTime {
        guard let leadingRate else { return time }
        let wall = LocalTime(clock.date(of: time), in: .current)
        return time + Timecode.untilNextLabel(after: wall, rate: leadingRate)
    }

    private var leadingRate: FrameRate? { plan.program?.settings.rate ?? plan.cameraTracks.first?.rate }

    /// From an instant to its decision: the slowest delivery and two intervals, within 0.1…2 s. A camera at the lowest rate that
    /// the governor may give it exposes and delivers for longer, which it must have room for.
    private var alignmentDelay: Nanoseconds {
        let usual = inputs.slowestDelivery + inputs.longestInterval * 2
        let governed = isGoverned ? slowestGovernedDelivery : .zero
        return min(max(usual, governed, .milliseconds(100)), .seconds(2))
    }

    /// In simulated time nothing is slow, unless somebody says so.
    private var isGoverned: Bool { plan.budget.governs && (clock.isRealTime || host != nil) }

    private var slowestGovernedDelivery: Nanoseconds {
        let ladder = Governance.ladder(plan, inputs: inputs, hasPreviews: false)
        let deliveries = inputs.cameras.filter(\.isChangeable).map { camera -> Nanoseconds in
            let planned = camera.source.format.rate
            let lowest =
                ladder.indices.compactMap { index in
                    Governance.format(of: camera, givingUp: ladder[...index])?.rate
                }.min() ?? planned
            guard lowest < planned else { return .zero }
            // An exposure and its transport are each longer by so much; half an interval later a tick shows it.
            return camera.deliveryDelay + (lowest.interval - planned.interval) * 2 + lowest.interval
        }
        return deliveries.max() ?? .zero
    }

    /// Carries out what was asked for since the last tick.
    ///
    /// - Returns: When to end, if that is known.
    private func control(
        _ position: MediaTime, start: ClockTime, outputs: SessionOutputs
    ) -> MediaTime? {
        let requests = controls.take()
        var end: MediaTime?
        if let stop = requests.stop { end = max(MediaTime(stop, since: start), MediaTime(nanoseconds: 1)) }
        if let duration = options.duration {
            let planned = MediaTime(nanoseconds: duration.count)
            end = end.map { min($0, planned) } ?? planned
        }
        followMarks(requests.marks, start: start, end: end)
        for still in requests.stills { note(still.files, of: still.role, since: start) }
        followParts(requests.splits, at: position)
        followPlans(requests.plans, at: position, outputs: outputs)
        watchSound(until: position, start: start)
        history.note(inputs, outputs, at: position)
        if let event = pressure?.follow(outputs, at: position) { note(event) }
        for event in governance?.follow(pressure?.current, at: position) ?? [] { note(event) }
        noteEncoders(outputs, at: position)
        if position >= statusDue {
            noteEncoders(outputs)
            reportStatus(outputs, at: position, phase: .recording)
        }
        for event in storage?.follow(pressure?.report, at: position) ?? [] { note(event) }
        let mustEnd =
            storage?.mustEnd ?? false || governance?.endReason != nil || encoders?.mustEnd ?? false
        // The tick at the position is decided: the end comes after it.
        let undecided = MediaTime(nanoseconds: position.nanoseconds + 1)
        return mustEnd ? undecided : end.map { max($0, undecided) }
    }

    /// Remembers the marks that were set before the recording's end, as far as that is known.
    private func followMarks(_ requests: [SessionControls.MarkRequest], start: ClockTime, end: MediaTime?) {
        for mark in requests {
            let time = max(MediaTime(mark.at, since: start), .zero)
            if let end, time >= end {
                mark.decided?(.ended)
                continue
            }
            marks.append(Manifest.Mark(at_ns: time.nanoseconds, text: mark.text))
            note(SessionEvent(.mark, at: time, ["text": .string(mark.text)]))
            mark.decided?(.recorded(from: time))
        }
    }

    private func note(_ files: StillFolder.Files, of role: String, since start: ClockTime) {
        let time = max(MediaTime(files.capturedAt, since: start), .zero)
        let still = Manifest.Still(at_ns: time.nanoseconds, role: role, files, in: disks[0].folder.path)
        stills.append(still)
        var fields: [String: JSONValue] = ["track": .string(role), "file": .string(still.file)]
        if let clip = still.clip { fields["clip"] = .string(clip) }
        note(SessionEvent(.still, at: time, fields))
    }

    private func followPlans(
        _ requests: [SessionControls.PlanRequest], at position: MediaTime, outputs: SessionOutputs
    ) {
        for request in requests {
            manifest?.follow(request.plan)
            governance?.changedPlan = request.plan
        }
        changes?.follow(requests) { order, words, time in
            tracks?.follow(order, at: time, reason: words) { camera, format, reason in
                if let governance { return governance.choose(format, of: camera, reason: reason) }
                camera.chosenFormat = format
                camera.change(to: format, for: .change, reason: reason)
            }
        }
        let reached = MediaTime(nanoseconds: position.nanoseconds + 1)
        for event in changes?.takeEvents(before: reached) ?? [] { note(event) }
        for event in tracks?.takeEvents(at: position) ?? [] { note(event) }
        if tracks?.takeChange() ?? false { writeManifest(outputs) }
    }

    private func followParts(_ splits: [SessionControls.SplitRequest], at position: MediaTime) {
        parts?.follow(splits, at: position)
        let reached = MediaTime(nanoseconds: position.nanoseconds + 1)
        for event in parts?.takeEvents(before: reached) ?? [] { note(event) }
    }

    /// Tells what is the matter with microphones, up to a time by which everything has come.
    private func watchSound(until position: MediaTime, start: ClockTime) {
        for microphone in inputs.microphones {
            for alarm in microphone.takeAlarms(through: start + Nanoseconds(position.nanoseconds)) {
                if alarm.kind == .silence { silenceExceeded.insert(microphone.role) }
                note(SessionEvent(alarm, of: microphone.role, since: start))
            }
        }
    }

    private(set) var silenceExceeded: Set<String> = []

    private func reportStatus(_ outputs: SessionOutputs, at position: MediaTime, phase: SessionStatus.Phase) {
        statusDue = MediaTime(nanoseconds: position.nanoseconds + Self.statusInterval)
        var status = SessionStatus()
        status.phase = phase
        status.time = position
        status.cameras = inputs.cameras.map { camera in
            let lost =
                outputs.cameraTracks.first { $0.input === camera }?.counts.lostInAll
                ?? outputs.program?.lostInAll(of: camera.role) ?? 0
            let clock = camera.clockReading
            return SessionStatus.Camera(
                role: camera.role, rate: 1e9 / Double(max(clock.interval.count, 1)), lost: lost, clock: clock)
        }
        status.microphones = outputs.microphones.map {
            SessionStatus.Microphone(
                $0.input, loudness: $0.loudness?.loudness,
                missing: Nanoseconds(Int64($0.gaps.reduce(0) { $0 + $1.length })))
        }
        let programLost = outputs.program?.counts.lost ?? [:]
        status.programLost = (programLost[.encoder] ?? 0) + (programLost[.disk] ?? 0)
        status.mix = outputs.mixLoudness?.loudness
        status.pressure = pressure?.current
        status.shown = outputs.program?.shown ?? []
        status.givenUp = governance?.inForce.map(\.text) ?? []
        report(status)
    }

    private func noteEncoders(_ outputs: SessionOutputs) {
        for (name, lane) in outputs.namedEncoders {
            guard let fallback = lane.takeFallback(), let rate = plan.rate(ofStream: name) else { continue }
            note(SessionEvent(fallback, of: name, rate: rate))
        }
        for (name, lane) in outputs.namedSoundEncoders {
            let news = lane.takeNews()
            for outage in news.outages { note(SessionEvent(outage, of: name)) }
            if let end = news.end { note(SessionEvent(end, of: name)) }
        }
    }

    /// Tells of encoders that failed, and ends the tracks that have none any more.
    private func noteEncoders(_ outputs: SessionOutputs, at position: MediaTime) {
        guard let encoders else { return }
        for event in encoders.follow(at: position) { note(event) }
        if encoders.takeChange() { writeManifest(outputs) }
    }

    // MARK: Ending

    private func finish(_ recorded: Recorded) -> RecordingResult {
        let (outputs, end) = (recorded.outputs, recorded.end)
        // It has next to nothing left to do, and the last status has all of it.
        outputs.meter?.finish()
        outputs.meter?.join()
        reportStatus(outputs, at: end, phase: .finishing)
        let lanes = outputs.encoderLanes
        let watcher = watchUrgency(lanes)
        for lane in lanes { lane.join() }
        for (_, lane) in outputs.namedSoundEncoders { lane.join() }
        watcher.cancel()
        noteEncoders(outputs)
        for event in encoders?.conclude(at: end) ?? [] { note(event) }
        let ending = RecordingEnding(
            plan: plan, disks: disks, outputs: outputs, end: end, manifest: recorded.manifest, marks: marks,
            changes: changes?.changes(before: end) ?? [], stills: stills, pressure: pressure?.course.summary,
            governance: governance, history: history, storage: storage, silenceExceeded: silenceExceeded,
            simulationTime: inputs.simulationTime, publish: publish)
        return ending.finish()
    }

    /// Lets the encoders go as soon as a second request to stop comes.
    private func watchUrgency(_ lanes: [EncoderLane]) -> Cancellation {
        let done = Cancellation()
        let controls = controls
        _ = MediaThread(name: "urgency") {
            let clock = MonotonicClock()
            while !controls.isUrgent {
                guard clock.sleep(until: clock.now + .milliseconds(50), unless: done) else { return }
            }
            for lane in lanes { lane.abandon() }
        }
        return done
    }

    private func note(_ event: SessionEvent) {
        publish(event)
        for disk in disks { disk.papers.append(event) }
    }
}
