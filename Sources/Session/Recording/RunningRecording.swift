internal import Containers
internal import Encoders
internal import Inputs
internal import Media
internal import Monitoring
internal import Plan
internal import Profiles
internal import SessionFolder
internal import Stills
internal import Timing
internal import Writers

// Collaborators: one director for each thing that may happen to a recording, and what each of them follows.
/// A recording from T0 to its end. Timeline's thread only.
///
/// At each tick the directors look at requests and at what happened; this type has the timeline apply the commands that they
/// return, and sends the events.
final class RunningRecording {
    /// Plan, options, devices and disks of the recording.
    let context: RecordingContext
    /// The recording's files, encoders and tracks.
    let outputs: SessionOutputs
    /// T0 on the session's clock.
    private let start: ClockTime
    private let delay: Nanoseconds
    private let timeline: Timeline
    private let parts: PartDirector
    private let changes: ChangeDirector
    private let tracks: TrackDirector
    private let encoders: EncoderDirector
    private let storage: StorageDirector
    private let pressure: PressureWatch?
    /// The governor, or `nil` when none runs.
    private let governor: Governor?
    private var manifest: ManifestBuilder
    private var history = SyncHistory()
    private var marks: [Manifest.Mark] = []
    private var stills: [Manifest.Still] = []
    private var silenceExceeded: Set<String> = []
    private var statusDue = MediaTime.zero

    private var inputs: SessionInputs { context.inputs }
    private var controls: SessionControls { context.controls }

    /// Nanoseconds between two status reports: often enough for a meter, seldom enough to cost nothing.
    private static let statusInterval: Int64 = 100_000_000
    /// Steps of the governor in the status: enough for every measure that can be in force.
    private static let reportedSteps = 30

    /// Creates a recording whose outputs exist, and writes its first manifest.
    ///
    /// - Parameters:
    ///   - context: Plan, options, devices and disks of the recording.
    ///   - start: T0 on the session's clock.
    ///   - delay: The alignment delay: time from an instant to its decision.
    ///   - outputs: The files, encoders and tracks.
    init(_ context: RecordingContext, start: ClockTime, delay: Nanoseconds, outputs: SessionOutputs) {
        self.context = context
        self.start = start
        self.delay = delay
        self.outputs = outputs
        let (plan, clock, inputs) = (context.plan, context.clock, context.inputs)
        pressure = context.host.map {
            PressureWatch(
                $0, clock: clock, folder: context.folder,
                frameInterval: (context.leadingRate ?? AudioGrid.blocks).interval)
        }
        storage = StorageDirector(outputs, host: context.host, clock: clock, delay: delay)
        manifest = ManifestBuilder(context, start: start, delay: delay)
        let grid = LeadingGrid(rate: context.leadingRate)
        timeline = Timeline(
            start: start, delay: delay, clock: clock, inputs: inputs, outputs: outputs,
            grid: grid, taps: context.sinks.taps, announce: context.note)
        // A stream that x264 encodes in place of hardware has presets to give up.
        let fallen = Set(outputs.namedEncoders.filter { $0.worker.fallback != nil }.map(\.name))
        governor =
            context.isGoverned
            ? Governor(
                plan.withoutHardware(for: fallen), inputs: inputs, outputs: outputs,
                taps: context.sinks.taps, clock: clock, alignmentDelay: delay) : nil
        parts = PartDirector(clock: clock, start: start, grid: grid, outputs: outputs)
        changes = ChangeDirector(start: start, plan: plan)
        tracks = TrackDirector(
            clock: clock, start: start, codecs: context.codecs, disks: context.disks, inputs: inputs,
            outputs: outputs, taps: context.sinks.taps)
        encoders = EncoderDirector(outputs: outputs)
        writeManifest(at: .zero)
        if plan.editing?.title != nil { noteProgram() }
        controls.recordingTiming = SessionControls.Timing(
            alignmentDelay: delay,
            slowestIntervals: Dictionary(
                uniqueKeysWithValues: inputs.cameras.map {
                    ($0.role, $0.slowestInterval(decidedAfter: delay))
                }))
    }

    /// Waits for T0, and sends the event `started`, the reductions, and a warning for each remark.
    ///
    /// - Parameters:
    ///   - remarks: Sentences on settings that a camera could not apply, each with the camera's role.
    ///   - shortcoming: A sentence on what slates lack on this computer, or `nil` when they lack nothing.
    func announce(_ remarks: [(role: String, text: String)], shortcoming: String?) {
        // It is announced when it is true, not while T0 is still to come.
        context.clock.sleep(until: start, unless: Cancellation())
        var fields = ["t0_monotonic_ns": JSONValue.integer(context.clock.stamp(of: start).nanoseconds)]
        if let folder = context.folder { fields["folder"] = .string(folder) }
        context.note(SessionEvent(.started, at: .zero, fields))
        for step in context.options.reduction?.steps ?? [] { context.note(SessionEvent(reduced: step)) }
        for (role, text) in remarks {
            context.note(SessionEvent(.warning, at: .zero, ["track": .string(role), "text": .string(text)]))
        }
        if let shortcoming {
            context.note(SessionEvent(.warning, at: .zero, ["text": .string(shortcoming)]))
        }
        for publication in context.publications.begin(at: start) {
            context.note(SessionEvent(publication, at: .zero))
        }
        noteEncoders()
    }

    /// Runs the timeline to its end.
    ///
    /// - Returns: The recording after its last tick; its encoders and files are not closed yet.
    func follow() -> FinishedTimeline {
        defer {
            pressure?.stop()
            storage.finish()
        }
        let end = timeline.run { position in control(position) }
        watchAudio(until: MediaTime(nanoseconds: end.nanoseconds - 1))
        for event in parts.takeEvents(before: end) { context.note(event) }
        for event in changes.takeEvents(before: end) { context.note(event) }
        endChanges(at: end)
        // The clocks as they were at the last tick: what devices deliver until they have stopped is no part of the
        // recording.
        manifest.noteDevices()
        history.noteJitter(inputs)
        return FinishedTimeline(recording: self, end: end)
    }

    /// Ends the acceptance of requests: later ones are answered that nothing is recorded, and devices that are being added are
    /// stopped with the others.
    ///
    /// - Parameter end: End of the recording since T0.
    private func endChanges(at end: MediaTime) {
        controls.recordingTiming = nil
        tracks.finish()
        var late = controls.close()
        followMarks(late.marks, end: end)
        late.marks = []
        for still in late.stills { note(still.files, of: still.role) }
        note(late.events, until: end)
        for order in late.plans.flatMap(\.orders) { order.hand(to: inputs) }
        changes.end(standsBy: late.standsBy)
        parts.end()
        controls.tellEnd(of: late)
    }

    /// Writes the present manifest to all session folders, for recovery after a crash.
    ///
    /// - Parameter time: The time since T0 before which everything is decided.
    private func writeManifest(at time: MediaTime) {
        manifest.noteDevices()
        manifest.note(changes, before: time)
        for disk in context.disks { disk.folderWriter.write(manifest.current(outputs, on: disk)) }
    }

    /// Carries out the requests since the last tick, and lets each director look at the recording.
    ///
    /// - Parameter reached: How far the timeline has come.
    /// - Returns: The time since T0 at which the recording ends, or `nil` while no end is known.
    private func control(_ reached: TimelinePosition) -> MediaTime? {
        let position = reached.time
        let requests = controls.take()
        var end: MediaTime?
        if let stop = requests.stop { end = max(MediaTime(stop, since: start), MediaTime(nanoseconds: 1)) }
        if let duration = context.options.duration {
            let planned = MediaTime(nanoseconds: duration.count)
            end = end.map { min($0, planned) } ?? planned
        }
        followMarks(requests.marks, end: end)
        for still in requests.stills { note(still.files, of: still.role) }
        note(requests.events)
        timeline.apply(parts.follow(requests.splits, at: position))
        for event in parts.takeEvents(before: reached.undecided) { context.note(event) }
        followPlans(requests.plans, at: reached, before: end)
        watchAudio(until: position)
        history.note(inputs, outputs, at: position)
        if let event = pressure?.follow(outputs, at: position) { context.note(event) }
        for event in governor?.follow(pressure?.current, at: position) ?? [] { context.note(event) }
        noteEncoders(at: reached)
        if position >= statusDue {
            noteEncoders()
            reportStatus(at: position, phase: context.disks.isEmpty ? .standby : .recording)
        }
        for event in storage.follow(pressure?.report, at: position) { context.note(event) }
        let mustEnd =
            storage.mustEnd || governor?.endReason != nil || encoders.mustEnd
        return mustEnd ? reached.undecided : end.map { max($0, reached.undecided) }
    }

    private func carryOut(_ direction: Direction) {
        timeline.apply(direction.commands)
        for event in direction.events { context.note(event) }
    }

    /// Records the marks before `end`, and answers all callers; later marks are answered that the recording has ended.
    private func followMarks(_ requests: [SessionControls.MarkRequest], end: MediaTime?) {
        for mark in requests {
            let time = max(MediaTime(mark.at, since: start), .zero)
            if let end, time >= end {
                mark.decided?(.ended)
                continue
            }
            marks.append(Manifest.Mark(at_ns: time.nanoseconds, text: mark.text))
            context.note(SessionEvent(.mark, at: time, ["text": .string(mark.text)]))
            mark.decided?(.recorded(from: time))
        }
        if !requests.isEmpty { noteProgram() }
    }

    /// Makes the marks so far the chapters of the program's file, and tells it the title and the day.
    private func noteProgram() {
        guard let place = outputs.places[SyncHistory.program] else { return }
        var notes = MovieNotes(marks)
        notes.title = context.plan.editing?.title
        notes.date = String(ManifestBuilder.timeStamp(context.clock.date(of: start)).prefix(10))
        // A cover comes at the end.
        if notes.title != nil { notes.coverRoom = ProgramCover.mostBytes }
        outputs.writers[place.file]?.note(notes)
    }

    private func note(_ files: StillFolder.Files, of role: String) {
        let time = max(MediaTime(context.clock.time(stamped: files.capturedAt), since: start), .zero)
        let still = Manifest.Still(at_ns: time.nanoseconds, role: role, files, in: context.folder)
        stills.append(still)
        var fields: [String: JSONValue] = ["track": .string(role), "file": .string(still.file)]
        if let clip = still.clip { fields["clip"] = .string(clip) }
        context.note(SessionEvent(.still, at: time, fields))
    }

    /// Sends events from outside of the recording, with times from T0 to the end of it.
    private func note(_ requests: [SessionControls.EventRequest], until end: MediaTime? = nil) {
        for request in requests {
            let time = max(MediaTime(request.at, since: start), .zero)
            context.note(request.make(end.map { min($0, time) } ?? time))
        }
    }

    private func followPlans(
        _ requests: [SessionControls.PlanRequest], at position: TimelinePosition, before end: MediaTime?
    ) {
        for request in requests {
            manifest.follow(request.plan)
            governor?.changedPlan = request.plan
        }
        for request in requests {
            let arrangement = changes.follow(request, at: position) { order, words, time in
                let commands = tracks.follow(order, at: time, reason: words) { camera, format, reason in
                    if let governor { return governor.choose(format, of: camera, reason: reason) }
                    camera.chosenFormat = format
                    camera.change(to: format, for: .change, reason: reason)
                }
                timeline.apply(commands)
            }
            timeline.apply([arrangement])
        }
        for event in changes.takeEvents(before: position.undecided) { context.note(event) }
        carryOut(tracks.begin(at: position, before: end))
        let hasChanged = changes.mustWrite(at: position.time)
        if tracks.takeChange() || hasChanged { writeManifest(at: position.undecided) }
    }

    /// Sends the audio alarms up to a time since T0, by which all audio has been delivered.
    private func watchAudio(until position: MediaTime) {
        for microphone in inputs.microphones {
            for alarm in microphone.takeAlarms(through: start + Nanoseconds(position.nanoseconds)) {
                if alarm.kind == .silence { silenceExceeded.insert(microphone.role) }
                context.note(SessionEvent(alarm, of: microphone.role, since: start))
            }
        }
    }

    /// Sends the status of the recording to its receiver.
    ///
    /// - Parameters:
    ///   - position: The time that the recording has reached, since T0.
    ///   - phase: The phase to report.
    ///   - finishing: Number of files that are closed, and of all; `nil` while the encoders are waited for.
    func reportStatus(
        at position: MediaTime, phase: SessionStatus.Phase, finishing: (done: Int, total: Int)? = nil
    ) {
        statusDue = MediaTime(nanoseconds: position.nanoseconds + Self.statusInterval)
        var status = SessionStatus()
        status.phase = phase
        status.finishing = finishing.map { SessionStatus.Finishing(done: $0.done, total: $0.total) }
        status.time = position
        status.takenAt = context.clock.now
        status.start = start
        status.alignmentDelay = delay
        status.cameras = inputs.cameras.map { camera in
            SessionStatus.Camera(camera, counts: counts(of: camera), standsBy: false)
        }
        status.microphones = outputs.microphones.map {
            SessionStatus.Microphone(
                $0.input, loudness: $0.loudness?.loudness, missing: $0.missing)
        }
        status.program = outputs.program?.counts ?? FrameCounts()
        status.mix = outputs.mixLoudness?.loudness
        status.pressure = pressure?.current
        status.shown = outputs.program?.shown ?? []
        status.givenUp = governor?.inForce.map(\.text) ?? []
        status.governorSteps = governor?.steps.suffix(Self.reportedSteps) ?? []
        status.freeBytes = pressure?.report?.state.disk?.freeBytes
        status.marks = marks
        context.report(status)
    }

    /// The frames of a camera so far, of all its tracks; without a track those that the program follows.
    private func counts(of camera: CameraInput) -> FrameCounts {
        let tracks = outputs.cameraTracks.filter { $0.input === camera }
        guard let first = tracks.first else {
            return outputs.program?.counts(of: camera.role) ?? FrameCounts()
        }
        return tracks.dropFirst().reduce(first.counts) { $0 + $1.counts }
    }

    /// Sends events for encoders that x264 has replaced, and for audio that was lost with failed encoders.
    private func noteEncoders() {
        for (name, worker) in outputs.namedEncoders {
            guard let fallback = worker.takeFallback(), let rate = context.plan.rate(ofStream: name) else {
                continue
            }
            context.onFallback(name)
            context.note(SessionEvent(fallback, of: name, rate: rate))
        }
        for (name, worker) in outputs.namedAudioEncoders {
            let news = worker.takeNews()
            for outage in news.outages { context.note(SessionEvent(outage, of: name)) }
            if let end = news.end { context.note(SessionEvent(end, of: name)) }
        }
    }

    /// Sends events for encoders that failed, and ends the tracks that have no encoder left.
    private func noteEncoders(at position: TimelinePosition) {
        carryOut(encoders.follow(at: position.time))
        if encoders.takeChange() { writeManifest(at: position.undecided) }
    }

    /// Closes the files after the last tick. Blocks until all disks are done; the encoders have finished before.
    ///
    /// - Parameter end: End of the recording since T0.
    /// - Returns: The outcome of the recording.
    func close(at end: MediaTime) -> RecordingResult {
        context.publications.end()
        noteEncoders()
        governor?.end()
        carryOut(encoders.conclude(at: end))
        manifest.note(changes, before: end)
        let ending = RecordingEnding(
            plan: context.plan, disks: context.disks, outputs: outputs, end: end, manifest: manifest,
            marks: marks, stills: stills,
            pressure: pressure?.course.summary, governor: governor, history: history, storage: storage,
            silenceExceeded: silenceExceeded, simulationTime: inputs.simulationTime,
            publish: context.publish,
            tellClosed: { [self] done, total in
                reportStatus(at: end, phase: .finishing, finishing: (done, total))
            })
        return ending.finish()
    }
}
