public import Inputs
public import Media
internal import Monitoring
public import Plan
internal import Profiles
public import SessionFolder
public import Stills
internal import Writers

/// Records several cameras and microphones together: runs a plan on its devices until it is stopped.
///
/// `record` starts the devices and stops them again; `run` does the same and writes no files. After `standBy` they run
/// until `close`; each `record` in between makes a session folder of its own and begins with the program as it was
/// arranged last.
///
/// The actor and the timeline's thread take decisions; frames and audio never pass through the actor.
public actor MulticamSession {
    private let plan: SessionPlan
    private let cameras: [String: any CameraSource]
    private let microphones: [String: any MicrophoneSource]
    private let voices: [String: any MicrophoneSource]
    /// Options of its recordings.
    public nonisolated let options: RecordingOptions
    private var wished: RecordingOptions?
    let clock: any SessionClock
    let codecs: any CodecFactory
    let sinks: SessionSinks
    private let host: (any HostReading)?
    nonisolated let controls = SessionControls()
    nonisolated let publicationBoard = PublicationBoard()
    private nonisolated let currentStatus = ConditionLock(SessionStatus())
    private nonisolated let currentFolder = ConditionLock<String?>(nil)
    nonisolated let running: ConditionLock<RunningPlan>
    /// The cost as it was reckoned last, and of which plan.
    private nonisolated let knownCost = ConditionLock<(plan: RunningPlan, cost: HardwareCost?)?>(nil)
    /// The cameras' inputs by role, from the start of the devices on.
    nonisolated let cameraInputs = ConditionLock<[String: CameraInput]>([:])
    private nonisolated let eventSink: AsyncStream<SessionEvent>.Continuation
    private var standby: Standby?
    private var standbyThread: MediaThread?

    /// What happens, in order, from `started` on, with times since T0; on standby also between recordings, with times
    /// since the pause began. The stream ends with the recording, or after `standBy` with `close`. The caller sends
    /// `finished` itself, since only it knows the exit status.
    public nonisolated let events: AsyncStream<SessionEvent>

    /// Creates a session that records `plan` from opened devices.
    ///
    /// - Parameters:
    ///   - plan: What to record of which device.
    ///   - cameras: An opened source for each camera of the plan, by role.
    ///   - microphones: An opened source for each microphone of the plan, by role.
    ///   - voices: Sources of the same microphones without echo or noise, by role; the program mixes them in place of
    ///     the microphones.
    ///   - options: What the recording is given besides its plan: folder, name, duration.
    ///   - clock: The session clock: `MonotonicClock` for real devices.
    ///   - codecs: Makes encoders, decoders and resamplers.
    ///   - frameTaps: Sinks for frames that are attached from the beginning.
    ///   - audioTaps: Sinks for aligned audio that are attached from the beginning.
    ///   - metadataTaps: Sinks for the metadata of each frame that are attached from the beginning.
    ///   - synchronizedOutputs: Sinks of the calling program for what several devices captured, tick by tick.
    ///   - host: Reads the computer's state about once a second, for system pressure; `nil` reads nothing.
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
        sinks = SessionSinks(synchronized: synchronizedOutputs)
        for tap in frameTaps { sinks.taps.attach(tap) }
        for tap in audioTaps { sinks.taps.attach(tap) }
        for tap in metadataTaps { sinks.taps.attach(tap) }
        self.host = host
        running = ConditionLock(
            RunningPlan(
                plan, devices: Self.devices(cameras),
                budget: options.machine.map { RunningBudget(machine: $0, duration: options.duration) }))
        (events, eventSink) = AsyncStream.makeStream()
    }

    /// Ends the recording properly and writes what was captured until then; during `standBy`, ends the wait for
    /// devices.
    ///
    /// - Parameter time: When the end was asked for, on the session's clock; `nil`, or a time to come, means now.
    public nonisolated func stop(at time: ClockTime? = nil) { controls.stop(at: past(time)) }

    /// Cancels a request to stop that came too late for its recording. To be called before the next recording.
    package nonisolated func forgetStop() { controls.forgetStop() }

    /// Limits a time that a caller gave to the present; `nil` means now.
    private nonisolated func past(_ time: ClockTime?) -> ClockTime {
        let now = clock.now
        return time.map { min($0, now) } ?? now
    }

    /// Ends the recording like `stop`, but drops the frames that still wait for an encoder.
    public nonisolated func stopUrgently() { controls.stopUrgently(at: clock.now) }

    /// Notes a named instant in the manifest and the events.
    ///
    /// - Parameters:
    ///   - text: The name.
    ///   - time: The instant, on the session's clock; `nil`, or a time to come, means now.
    ///   - decided: Told whether the recording has the mark.
    public nonisolated func mark(
        _ text: String, at time: ClockTime? = nil, decided: ChangeDecision? = nil
    ) {
        controls.mark(SessionControls.MarkRequest(text: text, at: past(time), decided: decided))
    }

    /// Notes a still of the recording in the manifest and the events.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - files: The written files. Those in the session folder are noted by their relative paths, others by their
    ///     whole paths.
    public nonisolated func noteStill(of role: String, _ files: StillFolder.Files) {
        controls.noteStill(of: role, files)
    }

    /// Continues in new files from now on, without losing a frame or a sample.
    ///
    /// - Parameters:
    ///   - time: When the split was asked for, on the session's clock; `nil`, or a time to come, means now.
    ///   - decided: Told whether the new files have begun.
    public nonisolated func split(at time: ClockTime? = nil, decided: ChangeDecision? = nil) {
        controls.split(SessionControls.SplitRequest(at: past(time), decided: decided))
    }

    static func devices(_ cameras: [String: any CameraSource]) -> RunningDevices {
        RunningDevices(offers: cameras.filter(\.value.isChangeable).mapValues(\.device.formats))
    }

    /// Changes the program's layout and mix, cameras and their tracks, all at once at the tick of `time`. What is not
    /// named goes on without a gap. A camera needs some time to change its format, and a new file to be made.
    ///
    /// - Parameters:
    ///   - changes: Applied in order. Changes of cameras and tracks hold for this recording alone, the program's
    ///     arrangement also for the next.
    ///   - time: When the changes were asked for, on the session's clock; `nil`, or a time to come, means now.
    ///   - decided: Told whether the recording has come to the changes. Not called when this throws.
    /// - Throws: `SessionChangeError` when a change is not possible, or when the recording is over. No change takes
    ///   effect then.
    public nonisolated func commit(
        _ changes: [SessionChange], at time: ClockTime? = nil, decided: ChangeDecision? = nil
    ) throws(SessionChangeError) {
        if controls.recordingTiming == nil, let change = changes.first(where: \.needsRecording) {
            throw SessionChangeError(
                "`\(change)` is for a recording, and nothing is being recorded at the moment.")
        }
        let asked = changes.compactMap { change in
            if case .format(let role, _, _) = change { role } else { nil }
        }
        if folderPath == nil, let change = changes.first(where: \.beginsTrack) {
            throw SessionChangeError("`\(change)` is for a recording, and this session writes no files.")
        }
        try change(as: changes.map(\.description), asked: Set(asked), at: time, decided: decided) {
            (running) throws(SessionChangeError) in
            var orders: [SessionOrder] = []
            let before = running
            for change in changes { orders += try running.apply(change).map(SessionOrder.change) }
            running.noteUndone(since: before)
            return orders
        }
    }

    /// Replaces the plan, and hands the orders that follow from it to the timeline.
    ///
    /// - Parameters:
    ///   - words: The changes as a person said them.
    ///   - cameras: Roles of the cameras whose formats the changes name.
    ///   - time: When the changes were asked for; `nil` means now.
    ///   - decided: Told the outcome. Not called when this throws.
    ///   - body: Changes the plan and returns the orders. Its changes are discarded when it throws.
    /// - Throws: `SessionChangeError` from `body`, when the changed plan would be over budget, or when the recording is over.
    nonisolated func change(
        as words: [String], asked cameras: Set<String> = [], at time: ClockTime? = nil,
        decided: ChangeDecision? = nil,
        _ body: (inout RunningPlan) throws(SessionChangeError) -> [SessionOrder]
    ) throws(SessionChangeError) {
        let asked = past(time)
        let controls = controls
        let result = running.withLock { running -> Result<ChangeOutcome?, SessionChangeError> in
            var changed = running
            changed.devices.slowestIntervals = controls.recordingTiming?.slowestIntervals ?? [:]
            do throws(SessionChangeError) {
                var orders = try body(&changed)
                let kept = try changed.keepWithinBudget(
                    since: running, asked: cameras, words: words.joined(separator: ", "))
                orders += kept.orders.map(SessionOrder.change)
                let outcome = controls.exchange(
                    SessionControls.PlanRequest(
                        plan: changed.plan, words: words, orders: orders, cost: changed.cost?.total,
                        reductions: kept.reductions, at: asked, decided: decided))
                guard outcome != .ended else {
                    let words = words.joined(separator: ", ")
                    throw controls.standsBy && !kept.reductions.isEmpty
                        ? SessionChangeError(
                            "`\(words)` would be over budget, and on standby nothing is reduced for it: leave something out, or say it "
                                + "while a recording runs.", isOverBudget: true)
                        : SessionChangeError("`\(words)` comes too late: the recording is over.")
                }
                running = changed
                return .success(outcome)
            } catch {
                return .failure(error)
            }
        }
        if let outcome = try result.get() { decided?(outcome) }
    }

    /// Replaces the plan, and waits until the recording has come to the change. Blocks; not for Swift tasks.
    ///
    /// - Returns: Whether the change took effect; `false` when the recording ended before.
    /// - Throws: `SessionChangeError` from `body`, or when the recording is over.
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

    /// Tells the session that a camera was turned: from the present tick on, the program shows its frames upright
    /// again. A file that is being written keeps its orientation to its end; the camera's next file has the new one.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - rotation: Clockwise rotation that makes the camera's frames upright from now on.
    /// - Throws: `SessionChangeError` when the program cannot follow; the next file has the new orientation even
    ///   then.
    public nonisolated func turn(_ role: String, to rotation: Rotation) throws(SessionChangeError) {
        let hasProgram = running.withLock { running in
            running.turn(role, to: rotation)
            return running.plan.program != nil
        }
        if hasProgram { try commit([.rotation(role: role, rotation)]) }
    }

    /// The plan as it runs now, with all changes.
    public nonisolated var currentPlan: SessionPlan { running.withLock { $0.plan } }

    /// The hardware cost of the plan as it runs now, on the machine that it was planned for; `nil` where it was planned for none.
    ///
    /// It is reckoned anew with each change of cameras, microphones, their tracks, the program and live outputs, and only then.
    public nonisolated var hardwareCost: HardwareCost? {
        let running = running.withLock(\.self)
        if let known = knownCost.withLock({ $0 }), known.plan == running { return known.cost }
        let cost = running.cost
        knownCost.withLock { $0 = (running, cost) }
        return cost
    }

    /// The inputs of the cameras that are in the session now, by role.
    nonisolated var presentInputs: [String: CameraInput] {
        let roles = running.withLock { running in
            Set(running.plan.cameras.map(\.role)).subtracting(running.devices.removed)
        }
        return cameraInputs.withLock { $0 }.filter { roles.contains($0.key) }
    }

    /// The role that has the real camera at a node.
    package nonisolated func owner(of node: String) -> String? {
        presentInputs.first { _, input in
            let device = input.source.device
            return device.node == node && device.deviceType != .virtual
        }?.key
    }

    /// Takes over where cameras are connected that came after the session was planned.
    package nonisolated func learn(_ usb: USBTopology) { running.withLock { $0.budget?.learn(usb) } }

    /// Appends an event that only the caller knows of to `events`.
    public nonisolated func tell(_ event: SessionEvent) { eventSink.yield(event) }

    /// The state of the recording, at most 0.1 s old.
    public nonisolated var status: SessionStatus {
        var status = currentStatus.withLock { $0 }
        status.publications = publicationBoard.present
        return status
    }

    /// Path of the session folder, or `nil` until it has been made, and while the session runs without files.
    public nonisolated var folderPath: String? { currentFolder.withLock { $0 } }

    /// Starts the devices, which then run until `close`, whether anything is recorded or not. Needs a real-time
    /// clock, and may be called once.
    ///
    /// - Throws: `RecordingError.device` when a device does not deliver in time, `.stopped` when `stop` came first,
    ///   `.encoding` when a camera's stream has no decoder. All devices are stopped then.
    public func standBy() async throws(RecordingError) {
        precondition(clock.isRealTime, "nobody would know how long to stand by in simulated time")
        precondition(standby == nil, "the devices stand by already")
        controls.standBy()
        let inputs = Carried(try makeInputs())
        let standby = Standby(
            clock: clock,
            publish: { [eventSink] event in eventSink.yield(event) },
            report: { [currentStatus] status in currentStatus.withLock { $0 = status } },
            freeSpace: host.map { FreeSpaceWatch($0, of: options.parentFolder, clock: clock) },
            makeStage: { [clock, codecs, sinks, running] inputs in
                StandbyStage(
                    inputs, clock: clock, codecs: codecs, taps: sinks.taps,
                    plan: { running.withLock { $0.plan } })
            })
        let (limit, controls) = (options.startTimeLimit, controls)
        let (sinks, codecs) = (sinks, codecs)
        var thread: MediaThread?
        let result: Result<Void, RecordingError> = await withCheckedContinuation { continuation in
            thread = MediaThread(name: "standby") {
                let threads = sinks.start(with: codecs, isRealTime: self.clock.isRealTime)
                standby.run(inputs.value, limit: limit, controls: controls) {
                    continuation.resume(returning: $0)
                }
                sinks.finish(threads)
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

    /// Stops the devices after the recording that runs, if any, and ends `events`. Does nothing when the devices are
    /// not on standby.
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

    /// Records until `stop`, or until `options.duration` is over.
    ///
    /// - Parameter wish: Options in place of `options` for this recording; folder and name stay.
    /// - Returns: The outcome, when all files are closed.
    /// - Throws: `RecordingError` when the recording cannot begin; it leaves no files behind then. `.nothingToWrite` when
    ///   the plan has neither a program nor a track.
    public func record(with wish: RecordingOptions? = nil) async throws(RecordingError) -> RecordingResult {
        wished = wish
        return try await perform(writesFiles: true) { recorder throws(RecordingError) in try recorder.run() }
    }

    /// Runs the devices, the taps and the synchronised outputs until `stop`, or until `options.duration` is over, and
    /// writes nothing: no folder is made, whatever the plan records. A program is composed and encoded for taps, so leave it out
    /// of a plan whose program nobody wants. Changes of devices and of the program's arrangement
    /// are accepted as in a recording, and events are sent; system pressure is watched, and the governor gives up
    /// previews and what cameras deliver.
    ///
    /// - Throws: `RecordingError` when a device does not start or delivers nothing, or when a synchronised output names an
    ///   unknown role.
    public func run() async throws(RecordingError) {
        try await perform(writesFiles: false) { recorder throws(RecordingError) in
            try recorder.runWithoutFiles()
        }
    }

    /// Runs the devices from T0 to the end, as `use` does with them.
    private func perform<Outcome: Sendable>(
        writesFiles: Bool, _ use: @escaping @Sendable (Recorder) throws(RecordingError) -> Outcome
    ) async throws(RecordingError) -> Outcome {
        guard let standby else { return try await performAlone(writesFiles: writesFiles, use) }
        defer {
            controls.renew()
            // Cameras that were exchanged stay; cameras that were added are gone.
            let inputs = cameraInputs.withLock { $0 }.filter { cameras[$0.key] != nil }
            var devices = Self.devices(inputs.mapValues(\.source))
            devices.formats = inputs.filter { $0.value.exchangeCount > 0 }.mapValues(\.source.format)
            running.withLock { $0.renew(plan, devices: devices) }
        }
        controls.open()
        let make = try recorderMaker(lendsDevices: true, writesFiles: writesFiles)
        let result: Result<Outcome, RecordingError> = await withCheckedContinuation { continuation in
            standby.lend { continuation.resume(returning: Self.result(of: make($0), use)) }
        }
        return try result.get()
    }

    private func performAlone<Outcome: Sendable>(
        writesFiles: Bool, _ use: @escaping @Sendable (Recorder) throws(RecordingError) -> Outcome
    ) async throws(RecordingError) -> Outcome {
        defer {
            controls.tellEnd(of: controls.close())
            eventSink.finish()
        }
        let inputs = Carried(try makeInputs())
        let make = try recorderMaker(lendsDevices: false, writesFiles: writesFiles)
        let result: Result<Outcome, RecordingError> = await withCheckedContinuation { continuation in
            _ = MediaThread(name: "session") {
                continuation.resume(returning: Self.result(of: make(inputs.value), use))
            }
        }
        return try result.get()
    }

    private nonisolated static func result<Outcome>(
        of recorder: Recorder, _ use: (Recorder) throws(RecordingError) -> Outcome
    ) -> Result<Outcome, RecordingError> {
        do throws(RecordingError) {
            return .success(try use(recorder))
        } catch {
            recorder.removeUnused()
            return .failure(error)
        }
    }

    /// Makes the session folder, and the safety copy's, where files are written.
    ///
    /// - Parameters:
    ///   - lendsDevices: Whether the devices run already and go on after the recording.
    ///   - writesFiles: Whether files are written; otherwise only devices and sinks run.
    /// - Returns: A function that makes the recorder from the devices, on the thread that runs it.
    /// - Throws: `RecordingError` when a folder cannot be made, when there is nothing to write into it, or when a
    ///   synchronised output names an unknown role.
    private func recorderMaker(
        lendsDevices: Bool, writesFiles: Bool
    ) throws(RecordingError) -> @Sendable (SessionInputs) -> Recorder {
        try checkSynchronizedRoles()
        let plan: SessionPlan
        let disks: [RecordingDisk]
        if writesFiles {
            running.withLock { $0.beginFiles() }
            plan = currentPlan
            disks = try recordingDisks(of: plan)
        } else {
            running.withLock { $0.dropTracks() }
            plan = currentPlan
            disks = []
        }
        currentFolder.withLock { $0 = disks.first?.folder.path }
        let (options, clock, codecs, controls) = (wished ?? options, clock, codecs, controls)
        let (sinks, host, eventSink, currentStatus) = (sinks, host, eventSink, currentStatus)
        let (running, publications) = (running, publicationBoard)
        return { inputs in
            Recorder(
                RecordingContext(
                    plan: plan, options: options, clock: clock, codecs: codecs, controls: controls,
                    publications: publications, inputs: inputs, disks: disks, sinks: sinks, host: host,
                    isLentDevices: lendsDevices,
                    publish: { event in eventSink.yield(event) },
                    onFallback: { name in running.withLock { $0.noteFallback(ofStream: name) } },
                    report: { status in currentStatus.withLock { $0 = status } }))
        }
    }

    /// Makes the folders of a recording.
    private func recordingDisks(of plan: SessionPlan) throws(RecordingError) -> [RecordingDisk] {
        guard plan.writesAnything else { throw .nothingToWrite }
        if options.copy?.content == .program, plan.program == nil { throw .nothingToCopy }
        do throws(FileError) {
            let usual = SessionFolder.usualName(date: clock.date(of: clock.now), profile: plan.profile)
            return try makeDisks(name: options.name ?? usual)
        } catch {
            throw .file(error)
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

    /// Makes the handler that corrects the running plan when a camera refuses a format.
    nonisolated func onRefusal(of role: String) -> @Sendable (VideoFormat, VideoFormat) -> Void {
        { [running] refused, kept in running.withLock { $0.note(refused, of: role, goesOnIn: kept) } }
    }

    /// Checks a plan that the calling program may have built by hand.
    private func checkPlan() throws(RecordingError) {
        let missing =
            plan.cameras.map(\.role).filter { cameras[$0] == nil }
            + plan.microphones.map(\.role).filter { microphones[$0] == nil }
        let problems = currentPlan.validate() + missing.map { .missingSource(role: $0) }
        guard problems.isEmpty else { throw .plan(problems) }
    }

    private func makeInputs() throws(RecordingError) -> sending SessionInputs {
        try checkPlan()
        do throws(EncodingError) {
            var inputs: [CameraInput] = []
            for planned in plan.cameras {
                guard let source = cameras[planned.role] else { continue }
                inputs.append(
                    try CameraInput(
                        role: planned.role, source: source, latency: planned.latency,
                        decodes: source.format.pixel == .h264
                            && (plan.decodes(planned.role) || sinks.convertsAtTicks(planned.role)),
                        sharesDecoding: plan.sharesDecoding(planned.role),
                        taps: sinks.taps, keepsLog: planned.metadataFile != nil,
                        clock: clock, codecs: codecs, onRefusal: onRefusal(of: planned.role)))
            }
            let microphones = plan.microphones.compactMap { planned -> MicrophoneInput? in
                guard let source = self.microphones[planned.role] else { return nil }
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
