internal import MulticamContainers
internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamMonitoring
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSessionFolder
internal import MulticamStills
internal import MulticamSystem
internal import MulticamTiming
internal import MulticamWriters

/// A recording from T0 to its end: the second phase. Use this type only on the timeline's thread. After `run` returns,
/// only `FinishingRecording` uses it.
///
/// At each tick, the directors process requests and device events. This type applies the resulting commands to the
/// timeline and sends the events.
final class RunningRecording {
    /// Plan, options, devices and disks of the recording.
    let context: RecordingContext
    /// The recording's files, encoders and tracks.
    let outputs: SessionOutputs
    /// The start time of the recording (T0) on the session's clock.
    let start: ClockTime
    /// The alignment delay: how long after its time a tick is decided.
    let delay: Nanoseconds
    private let timeline: Timeline
    private let parts: PartDirector
    private let changes: ChangeDirector
    private let tracks: TrackDirector
    private let encoders: EncoderDirector
    /// Provides the reason if the files on a disk end before the recording does.
    let storage: StorageDirector
    private let pressure: PressureMonitor?
    /// The governor, or `nil` if no governor runs.
    let governor: Governor?
    /// Builds the manifest of each disk.
    private(set) var manifest: ManifestBuilder
    /// The state of clocks and tracks for each second, for the report.
    private(set) var history = SyncHistory()
    private(set) var markers: [Manifest.Marker] = []
    /// Whether the warning that some players can't show all chapters has been sent.
    private var hasWarnedOfChapters = false
    private(set) var stills: [Manifest.Still] = []
    /// Roles of the microphones that were silent for longer than the profile allows.
    private(set) var silenceExceeded: Set<String> = []
    /// Descriptors that are released when the files are closed.
    private let reserve = DescriptorReserve()
    private var statusDue = MediaTime.zero
    /// Maximum reported lag of the files behind the present.
    private var maxWriteLag = Nanoseconds.zero

    private var inputs: SessionInputs { context.inputs }
    private var controls: SessionControls { context.controls }

    /// Interval between two status reports, in nanoseconds: short enough for an audio meter, long enough for negligible
    /// cost.
    private static let statusInterval: Int64 = 100_000_000
    /// Maximum number of governor steps in the status: enough for all measures that can be active.
    private static let maxReportedSteps = 30

    /// Creates a recording from existing outputs, and writes its first manifest.
    ///
    /// - Parameters:
    ///   - context: Plan, options, devices and disks of the recording.
    ///   - start: T0, the start time of the recording, on the session's clock.
    ///   - delay: The alignment delay: time from an instant until the tick at that instant is processed.
    ///   - outputs: The files, encoders and tracks.
    init(_ context: RecordingContext, start: ClockTime, delay: Nanoseconds, outputs: SessionOutputs) {
        self.context = context
        self.start = start
        self.delay = delay
        self.outputs = outputs
        let (plan, clock, inputs) = (context.plan, context.clock, context.inputs)
        pressure = context.host.map {
            PressureMonitor(
                $0, clock: clock, folder: context.folder,
                frameInterval: (context.leadingRate ?? AudioGrid.blocks).interval)
        }
        storage = StorageDirector(outputs, host: context.host, clock: clock, delay: delay)
        manifest = ManifestBuilder(context, start: start, delay: delay)
        let grid = LeadingGrid(rate: context.leadingRate)
        timeline = Timeline(
            start: start, delay: delay, clock: clock, inputs: inputs, outputs: outputs,
            grid: grid, codecs: context.codecs, taps: context.sinks.taps, announce: context.record)
        // A stream encoded by x264 instead of hardware can be switched to a faster preset.
        let fallen = Set(outputs.namedEncoders.filter { $0.worker.fallback != nil }.map(\.name))
        governor =
            context.isGoverned
            ? Governor(
                plan.withoutHardware(for: fallen), inputs: inputs, outputs: outputs,
                taps: context.sinks.taps, clock: clock, alignmentDelay: delay) : nil
        parts = PartDirector(start: start, grid: grid, outputs: outputs)
        changes = ChangeDirector(start: start, plan: plan)
        let opener = TrackOpener(
            disks: context.disks, codecs: context.codecs, date: clock.date(of: start))
        tracks = TrackDirector(
            clock: clock, start: start, opener: opener, inputs: inputs, outputs: outputs,
            taps: context.sinks.taps)
        encoders = EncoderDirector(outputs: outputs)
        writeManifest(at: .zero)
        if plan.editing?.title != nil { updateProgramMetadata() }
        controls.recordingTiming = SessionControls.Timing(
            alignmentDelay: delay,
            slowestIntervals: Dictionary(
                uniqueKeysWithValues: inputs.cameras.map {
                    ($0.role, $0.slowestInterval(decidedAfter: delay))
                }), opener: opener)
    }

    /// Waits for T0, and sends the event `started`, the reductions, and a warning for each remark.
    ///
    /// - Parameters:
    ///   - remarks: Sentences about settings that a camera couldn't apply, each with the camera's role.
    ///   - shortcoming: A sentence about limitations of slates on this computer, or `nil` without limitations.
    func announce(_ remarks: [(role: String, text: String)], shortcoming: String?) {
        // The event `started` is sent only after the recording has begun, not before T0.
        context.clock.sleep(until: start, unless: Cancellation())
        let started = SessionEvent.Started(
            t0_monotonic_ns: context.clock.stamp(of: start).nanoseconds, folder: context.folder)
        context.record(SessionEvent(.started(started), at: .zero))
        for step in context.options.reduction?.steps ?? [] { context.record(SessionEvent(reduced: step)) }
        for (role, text) in remarks {
            context.record(SessionEvent(warning: text, at: .zero, track: role))
        }
        if let shortcoming {
            context.record(SessionEvent(warning: shortcoming, at: .zero))
        }
        for liveOutput in context.liveOutputs.begin(at: start) {
            context.record(SessionEvent(liveOutput, at: .zero))
        }
        reportEncoderEvents()
    }

    /// Runs the timeline to its end.
    ///
    /// - Returns: The recording after its last tick. The recording's encoders and files are not closed yet.
    func run() -> FinishingRecording {
        defer {
            pressure?.stop()
            storage.finish()
        }
        let end = timeline.run { position in control(position) }
        checkAudio(until: MediaTime(nanoseconds: end.nanoseconds - 1))
        for event in parts.dequeueEvents(before: end) { context.record(event) }
        for event in changes.dequeueEvents(before: end) { context.record(event) }
        endChanges(at: end)
        // The manifest contains the state of the clocks at the last tick. Data that is delivered after the
        // last tick isn't part of the recording.
        manifest.recordDevices()
        history.recordJitter(inputs)
        return FinishingRecording(recording: self, end: end)
    }

    /// Stops accepting requests. Later requests are rejected because nothing is recorded. Devices that are
    /// still being added are stopped together with the other devices.
    ///
    /// - Parameter end: End of the recording relative to T0.
    private func endChanges(at end: MediaTime) {
        controls.recordingTiming = nil
        tracks.finish()
        var late = controls.close()
        recordMarkers(late.markers, end: end)
        late.markers = []
        for still in late.stills { recordStill(still.files, of: still.role) }
        recordEvents(late.events, until: end)
        for order in late.plans.flatMap(\.orders) { order.discard(returningDevicesTo: inputs) }
        changes.end(isOnStandby: late.isOnStandby)
        parts.end()
        controls.notifyEnd(of: late)
    }

    /// Writes the current manifest to all session folders, for recovery after a crash.
    ///
    /// - Parameter time: The time, relative to T0, before which all ticks have been processed.
    private func writeManifest(at time: MediaTime) {
        manifest.recordDevices()
        manifest.recordChanges(changes, before: time)
        for disk in context.disks { disk.folderWriter.write(manifest.current(outputs, on: disk)) }
    }

    /// Executes the requests since the last tick, and runs each director.
    ///
    /// - Parameter reached: How far the timeline has progressed.
    /// - Returns: The end of the recording relative to T0, or `nil` while the end isn't known.
    private func control(_ reached: TimelinePosition) -> MediaTime? {
        let position = reached.time
        let requests = controls.dequeueRequests()
        var end: MediaTime?
        if let stop = requests.stop { end = max(MediaTime(stop, since: start), MediaTime(nanoseconds: 1)) }
        if let duration = context.options.duration {
            let planned = MediaTime(nanoseconds: duration.count)
            end = end.map { min($0, planned) } ?? planned
        }
        recordMarkers(requests.markers, end: end)
        for still in requests.stills { recordStill(still.files, of: still.role) }
        recordEvents(requests.events)
        timeline.apply(parts.update(with: requests.splits, at: position))
        for event in parts.dequeueEvents(before: reached.undecided) { context.record(event) }
        applyPlans(requests.plans, at: reached, before: end)
        checkAudio(until: position)
        history.record(inputs, outputs, at: position)
        if let event = pressure?.update(with: outputs, at: position) { context.record(event) }
        for event in governor?.update(with: pressure?.current, at: position) ?? [] { context.record(event) }
        updateEncoders(at: reached)
        if position >= statusDue {
            reportEncoderEvents()
            reportStatus(at: position, phase: context.disks.isEmpty ? .standby : .recording)
        }
        for event in storage.update(with: pressure?.report, at: position) { context.record(event) }
        let mustEnd =
            storage.mustEnd || governor?.endReason != nil || encoders.mustEnd
        return mustEnd ? reached.undecided : end.map { max($0, reached.undecided) }
    }

    private func apply(_ direction: DirectorOutput) {
        timeline.apply(direction.commands)
        for event in direction.events { context.record(event) }
    }

    /// Records the markers before `end`, and notifies all callers. The callers of later markers are notified that the
    /// recording has ended.
    private func recordMarkers(_ requests: [SessionControls.MarkerRequest], end: MediaTime?) {
        for marker in requests {
            let time = max(MediaTime(marker.at, since: start), .zero)
            if let end, time >= end {
                marker.decided?(.recordingEnded)
                continue
            }
            markers.append(Manifest.Marker(at_ns: time.nanoseconds, text: marker.text))
            context.record(SessionEvent(.mark(SessionEvent.Mark(text: marker.text)), at: time))
            marker.decided?(.recorded(from: time))
        }
        if !requests.isEmpty { updateProgramMetadata() }
    }

    /// Writes the current markers as chapters of the program's file, and sets its title and date.
    private func updateProgramMetadata() {
        guard let place = outputs.places[SyncHistory.program] else { return }
        var notes = MovieMetadata(markers)
        notes.title = context.plan.editing?.title
        notes.date = String(Manifest.timeStamp(context.clock.date(of: start)).prefix(10))
        // Reserves space for the cover image, which is written at the end.
        if notes.title != nil { notes.reservedCoverSize = ProgramCover.maxByteCount }
        outputs.writers[place.file]?.setMetadata(notes)
        guard !hasWarnedOfChapters, let remark = notes.remark, let last = markers.last else { return }
        hasWarnedOfChapters = true
        context.record(
            SessionEvent(
                warning: remark, at: MediaTime(nanoseconds: last.at_ns), track: SyncHistory.program))
    }

    private func recordStill(_ files: StillFiles, of role: String) {
        let time = max(MediaTime(context.clock.time(stamped: files.capturedAt), since: start), .zero)
        let still = Manifest.Still(at_ns: time.nanoseconds, role: role, files, in: context.folder)
        stills.append(still)
        context.record(
            SessionEvent(
                .still(SessionEvent.Still(track: role, file: still.file, clip: still.clip)), at: time))
    }

    /// Sends events that originate outside the recording. The times of these events are limited to the range from T0 to
    /// the end.
    private func recordEvents(_ requests: [SessionControls.EventRequest], until end: MediaTime? = nil) {
        for request in requests {
            let time = max(MediaTime(request.at, since: start), .zero)
            context.record(request.make(end.map { min($0, time) } ?? time))
        }
    }

    private func applyPlans(
        _ requests: [SessionControls.PlanRequest], at position: TimelinePosition, before end: MediaTime?
    ) {
        for request in requests {
            manifest.merge(request.plan)
            governor?.changedPlan = request.plan
        }
        for request in requests {
            let arrangement = changes.handle(request, at: position) { order, words, time in
                let commands = tracks.handle(order, at: time, reason: words) { camera, format, reason in
                    if let governor { return governor.choose(format, of: camera, reason: reason) }
                    camera.chosenFormat = format
                    camera.change(to: format, for: .reconfigured, reason: reason)
                }
                timeline.apply(commands)
            }
            timeline.apply([arrangement])
        }
        for event in changes.dequeueEvents(before: position.undecided) { context.record(event) }
        apply(tracks.beginOpenedTracks(at: position, before: end))
        let hasChanged = changes.consumeUnwrittenChanges(at: position.time)
        if tracks.consumeChange() || hasChanged { writeManifest(at: position.undecided) }
    }

    /// Sends the audio alarms up to a time relative to T0. All audio before that time must have been
    /// delivered.
    private func checkAudio(until position: MediaTime) {
        for microphone in inputs.microphones {
            for alarm in microphone.drainAlarms(through: start + Nanoseconds(position.nanoseconds)) {
                if alarm.kind == .silence { silenceExceeded.insert(microphone.role) }
                context.record(SessionEvent(alarm, of: microphone.role, since: start))
            }
        }
    }

    /// Sends the status of the recording to its receiver.
    ///
    /// - Parameters:
    ///   - position: Progress of the recording, relative to T0.
    ///   - phase: The phase to report.
    ///   - finishing: Number of closed files and total number of files; `nil` while waiting for the encoders.
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
        status.priority = ThreadPriorities.process.grant
        status.fileLag = outputs.writeLag(at: status.takenAt, since: start)
        if phase == .recording { maxWriteLag = max(maxWriteLag, status.fileLag ?? .zero) }
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
        status.measures = governor?.inForce ?? []
        status.governorSteps = governor?.steps.suffix(Self.maxReportedSteps) ?? []
        status.freeBytes = pressure?.report?.state.disk?.freeBytes
        status.markers = markers
        context.report(status)
    }

    /// Returns the current counts of a camera's frames across all its tracks. For a camera without a track,
    /// returns the counts in the program.
    private func counts(of camera: CameraInput) -> FrameCounts {
        let tracks = outputs.cameraTracks.filter { $0.input === camera }
        guard let first = tracks.first else {
            return outputs.program?.counts(of: camera.role) ?? FrameCounts()
        }
        return tracks.dropFirst().reduce(first.counts) { $0 + $1.counts }
    }

    /// Sends events for encoders replaced by x264, and for audio lost with failed encoders.
    private func reportEncoderEvents() {
        for (name, worker) in outputs.namedEncoders {
            guard let fallback = worker.dequeueFallback(), let rate = context.plan.rate(ofStream: name) else {
                continue
            }
            context.onFallback(name)
            context.record(SessionEvent(fallback, of: name, rate: rate))
        }
        for (name, worker) in outputs.namedAudioEncoders {
            let news = worker.dequeueEvents()
            for outage in news.outages { context.record(SessionEvent(outage, of: name)) }
            if let end = news.end { context.record(SessionEvent(end, of: name)) }
        }
    }

    /// Sends events for failed encoders, and ends tracks whose encoder could not be replaced.
    private func updateEncoders(at position: TimelinePosition) {
        apply(encoders.update(at: position.time))
        if encoders.consumeChange() { writeManifest(at: position.undecided) }
    }

    /// Completes the state that the final manifest contains. The encoders must have finished.
    ///
    /// - Parameter end: End of the recording relative to T0.
    func finish(at end: MediaTime) {
        reserve.release()
        context.liveOutputs.end()
        reportEncoderEvents()
        governor?.end()
        apply(encoders.conclude(at: end))
        manifest.recordChanges(changes, before: end)
    }

    /// Summary of the system pressure; `nil` if the pressure was not monitored.
    var pressureSummary: Manifest.Pressure? {
        var summary = pressure?.history.summary
        if context.clock.isRealTime { summary?.files_behind_ns = maxWriteLag.count }
        return summary
    }
}

extension SyncHistory {
    /// Records the state of all clocks and tracks. Does nothing when the last record is less than a second old.
    ///
    /// - Parameters:
    ///   - inputs: The devices of the recording.
    ///   - outputs: The recording's tracks.
    ///   - time: The time since T0.
    mutating func record(_ inputs: SessionInputs, _ outputs: SessionOutputs, at time: MediaTime) {
        guard isDue(at: time) else { return }
        for camera in inputs.cameras { record(camera.clockModel, of: camera.role, at: time) }
        for microphone in inputs.microphones { record(microphone.clockModel, of: microphone.role, at: time) }
        for track in outputs.cameraTracks {
            let counts = track.counts
            record(
                duplicated: Int64(counts.duplicated), missing: Int64(counts.slate + counts.totalLost),
                of: track.name, at: time)
        }
        for track in outputs.microphoneTracks where !track.hasEnded {
            record(duplicated: 0, missing: track.counts.totalSilence, of: track.name, at: time)
        }
        if let program = outputs.program {
            record(
                duplicated: Int64(program.counts.duplicated), missing: Int64(program.counts.totalLost),
                of: Self.program, at: time)
        }
    }

    /// Records the jitter of each device's timestamps. Call this method at the end of the recording.
    ///
    /// - Parameter inputs: The devices of the recording.
    mutating func recordJitter(_ inputs: SessionInputs) {
        for camera in inputs.cameras { jitters[camera.role] = camera.jitter }
        for microphone in inputs.microphones { jitters[microphone.role] = microphone.jitter }
    }
}
