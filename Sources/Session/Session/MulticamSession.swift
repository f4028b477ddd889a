public import Media
public import Plan
internal import Profiles
public import SessionFolder
internal import Writers

/// Several cameras and microphones as one recording: runs a plan on its devices until it is stopped.
///
/// `record` starts the devices and stops them again. After `standBy` they run until `close`, and each `record` between makes a
/// session folder of its own, with the program as it was arranged last.
///
/// Decisions are taken here and on the timeline's thread; frames and audio never pass through the actor.
public actor MulticamSession {
    private let plan: SessionPlan
    private let cameras: [String: any CameraSource]
    private let microphones: [String: any MicrophoneSource]
    private let voices: [String: any MicrophoneSource]
    let options: RecordingOptions
    let clock: any SessionClock
    let codecs: any CodecFactory
    private let sinks: SessionSinks
    private let host: (any HostReading)?
    nonisolated let controls = SessionControls()
    private nonisolated let currentStatus = ConditionLock(SessionStatus())
    private nonisolated let currentFolder = ConditionLock<String?>(nil)
    nonisolated let running: ConditionLock<RunningPlan>
    /// By role, from the start of the devices on.
    nonisolated let cameraInputs = ConditionLock<[String: CameraInput]>([:])
    private nonisolated let eventSink: AsyncStream<SessionEvent>.Continuation
    private var standby: Standby?
    private var standbyThread: MediaThread?

    /// What happens, in order, from `started` on; on standby also between recordings, with times since that began. It ends with the recording, or with `close`; `finished` is
    /// the caller's to tell, since only it knows the exit status.
    public nonisolated let events: AsyncStream<SessionEvent>

    /// - Parameters:
    ///   - plan: What to record of which device.
    ///   - cameras: An opened source for each camera of the plan, by role.
    ///   - microphones: Likewise.
    ///   - voices: By role, the same microphones with something taken out of their sound: the program has that in their place.
    ///   - options: What the recording is given besides its plan: folder, name, duration.
    ///   - clock: `MonotonicClock` for real devices.
    ///   - machinery: Codecs.
    ///   - pictureTaps: Sinks of the calling program for what cameras capture.
    ///   - soundTaps: Sinks for aligned audio.
    ///   - metadataTaps: Sinks for what is known of each frame.
    ///   - synchronizedOutputs: Sinks for what several devices captured, tick by tick.
    ///   - host: The computer, to be asked how it is about once a second; `nil` asks nobody.
    public init(
        plan: SessionPlan, cameras: [String: any CameraSource], microphones: [String: any MicrophoneSource],
        voices: [String: any MicrophoneSource] = [:], options: RecordingOptions, clock: any SessionClock,
        codecs: any CodecFactory,
        frameTaps: [FrameTap] = [], audioTaps: [AudioTap] = [], metadataTaps: [MetadataTap] = [],
        synchronizedOutputs: [SynchronizedOutput] = [], host: (any HostReading)? = nil
    ) {
        self.plan = plan
        self.cameras = cameras
        self.microphones = microphones
        self.voices = voices
        self.options = options
        self.clock = clock
        self.codecs = codecs
        sinks = SessionSinks(
            frames: frameTaps, audioBlocks: audioTaps, metadata: metadataTaps,
            synchronized: synchronizedOutputs)
        self.host = host
        running = ConditionLock(RunningPlan(plan, devices: Self.devices(cameras)))
        (events, eventSink) = AsyncStream.makeStream()
    }

    /// Ends the recording properly, or the waiting of `standBy` for devices: what was captured until now is written.
    ///
    /// - Parameter time: When somebody asked for it, on the session's clock; `nil` means now.
    public nonisolated func stop(at time: ClockTime? = nil) { controls.stop(at: past(time)) }

    /// Takes back a request to stop that came too late for the recording that it meant: to be called before the next one.
    package nonisolated func forgetStop() { controls.forgetStop() }

    /// An instant that was told from outside is never one to come.
    private nonisolated func past(_ time: ClockTime?) -> ClockTime {
        let now = clock.now
        return time.map { min($0, now) } ?? now
    }

    /// Like `stop`, but frames that wait for an encoder are left out.
    public nonisolated func stopUrgently() { controls.stopUrgently(at: clock.now) }

    /// Remembers this instant under a name, in the manifest and the events.
    ///
    /// - Parameters:
    ///   - text: The name.
    ///   - time: When somebody asked for it, on the session's clock; `nil` means now.
    ///   - decided: Told whether the recording has it.
    public nonisolated func mark(
        _ text: String, at time: ClockTime? = nil, decided: ChangeDecision? = nil
    ) {
        controls.mark(SessionControls.MarkRequest(text: text, at: past(time), decided: decided))
    }

    /// Remembers a still that was taken out of the recording, in the manifest and the events.
    ///
    /// - Parameters:
    ///   - role: Its camera's.
    ///   - files: As they were written into the session folder; others are told with their whole path.
    public nonisolated func noteStill(of role: String, _ files: StillFolder.Files) {
        controls.noteStill(of: role, files)
    }

    /// Goes on in new files from now on, without losing a frame or a sample.
    ///
    /// - Parameters:
    ///   - time: When somebody asked for it, on the session's clock; `nil` means now.
    ///   - decided: Told whether the new files have begun.
    public nonisolated func split(at time: ClockTime? = nil, decided: ChangeDecision? = nil) {
        controls.split(SessionControls.SplitRequest(at: past(time), decided: decided))
    }

    private static func devices(_ cameras: [String: any CameraSource]) -> RunningDevices {
        RunningDevices(offers: cameras.filter(\.value.isChangeable).mapValues(\.device.formats))
    }

    /// Changes what the program shows and how it sounds, cameras and their tracks, all at once, at the tick of this instant. What is not
    /// named goes on without a gap. A camera takes its time to deliver otherwise, and a file to be made.
    ///
    /// - Parameters:
    ///   - changes: Applied one after the other. What is changed of cameras and tracks is of this recording alone, the arrangement
    ///     also of the next.
    ///   - time: When somebody asked for them, on the session's clock; `nil` means now.
    ///   - decided: Told whether the recording has come to them, unless they are refused.
    /// - Throws: What is wrong with one of them, or that the recording is over; none takes effect then, and `decided` is not told.
    public nonisolated func commit(
        _ changes: [SessionChange], at time: ClockTime? = nil, decided: ChangeDecision? = nil
    ) throws(SessionChangeError) {
        if controls.recordingTiming == nil, let change = changes.first(where: \.needsRecording) {
            throw SessionChangeError(
                "`\(change)` is for a recording, and nothing is being recorded at the moment.")
        }
        try change(as: changes.map(\.description), at: time, decided: decided) {
            (running) throws(SessionChangeError) in
            var orders: [SessionOrder] = []
            for change in changes { orders += try running.apply(change).map(SessionOrder.change) }
            return orders
        }
    }

    /// Makes the plan another, and says what is to be done for it.
    ///
    /// - Parameters:
    ///   - words: The changes as a person said them.
    ///   - time: When somebody asked for them; `nil` means now.
    ///   - decided: Told what becomes of them, unless this throws.
    ///   - body: Makes them. What it has made is forgotten when it throws.
    /// - Throws: What `body` does, or that the recording is over.
    nonisolated func change(
        as words: [String], at time: ClockTime? = nil, decided: ChangeDecision? = nil,
        _ body: (inout RunningPlan) throws(SessionChangeError) -> [SessionOrder]
    ) throws(SessionChangeError) {
        let asked = past(time)
        let controls = controls
        let result = running.withLock { running -> Result<ChangeOutcome?, SessionChangeError> in
            var changed = running
            changed.devices.slowestIntervals = controls.recordingTiming?.slowestIntervals ?? [:]
            do throws(SessionChangeError) {
                let orders = try body(&changed)
                let outcome = controls.exchange(
                    SessionControls.PlanRequest(
                        plan: changed.plan, words: words, orders: orders, at: asked, decided: decided))
                guard outcome != .ended else {
                    throw SessionChangeError(
                        "`\(words.joined(separator: ", "))` comes too late: the recording is over.")
                }
                running = changed
                return .success(outcome)
            } catch {
                return .failure(error)
            }
        }
        if let outcome = try result.get() { decided?(outcome) }
    }

    /// Makes the plan another, and waits until the recording has come to that. Not in a Swift task.
    ///
    /// - Returns: Whether it has; `false` when it ended before.
    /// - Throws: As `change`.
    nonisolated func changeAndWait(
        as words: [String], _ body: (inout RunningPlan) throws(SessionChangeError) -> [SessionOrder]
    ) throws(SessionChangeError) -> Bool {
        let outcome = ConditionLock<ChangeOutcome?>(nil)
        try change(as: words, decided: { decided in outcome.withLock { $0 = decided } }, body)
        while true {
            if let decided = outcome.withLock({ $0 }) { return decided != .ended }
            clock.sleep(until: clock.now + .milliseconds(10), unless: Cancellation())
        }
    }

    /// A camera was turned: the program turns its frames otherwise from the tick of this instant on. A file that is being written
    /// keeps its angle to its end; the camera's next one begins with this.
    ///
    /// - Parameters:
    ///   - role: The camera's.
    ///   - rotation: Turns its frames clockwise to be upright from now on.
    /// - Throws: Why the program cannot follow; the next file does all the same.
    public nonisolated func turn(_ role: String, to rotation: Rotation) throws(SessionChangeError) {
        let hasProgram = running.withLock { running in
            running.turn(role, to: rotation)
            return running.plan.program != nil
        }
        if hasProgram { try commit([.rotation(role: role, rotation)]) }
    }

    /// The plan as it runs, with all that was changed.
    public nonisolated var currentPlan: SessionPlan { running.withLock { $0.plan } }

    /// Puts what only the caller knows into `events`, after what has happened so far.
    public nonisolated func tell(_ event: SessionEvent) { eventSink.yield(event) }

    /// How it goes, at most 0.1 s old.
    public nonisolated var status: SessionStatus { currentStatus.withLock { $0 } }

    /// The session folder's path once it has been made.
    public nonisolated var folderPath: String? { currentFolder.withLock { $0 } }

    /// Starts the devices, which run from here on until `close`, whether anything is recorded or not. Only in real time, and once.
    ///
    /// - Throws: When a device does not deliver, or somebody asked to stop; all are stopped then.
    public func standBy() async throws(RecordingError) {
        precondition(clock.isRealTime, "nobody would know how long to stand by in simulated time")
        precondition(standby == nil, "the devices stand by already")
        controls.standBy()
        let inputs = Carried(try makeInputs())
        let standby = Standby(
            clock: clock,
            publish: { [eventSink] event in eventSink.yield(event) },
            report: { [currentStatus] status in currentStatus.withLock { $0 = status } })
        let (limit, controls) = (options.startTimeLimit, controls)
        let (sinks, codecs) = (sinks, codecs)
        var thread: MediaThread?
        let result: Result<Void, RecordingError> = await withCheckedContinuation { continuation in
            thread = MediaThread(name: "standby") {
                let threads = sinks.start(with: codecs)
                standby.run(inputs.value, limit: limit, controls: controls) {
                    continuation.resume(returning: $0)
                }
                sinks.finish()
                for thread in threads { thread.join() }
            }
        }
        do throws(RecordingError) {
            try result.get()
        } catch {
            eventSink.finish()
            throw error
        }
        (self.standby, standbyThread) = (standby, thread)
    }

    /// Stops the devices after the recording that runs, if one does, and ends the events. Nothing to do where they do not stand by.
    public func close() async {
        guard let standby, let thread = standbyThread else { return }
        (self.standby, standbyThread) = (nil, nil)
        standby.end()
        await withCheckedContinuation { continuation in
            _ = MediaThread(name: "closing") {
                thread.join()
                continuation.resume()
            }
        }
        eventSink.finish()
    }

    /// Records until stopped or until the duration is over.
    ///
    /// - Throws: When the recording could not begin; nothing is left behind then.
    public func record() async throws(RecordingError) -> RecordingResult {
        guard let standby else { return try await recordAlone() }
        defer {
            controls.renew()
            let devices = Self.devices(cameras)
            running.withLock { $0.renew(plan, devices: devices) }
        }
        controls.open()
        let make = try recorderMaker(lendsDevices: true)
        let result: Result<RecordingResult, RecordingError> = await withCheckedContinuation { continuation in
            standby.lend { continuation.resume(returning: Self.run(make($0))) }
        }
        return try result.get()
    }

    private func recordAlone() async throws(RecordingError) -> RecordingResult {
        defer {
            controls.tellEnd(of: controls.close())
            eventSink.finish()
        }
        let inputs = Carried(try makeInputs())
        let make = try recorderMaker(lendsDevices: false)
        let result: Result<RecordingResult, RecordingError> = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "session") { continuation.resume(returning: Self.run(make(inputs.value))) }
        }
        return try result.get()
    }

    private nonisolated static func run(_ recorder: Recorder) -> Result<RecordingResult, RecordingError> {
        do throws(RecordingError) {
            return .success(try recorder.run())
        } catch {
            recorder.removeUnused()
            return .failure(error)
        }
    }

    /// Makes the session folder.
    ///
    /// - Parameter lendsDevices: Whether devices run already, and go on.
    /// - Returns: What makes the recording, on the thread that runs it.
    /// - Throws: When the folder cannot be made, or what the caller listens with fits no plan.
    private func recorderMaker(
        lendsDevices: Bool
    ) throws(RecordingError) -> @Sendable (SessionInputs) -> Recorder {
        try checkSynchronizedRoles()
        let plan = currentPlan
        if options.copy?.content == .program, plan.program == nil { throw .nothingToCopy }
        let disks: [RecordingDisk]
        do throws(FileError) {
            let usual = SessionFolder.usualName(date: clock.date(of: clock.now), profile: plan.profile)
            disks = try makeDisks(name: options.name ?? usual)
        } catch {
            throw .file(error)
        }
        currentFolder.withLock { $0 = disks[0].folder.path }
        let (options, clock, codecs, controls) = (options, clock, codecs, controls)
        let (sinks, host, eventSink, currentStatus) = (sinks, host, eventSink, currentStatus)
        return { inputs in
            Recorder(
                RecordingContext(
                    plan: plan, options: options, clock: clock, codecs: codecs, controls: controls,
                    inputs: inputs, disks: disks, sinks: sinks, host: host, isLentDevices: lendsDevices,
                    publish: { event in eventSink.yield(event) },
                    report: { status in currentStatus.withLock { $0 = status } }))
        }
    }

    private func makeDisks(name: String) throws(FileError) -> [RecordingDisk] {
        func disk(_ index: Int, _ folder: SessionFolder, _ content: SafetyCopy.Content) -> RecordingDisk {
            RecordingDisk(
                index: index, folder: folder, limits: WriteLimits(total: options.writeMemory),
                content: content,
                waitsForRoom: !clock.isRealTime, beforeWrite: options.beforeWrite)
        }
        guard let copy = options.copy else {
            return [disk(0, try SessionFolder(in: options.parentFolder, name: name), .all)]
        }
        let (own, second) = try SessionFolder.pair(
            in: options.parentFolder, and: copy.parentFolder, name: name)
        return [disk(0, own, .all), disk(1, second, copy.content)]
    }

    private func checkSynchronizedRoles() throws(RecordingError) {
        let known = plan.cameras.map(\.role) + plan.microphones.map(\.role)
        for role in sinks.synchronized.flatMap(\.roles) where !known.contains(role) {
            throw .unknownRole(role, known: known)
        }
    }

    /// What is done where a camera does not take the format that it was asked for.
    nonisolated func onRefusal(of role: String) -> @Sendable (VideoFormat, VideoFormat) -> Void {
        { [running] refused, kept in running.withLock { $0.note(refused, of: role, goesOnIn: kept) } }
    }

    private func makeInputs() throws(RecordingError) -> sending SessionInputs {
        do throws(EncodingError) {
            var inputs: [CameraInput] = []
            for planned in plan.cameras {
                guard let source = cameras[planned.role] else {
                    preconditionFailure("no source was given for camera `\(planned.role)`")
                }
                inputs.append(
                    try CameraInput(
                        role: planned.role, source: source, latency: planned.latency,
                        decodes: source.format.pixel == .h264
                            && (plan.decodes(planned.role) || sinks.convertsAtTicks(planned.role)),
                        sharesDecoding: plan.sharesDecoding(planned.role),
                        taps: sinks.frames.filter { $0.role == planned.role },
                        keepsLog: planned.metadataFile != nil
                            || sinks.metadata.contains { $0.role == planned.role },
                        clock: clock, codecs: codecs, onRefusal: onRefusal(of: planned.role)))
            }
            let microphones = plan.microphones.map { planned in
                guard let source = self.microphones[planned.role] else {
                    preconditionFailure("no source was given for microphone `\(planned.role)`")
                }
                let input = MicrophoneInput(
                    role: planned.role, source: source, offset: planned.offset, pick: planned.pick,
                    clock: clock)
                input.limitSilence(to: plan.limits.silence)
                return input
            }
            let voices = plan.microphones.compactMap { planned in
                self.voices[planned.role].map {
                    MicrophoneInput(
                        role: planned.role, source: $0, offset: planned.offset, pick: [], clock: clock)
                }
            }
            cameraInputs.withLock { $0 = Dictionary(uniqueKeysWithValues: inputs.map { ($0.role, $0) }) }
            return SessionInputs(cameras: inputs, microphones: microphones, voices: voices)
        } catch {
            throw .encoding(error)
        }
    }
}
