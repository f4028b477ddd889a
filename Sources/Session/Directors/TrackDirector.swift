internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamTiming
internal import MulticamWriters

/// Changes cameras and microphones during the recording, ends their tracks and begins new ones. Use this type
/// only on the timeline's thread.
///
/// Creating a file or encoder takes time, so files and encoders are created on separate threads. A track
/// begins with the first tick after its file and encoder have been created.
final class TrackDirector {
    private enum Opening: Sendable {
        /// A camera's track. If the camera is added together with the track, `isNew` contains the camera's
        /// plan.
        case frames(OpenedTrack, isNew: PlannedCamera?)
        case audio(OpenedAudio, isNew: Bool)
        /// A track of a known device whose file or encoder couldn't be created.
        case failed(name: String, RecordingError)
    }

    private let clock: any SessionClock
    private let start: ClockTime
    private let opener: TrackOpener
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let taps: TapRegistry
    private let openings = ConditionLock<[Opening]>([])
    /// The threads that are creating files and encoders.
    private var threads: [MediaThread] = []
    /// Cameras that are about to be added, by role. The format of such a camera may be changed before the
    /// camera's files exist.
    private var enteringCameras: [String: CameraInput] = [:]
    /// Names of tracks that were stopped before they began.
    private var canceledTracks: Set<String> = []
    /// Whether the current tracks differ from the tracks in the manifest on the disks.
    private var hasTrackChanges = false

    init(
        clock: any SessionClock, start: ClockTime, opener: TrackOpener, inputs: SessionInputs,
        outputs: SessionOutputs, taps: TapRegistry
    ) {
        self.clock = clock
        self.start = start
        self.opener = opener
        self.inputs = inputs
        self.outputs = outputs
        self.taps = taps
    }

    /// Executes an order, or starts a thread that executes the order.
    ///
    /// - Parameters:
    ///   - order: An order from an accepted change.
    ///   - time: When the change was requested.
    ///   - reason: The text of the change as the user entered it.
    ///   - deliver: Requests a format from a camera, within the governor's limits.
    /// - Returns: Commands that the timeline must apply immediately.
    func handle(
        _ order: SessionOrder, at time: MediaTime, reason: String,
        deliver: (CameraInput, VideoFormat?, String) -> Void
    ) -> [TimelineCommand] {
        switch order {
        case .change(.setFormat(let role, let format)):
            if let camera = camera(role) { deliver(camera, format, reason) }
        case .change(.setMicrophoneEnabled(let role, let isOn)):
            return [.switchOff(role: role, reason: isOn ? nil : reason, from: time)]
        case .change(.stopTrack(let name)):
            guard outputs.isOpen(track: name) else {
                canceledTracks.insert(name)
                break
            }
            hasTrackChanges = true
            return [.stopTrack(named: name, at: time)]
        case .change(.startTrack(let planned)):
            if let camera = camera(planned.role) { open(planned, of: camera) }
        case .admit(let camera, let device, let opened):
            enteringCameras[camera.role] = camera
            guard let opened else { return adopt(camera, device) }
            openings.withLock { $0.append(.frames(opened, isNew: device)) }
        case .replaceCamera(let role, let other):
            guard let camera = camera(role) else {
                stop(other.source)
                break
            }
            stop(camera.replaceSource(with: other, at: clock.now, reason: reason))
            hasTrackChanges = true
            // The governor's reductions also apply to the new camera.
            deliver(camera, camera.chosenFormat, reason)
        case .change(.startAudio(let planned)):
            if let input = inputs.microphones.first(where: { $0.role == planned.role }) {
                open(planned, of: input)
            }
        case .admitAudio(let opened): openings.withLock { $0.append(.audio(opened, isNew: true)) }
        }
        return []
    }

    private func camera(_ role: String) -> CameraInput? {
        inputs.cameras.first { $0.role == role } ?? enteringCameras[role]
    }

    private func open(_ planned: PlannedCameraTrack, of camera: CameraInput) {
        open(named: planned.name) { [opener] () throws(RecordingError) in
            .frames(try opener.open(planned, of: camera), isNew: nil)
        }
    }

    private func open(_ planned: PlannedMicrophoneTrack, of input: MicrophoneInput) {
        open(named: planned.name) { [opener] () throws(RecordingError) in
            .audio(try opener.open(planned, of: input, isNew: false), isNew: false)
        }
    }

    private func open(
        named name: String,
        making: @escaping @Sendable () throws(RecordingError) -> Opening
    ) {
        let openings = openings
        let thread: MediaThread
        do throws(ThreadError) {
            thread = try MediaThread(name: "open:\(name)") {
                let opening: Opening
                do throws(RecordingError) { opening = try making() } catch {
                    opening = .failed(name: name, error)
                }
                openings.withLock { $0.append(opening) }
            }
        } catch {
            return openings.withLock { $0.append(.failed(name: name, .thread(error))) }
        }
        threads.append(thread)
        // In simulated time, the recording would end before the thread if the timeline didn't wait for the
        // thread.
        if !clock.isRealTime { thread.join() }
    }

    /// Begins the tracks that are ready. Call this method as the timeline advances.
    ///
    /// - Parameters:
    ///   - position: Progress of the recording.
    ///   - end: End of the recording relative to T0, or `nil` while the end isn't known. Tracks that would
    ///     begin at or after the end of the recording are not created.
    /// - Returns: The tracks and devices for the timeline, and the events to send.
    func beginOpenedTracks(at position: TimelinePosition, before end: MediaTime?) -> DirectorOutput {
        let ready = openings.withLock { openings in
            defer { openings.removeAll() }
            return openings
        }
        var direction = DirectorOutput()
        for opening in ready {
            switch opening {
            case .frames(let track, let isNew): begin(track, isNew: isNew, before: end, direction: &direction)
            case .audio(let audio, let isNew):
                begin(
                    audio, isNew: isNew, at: position.audioSample, before: end, direction: &direction)
            case .failed(let name, let error):
                direction.events.append(
                    SessionEvent(
                        warning: "track \(name) could not start: \(error.description)", at: position.time,
                        track: name))
            }
        }
        return direction
    }

    /// Stops a source that is no longer needed. A separate thread stops the source because the driver may be
    /// slow.
    private func stop(_ source: any CameraSource) {
        let thread = MediaThread.startWhenPossible(name: "stop") { source.stop() }
        // In simulated time, the source ends when this thread sleeps.
        if clock.isRealTime { threads.append(thread) }
    }

    private func adopt(_ camera: CameraInput, _ planned: PlannedCamera) -> [TimelineCommand] {
        var files: [(disk: Int, file: MetadataFile)] = []
        if let name = planned.metadataFile {
            files = opener.disks.filter { $0.includesFile(isProgram: false) }.map { disk in
                (disk: disk.index, file: disk.laterMetadataFile(named: name, of: planned.role))
            }
            hasTrackChanges = true
        }
        outputs.metadata.append(MetadataTrack(input: camera, start: start, taps: taps, files: files))
        return [.addCamera(camera)]
    }

    private func begin(
        _ opened: OpenedTrack, isNew: PlannedCamera?, before end: MediaTime?, direction: inout DirectorOutput
    ) {
        if let isNew { direction.commands += adopt(opened.input, isNew) }
        // Frames captured from now on haven't been dequeued yet, and the first tick shows a frame captured
        // just before that tick.
        let first = clock.now + max(opened.input.clockReading.interval, opened.planned.rate.interval)
        let tick = opened.planned.rate.ticks(before: MediaTime(first, since: start))
        guard canBegin(opened.planned.name, at: opened.planned.rate.time(ofTick: tick), before: end) else {
            threads.append(MediaThread.startWhenPossible(name: "abandon") { opened.abandon() })
            return
        }
        let track = opened.begin(
            at: tick, start: start, clock: clock, codecs: opener.codecs, in: outputs)
        direction.commands.append(.addTrack(track, from: tick))
        direction.events.append(
            makeStartEvent(
                of: opened.planned.name, in: opened.planned.file, at: opened.planned.rate.time(ofTick: tick)))
    }

    /// Begins a microphone's track at the next unprocessed sample, which has the index `first`. If the microphone is
    /// new, its track begins with the audio captured from now on, because earlier audio may be missing.
    private func begin(
        _ opened: OpenedAudio, isNew: Bool, at first: Int64, before end: MediaTime?,
        direction: inout DirectorOutput
    ) {
        var feed = outputs.microphones.first { $0.role == opened.input.role }
        var heard = first
        if isNew {
            let now = clock.now
            heard = max(first, AudioGrid.samples.ticks(before: MediaTime(now, since: start)))
            opened.input.dropOldAudio()
            opened.input.redeliverOutage(since: now)
            opened.input.beginMonitoring(at: now)
            let new = opened.makeFeed(start: start, first: first, firstAudible: heard, taps: taps)
            direction.commands.append(.addMicrophone(new))
            feed = new
        }
        guard let microphone = feed else { return }
        guard let planned = opened.planned else {
            microphone.measure(
                with: opened.makeLoudnessStream(in: outputs, clock: clock, channels: microphone.channels))
            return
        }
        // If the previous track ends slightly later, the new track begins where the previous one ends.
        let begin = max(heard, microphone.tracks.last?.end ?? 0)
        let time = AudioGrid.samples.time(ofTick: begin)
        guard canBegin(planned.name, at: time, before: end) else {
            threads.append(MediaThread.startWhenPossible(name: "abandon") { opened.abandon() })
            return
        }
        opened.begin(
            planned, of: microphone, at: begin, date: opener.date,
            loudness: opened.makeLoudnessStream(in: outputs, clock: clock, channels: microphone.channels))
        direction.events.append(makeStartEvent(of: planned.name, in: planned.file, at: time))
    }

    /// Whether a track may begin. A track may not begin if it was stopped, or if the recording is known to
    /// end before the track would begin.
    private func canBegin(_ name: String, at time: MediaTime, before end: MediaTime?) -> Bool {
        !canceledTracks.contains(name) && end.map { time < $0 } ?? true
    }

    private func makeStartEvent(of name: String, in file: String, at time: MediaTime) -> SessionEvent {
        hasTrackChanges = true
        return SessionEvent(
            .split(
                SessionEvent.Split(track: name, file: file, text: "track \(name) starts in \(file).")),
            at: time)
    }

    /// Returns whether the manifest on the disks must be rewritten. Each reason for rewriting is reported
    /// only once.
    func consumeChange() -> Bool {
        defer { hasTrackChanges = false }
        return hasTrackChanges
    }

    /// Waits for files and encoders that are still being created, and removes these files and encoders
    /// because the recording has ended.
    func finish() {
        for thread in threads { thread.join() }
        for opening in openings.withLock({ $0 }) {
            switch opening {
            case .frames(let track, let isNew):
                track.abandon()
                if isNew != nil { inputs.add(track.input) }
            case .audio(let audio, let isNew):
                audio.abandon()
                if isNew { inputs.add(audio.input) }
            case .failed: break
            }
        }
    }
}
