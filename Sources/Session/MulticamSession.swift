public import MulticamInputs
public import MulticamMedia
internal import MulticamMonitoring
public import MulticamPlan
internal import MulticamProfiles
public import MulticamSessionFolder
package import MulticamStills
internal import MulticamWriters

/// Records several cameras and microphones together, according to a plan, until the recording is stopped.
///
/// `record` starts the devices, and stops them at the end of the recording. `run` does the same without
/// writing files. After `standBy` the devices run until `close`; each `record` in between creates a separate
/// session folder and begins with the program's last arrangement. `startRecording` returns a `Recording` as soon as
/// the recording has begun.
///
/// A session does one thing at a time: while it records, another recording throws `RecordingError.busy`. A session
/// without standby ends with its recording, and a session on standby ends with `close` or when the last reference to it
/// is dropped; then its devices are closed, and further calls throw `RecordingError.ended`.
///
/// All methods may be called from any thread. Frames and audio stay on the session's own threads.
public final class MulticamSession: Sendable {
    private let plan: SessionPlan
    private let cameras: [String: any CameraSource]
    private let microphones: [String: any MicrophoneSource]
    private let voices: [String: any MicrophoneSource]
    /// Options for the session's recordings.
    package let options: RecordingOptions
    let clock: any SessionClock
    let codecs: any CodecFactory
    let sinks: SessionSinks
    private let host: (any HostReading)?
    let controls = SessionControls()
    let liveOutputRegistry = LiveOutputRegistry()
    /// Faces and codes in the cameras' frames, by role.
    let detections = ConditionLock<[String: CameraDetections]>([:])
    let analysisListeners = ConditionLock<[Int: AnalysisListener]>([:])
    /// Finds and opens the devices that are added to the session; `nil` if the session was created for opened devices.
    package let provider: (any DeviceProvider)?
    /// The stills of the session's cameras; `nil` if the session doesn't take stills.
    package let stills: SessionStills?
    /// Objects that the session keeps alive, such as the tracker of its cameras' rotation. They must not retain the session.
    private let companions = ConditionLock<[any Sendable]>([])
    private let currentStatus = ConditionLock(SessionStatus())
    private let currentFolder = ConditionLock<String?>(nil)
    let running: ConditionLock<RunningPlan>
    /// The last computed hardware cost, and the plan for which it was computed.
    private let cachedCost = ConditionLock<(plan: RunningPlan, cost: HardwareCost?)?>(nil)
    /// Inputs of the cameras by role, available once the devices have started.
    let cameraInputs = ConditionLock<[String: CameraInput]>([:])
    private let eventFeed = SessionEventFeed()
    private let lifecycle = ConditionLock(SessionLifecycle())
    /// The error of a tap that was passed to `init`, which every start throws.
    private let tapError = ConditionLock<SessionChangeError?>(nil)
    /// Completed when the session has ended.
    private let end = Completion<Void>()

    /// A new stream of the session's events in order, starting with `started`. Each listener receives all events
    /// in a separate stream; a listener that begins later first receives up to 4,096 earlier events.
    ///
    /// The times of events are relative to T0. On standby, the stream also contains events between recordings, whose
    /// times are relative to the start of the pause. The stream ends with the recording or, if `standBy` was called,
    /// with `close`. The event `finished` isn't part of it; the result of the recording takes its place.
    ///
    /// A task that contains `for await event in session.events` retains the session until the stream ends. Assign the
    /// stream to a constant outside the task if dropping the session must end it.
    public var events: AsyncStream<SessionEvent> { eventFeed.makeStream() }

    /// Creates a session that records `plan` from opened devices.
    ///
    /// - Parameters:
    ///   - plan: The tracks and program to record, and their devices.
    ///   - cameras: An opened source for each camera of the plan, by role.
    ///   - microphones: An opened source for each microphone of the plan, by role.
    ///   - voices: Sources of the same microphones with echo and noise removed, by role. The program mixes
    ///     these voice sources instead of the microphones.
    ///   - options: Settings of the recording that aren't in the plan: folder, name, duration.
    ///   - clock: The session clock: `MonotonicClock` for real devices.
    ///   - codecs: The codec factory, which creates encoders, decoders, and resamplers.
    ///   - frameTaps: Frame taps that are attached from the beginning. If a tap can't be attached, every start of the
    ///     session throws `RecordingError.tap`.
    ///   - audioTaps: Taps for aligned audio that are attached from the beginning.
    ///   - metadataTaps: Taps for the metadata of each frame that are attached from the beginning.
    ///   - synchronizedOutputs: Outputs that deliver the data of several devices together, tick by tick.
    ///   - host: Reads the computer's state about once per second to assess system pressure. `nil` disables the
    ///     assessment.
    ///   - provider: Finds and opens the devices that are added to the session.
    ///   - stills: Takes stills from the cameras. Its taps are attached from the beginning.
    package init(
        plan: SessionPlan, cameras: [String: any CameraSource], microphones: [String: any MicrophoneSource],
        voices: [String: any MicrophoneSource] = [:], options: RecordingOptions, clock: any SessionClock,
        codecs: any CodecFactory,
        frameTaps: [FrameTap] = [], audioTaps: [AudioTap] = [], metadataTaps: [MetadataTap] = [],
        synchronizedOutputs: [SynchronizedOutput] = [], host: (any HostReading)? = nil,
        provider: (any DeviceProvider)? = nil, stills: SessionStills? = nil
    ) {
        self.plan = plan
        self.cameras = cameras
        self.microphones = microphones
        self.voices = voices
        self.options = options
        self.clock = clock
        self.codecs = codecs
        sinks = SessionSinks(synchronized: synchronizedOutputs)
        self.host = host
        self.provider = provider
        self.stills = stills
        running = ConditionLock(
            RunningPlan(
                plan, devices: Self.devices(cameras),
                budget: options.machine.map { RunningBudget(machine: $0, duration: options.duration) }))
        do throws(SessionChangeError) {
            for tap in frameTaps + (stills?.taps ?? []) { try attach(tap) }
            for tap in audioTaps { try attach(tap) }
            for tap in metadataTaps { try attach(tap) }
        } catch {
            tapError.withLock { $0 = error }
        }
    }

    deinit {
        lifecycle.withLock { $0.standby }?.devices.end()
        eventFeed.finish()
        // The last reference may be released by a companion, under locks that the companion's own end needs.
        MediaThread.startWhenPossible(name: "closing") { [companions] in companions.withLock { $0 = [] } }
    }

    /// Ends the current recording or run cleanly, and writes all data that was captured before the end. If the session
    /// hasn't begun, or if `standBy` is waiting for devices, the start ends with `RecordingError.stopped`. On standby
    /// without a recording, the call has no effect.
    ///
    /// - Parameter time: When the end was requested, on the session's clock. `nil` or a time in the future means now.
    public func stop(at time: ClockTime? = nil) { stop(at: time, recording: nil) }

    /// Ends the recording with this number, or any current recording if the number is `nil`.
    func stop(at time: ClockTime?, recording number: Int?) {
        let time = clampedToNow(time)
        lifecycle.withLock { if $0.acceptsStop(of: number) { controls.stop(at: time) } }
    }

    /// Whether a recording or run is current, and whether the devices are on standby.
    package var lifecycleState: (isRecording: Bool, isStandby: Bool) {
        lifecycle.withLock { ($0.recording != nil, $0.standby != nil) }
    }

    /// Whether the session has ended, so that it accepts no more calls.
    package var hasEnded: Bool { lifecycle.withLock { $0.hasEnded } }

    /// Passes a request to the recording with this number.
    ///
    /// - Returns: Whether the recording accepts requests; `false` if it has ended or its files are being closed.
    func withRecording(_ number: Int, _ request: () -> Void) -> Bool {
        lifecycle.withLock { state in
            guard state.recording == number, controls.acceptsRequests else { return false }
            request()
            return true
        }
    }

    /// Whether the recording with this number is running.
    func isCurrent(_ number: Int) -> Bool { lifecycle.withLock { $0.recording == number } }

    /// Returns a caller's time, or the current time if the caller's time is in the future or `nil`.
    private func clampedToNow(_ time: ClockTime?) -> ClockTime {
        let now = clock.now
        return time.map { min($0, now) } ?? now
    }

    /// Ends the recording like `stop`, but drops frames still queued for an encoder.
    package func stopUrgently() {
        let now = clock.now
        lifecycle.withLock { if $0.acceptsStop(of: nil) { controls.stopUrgently(at: now) } }
    }

    /// Adds a marker to the manifest and the events.
    ///
    /// - Parameters:
    ///   - text: The marker's name.
    ///   - time: The marker's time, on the session's clock. `nil` or a time in the future means now.
    ///   - decided: Called with the outcome: whether the recording contains the marker.
    package func mark(
        _ text: String, at time: ClockTime? = nil, decided: ChangeCompletion? = nil
    ) {
        controls.mark(SessionControls.MarkerRequest(text: text, at: clampedToNow(time), decided: decided))
    }

    /// Adds a still of the recording to the manifest and the events.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - files: The written files. Files in the session folder are listed with relative paths, others with absolute
    ///     paths.
    package func registerStill(of role: String, _ files: StillFiles) {
        controls.registerStill(of: role, files)
    }

    /// Continues the recording in new files from now on, without losing a frame or a sample.
    ///
    /// - Parameters:
    ///   - time: When the split was requested, on the session's clock. `nil` or a time in the future means now.
    ///   - decided: Called with the outcome: whether the new files have begun.
    package func split(at time: ClockTime? = nil, decided: ChangeCompletion? = nil) {
        controls.split(SessionControls.SplitRequest(at: clampedToNow(time), decided: decided))
    }

    /// Keeps an object alive until the session ends, such as the tracker of its cameras' rotation.
    ///
    /// - Parameter companion: The object, which must not retain the session.
    package func keep(_ companion: some Sendable) { companions.withLock { $0.append(companion) } }

    /// Returns the object of a type that the session keeps alive; `nil` if there is none.
    package func companion<Companion: Sendable>(of type: Companion.Type) -> Companion? {
        companions.withLock { $0.lazy.compactMap { $0 as? Companion }.first }
    }

    /// The predicted cost of the initial plan, and the reductions of its quality; `nil` if no cost was predicted.
    public var reduction: PlanReduction? { options.reduction }

    static func devices(_ cameras: [String: any CameraSource]) -> RunningDevices {
        RunningDevices(offers: cameras.filter(\.value.canChangeFormat).mapValues(\.device.formats))
    }

    /// Changes the program's layout and mix, and the cameras and their tracks. All changes take effect at the
    /// tick of `time`. Everything not named in `changes` continues without a gap. Changing a camera's format
    /// and creating a file take some time.
    ///
    /// - Parameters:
    ///   - changes: The changes, which are applied in order. Changes to cameras and tracks apply only to the
    ///     current recording; changes to the program's arrangement also apply to the next recording.
    ///   - time: When the changes were requested, on the session's clock. `nil` or a time in the future means
    ///     now.
    /// - Returns: Whether the changes took effect, when this is certain: after the tick of the changes, or immediately if
    ///   nothing is being recorded.
    /// - Throws: `SessionChangeError` when a change isn't possible, or when the recording has ended. If an
    ///   error is thrown, no change takes effect.
    @discardableResult
    public func commit(
        _ changes: [SessionChange], at time: ClockTime? = nil
    ) async throws(SessionChangeError) -> ChangeOutcome {
        let (time, outcome) = (clampedToNow(time), Completion<ChangeOutcome>())
        try await MediaThread.perform(named: "commit") { () throws(SessionChangeError) in
            try self.apply(changes, at: time) { outcome.complete(with: $0) }
        }
        // A new session keeps its changes until it records, so there is nothing to wait for.
        if lifecycle.withLock(\.isNew) { return .nextRecording }
        return await outcome.value
    }

    /// Applies changes like `commit`, without waiting for the outcome. May compute for several milliseconds; don't call this
    /// method from a Swift task.
    ///
    /// - Parameters:
    ///   - changes: The changes, which are applied in order.
    ///   - time: When the changes were requested, on the session's clock. `nil` or a time in the future means
    ///     now.
    ///   - decided: Called with the outcome: whether the changes took effect in the recording. The closure
    ///     isn't called when this function throws an error.
    /// - Throws: The errors of `commit`.
    package func apply(
        _ changes: [SessionChange], at time: ClockTime? = nil, decided: ChangeCompletion? = nil
    ) throws(SessionChangeError) {
        if controls.recordingTiming == nil, let change = changes.first(where: \.needsRecording) {
            throw SessionChangeError(
                .notRunning, "`\(change)` works only during a recording, but nothing is being recorded.")
        }
        let asked = changes.compactMap { change in
            if case .format(let role, _, _) = change { role } else { nil }
        }
        if folderPath == nil, let change = changes.first(where: \.startsTrack) {
            throw SessionChangeError(
                .unsupported,
                "`\(change)` works only during a recording, and this session doesn't write files.")
        }
        for case .processing(let role, let processing) in changes {
            do throws(EncodingError) {
                try codecs.prepareSoundFilters(of: ProgramMix(processing: [role: processing]))
            } catch {
                throw SessionChangeError(
                    .failed,
                    "the audio of \(role.printable()) can't be processed: \(error.operation) failed (\(error.reason))."
                )
            }
        }
        try change(
            describedAs: changes.map(\.description), requestedCameras: Set(asked), at: time, decided: decided
        ) {
            (running) throws(SessionChangeError) in
            var orders: [SessionOrder] = []
            let before = running
            for change in changes { orders += try running.apply(change).map(SessionOrder.change) }
            running.storeUndoState(from: before)
            return orders
        }
        for case .removed(let role) in changes { stills?.remove(role) }
    }

    /// Replaces the plan and passes the resulting orders to the timeline.
    ///
    /// - Parameters:
    ///   - words: The texts of the changes as the user entered them.
    ///   - cameras: Roles of the cameras whose formats are changed.
    ///   - time: When the changes were requested; `nil` means now.
    ///   - decided: Called with the outcome. The closure isn't called when this function throws an error.
    ///   - body: Changes the plan and returns the orders. If the closure throws, the changes are discarded.
    /// - Throws: `SessionChangeError` when `body` throws it, when the changed plan would be over budget, or
    ///   when the recording has ended.
    func change(
        describedAs words: [String], requestedCameras cameras: Set<String> = [], at time: ClockTime? = nil,
        decided: ChangeCompletion? = nil,
        _ body: (inout RunningPlan) throws(SessionChangeError) -> [SessionOrder]
    ) throws(SessionChangeError) {
        let asked = clampedToNow(time)
        let controls = controls
        let result = running.withLock { running -> Result<ChangeOutcome?, SessionChangeError> in
            var changed = running
            changed.devices.slowestIntervals = controls.recordingTiming?.slowestIntervals ?? [:]
            do throws(SessionChangeError) {
                var orders = try body(&changed)
                let kept = try changed.fitToBudget(
                    since: running, requested: cameras, words: words.joined(separator: ", "))
                orders += kept.orders.map(SessionOrder.change)
                let outcome = controls.replacePlan(
                    SessionControls.PlanRequest(
                        plan: changed.plan, words: words, orders: orders, cost: changed.cost?.total,
                        reductions: kept.reductions, at: asked, decided: decided))
                guard outcome != .recordingEnded else {
                    let words = words.joined(separator: ", ")
                    throw controls.isOnStandby && !kept.reductions.isEmpty
                        ? SessionChangeError(
                            .overBudget,
                            "`\(words)` would exceed the budget, and quality isn't reduced on standby. Remove a device or an output first, or repeat the command during a recording."
                        )
                        : SessionChangeError(
                            .ended, "`\(words)` was not applied, because the recording has already ended.")
                }
                running = changed
                return .success(outcome)
            } catch {
                return .failure(error)
            }
        }
        if let outcome = try result.get() { decided?(outcome) }
    }

    /// Replaces the plan, and waits until the recording has reached the change. Blocks the calling thread;
    /// don't call this method from a Swift task.
    ///
    /// - Parameters:
    ///   - words: The text of the change as the user entered it.
    ///   - abandon: Removes files that were created for the change. This closure is called only when the
    ///     method throws an error. If no error is thrown, ownership of the files passes to the orders.
    ///   - body: Changes the plan and returns the orders.
    /// - Returns: Whether the change took effect; `false` if the recording ended first.
    /// - Throws: `SessionChangeError` when `body` throws it, when the changed plan would be over budget, or
    ///   when the recording has ended.
    func changeAndWait(
        describedAs words: [String], orAbandon abandon: () -> Void = {},
        _ body: (inout RunningPlan) throws(SessionChangeError) -> [SessionOrder]
    ) throws(SessionChangeError) -> Bool {
        let outcome = ConditionLock<ChangeOutcome?>(nil)
        do throws(SessionChangeError) {
            try change(describedAs: words, decided: { decided in outcome.withLock { $0 = decided } }, body)
        } catch {
            abandon()
            throw error
        }
        while true {
            if let decided = outcome.withLock({ $0 }) { return decided != .recordingEnded }
            clock.sleep(until: clock.now + .milliseconds(10), unless: Cancellation())
        }
    }

    /// Updates a camera's rotation. Starting with the current tick, the program shows the camera's frames
    /// upright again. A file that is being written keeps its orientation until it ends; the camera's next
    /// file has the new orientation.
    ///
    /// - Parameters:
    ///   - role: The camera's role.
    ///   - rotation: Clockwise rotation that makes the camera's frames upright from now on.
    /// - Throws: `SessionChangeError` when the program can't apply the rotation. Even if this error is
    ///   thrown, the camera's next file has the new orientation.
    package func rotate(_ role: String, to rotation: Rotation) throws(SessionChangeError) {
        let hasProgram = running.withLock { running in
            running.rotate(role, to: rotation)
            return running.plan.program != nil
        }
        if hasProgram { try apply([.rotation(role: role, rotation)]) }
    }

    /// The current plan, with all changes.
    public var currentPlan: SessionPlan { running.withLock { $0.plan } }

    /// Hardware cost of the current plan on the machine for which the plan was made; `nil` if the plan was
    /// made without a machine.
    ///
    /// The value is recomputed only when cameras, microphones, their tracks, the program or live outputs change.
    package var hardwareCost: HardwareCost? {
        let running = running.withLock(\.self)
        if let known = cachedCost.withLock({ $0 }), known.plan == running { return known.cost }
        let cost = running.cost
        cachedCost.withLock { $0 = (running, cost) }
        return cost
    }

    /// Inputs of the cameras currently in the session, by role.
    var presentInputs: [String: CameraInput] {
        let roles = running.withLock { running in
            Set(running.plan.cameras.map(\.role)).subtracting(running.devices.removed)
        }
        return cameraInputs.withLock { $0 }.filter { roles.contains($0.key) }
    }

    /// Returns the role that uses the physical camera at a device node.
    package func owner(of node: String) -> String? {
        presentInputs.first { _, input in
            let device = input.source.device
            return device.node == node && device.deviceType != .virtual
        }?.key
    }

    /// Updates the USB topology with cameras that were connected after the session was planned.
    package func setUSBTopology(_ usb: USBTopology) {
        running.withLock { $0.budget?.addUSBCameras(from: usb) }
    }

    /// Appends an event from the caller to `events`.
    package func publish(_ event: SessionEvent) { eventFeed.publish(event) }

    /// Status of the recording, no more than 0.1 s old unless the processor is overloaded.
    public var status: SessionStatus {
        var status = currentStatus.withLock { $0 }
        if let behind = status.fileLag, status.phase == .recording {
            status.fileLag = behind + (clock.now - status.takenAt)
        }
        status.liveOutputs = liveOutputRegistry.statuses
        let found = detections.withLock { $0 }
        for index in status.cameras.indices {
            status.cameras[index].analysis = found[status.cameras[index].role]?.current(at: clock.now)
        }
        return status
    }

    /// Whether the governor has reduced the rate at which frames are searched.
    package var isAnalysisReduced: Bool {
        currentStatus.withLock { $0.measures.contains { $0.action == .analysis } }
    }

    /// Path of the session folder; `nil` before the folder is created and while the session is running
    /// without files.
    public var folderPath: String? { currentFolder.withLock { $0 } }

    // MARK: Lifecycle

    /// Starts the devices, which then run until `close`, with or without a recording. Requires a real-time
    /// clock. If the task is canceled while it waits for the devices, they are stopped.
    ///
    /// - Throws: `RecordingError.device` when a device doesn't deliver data in time, `.stopped` when `stop` or `close`
    ///   is called first, `.encoding` when a camera's stream can't be decoded. After these errors all devices are stopped
    ///   and the session has ended. `.busy` and `.ended` when the session can't be started, `.clockNotRealTime` with a
    ///   simulated clock; these have no effect.
    public func standBy() async throws(RecordingError) {
        guard clock.isRealTime else { throw .clockNotRealTime }
        try update { (state) throws(RecordingError) in try state.beginStandby() }
        let result = await withTaskCancellationHandler {
            await startStandby()
        } onCancel: {
            let now = clock.now
            lifecycle.withLock { if $0.isStartingStandby { controls.stop(at: now) } }
        }
        if case .failure(let error) = result {
            endSession()
            throw error
        }
        announceStandby()
    }

    /// Sends the event `standby`.
    private func announceStandby() {
        if options.announcesStandby { publish(SessionEvent(.standby(SessionEvent.Standby()), at: .zero)) }
    }

    private func startStandby() async -> Result<Void, RecordingError> {
        controls.standBy()
        let inputs: Carried<SessionInputs>
        do throws(RecordingError) {
            inputs = Carried(try makeInputs())
        } catch {
            return .failure(error)
        }
        let devices = Standby(
            clock: clock,
            publish: { [eventFeed] event in eventFeed.publish(event) },
            report: { [currentStatus] status in currentStatus.withLock { $0 = status } },
            freeSpace: host.map { FreeSpaceMonitor($0, of: options.parentFolder, clock: clock) },
            makeStage: { [clock, codecs, sinks, running] inputs in
                StandbyStage(
                    inputs, clock: clock, codecs: codecs, taps: sinks.taps,
                    plan: { running.withLock { $0.plan } })
            })
        let (limit, controls, sinks, codecs) = (options.startTimeLimit, controls, sinks, codecs)
        let eventFeed = eventFeed
        let started = Completion<Result<Void, RecordingError>>()
        // The thread must not retain the session, which ends standby when it is dropped.
        let thread: MediaThread
        do throws(ThreadError) {
            thread = try MediaThread(name: "standby") {
                let threads = sinks.start(with: codecs, isRealTime: true)
                devices.run(inputs.value, limit: limit, controls: controls) { started.complete(with: $0) }
                for warning in sinks.finish(threads, isRealTime: true) {
                    eventFeed.publish(SessionEvent(warning: warning, at: .zero))
                }
            }
        } catch {
            return .failure(.thread(error))
        }
        let result = await started.value
        let isStopped = lifecycle.withLock { state in
            guard case .success = result, !state.isClosing, controls.stopTime == nil else { return true }
            state.finishStarting(devices, thread)
            return false
        }
        guard isStopped else { return result }
        devices.end()
        await Self.join(thread)
        if case .success = result { return .failure(.stopped) }
        return result
    }

    /// Waits for a thread without blocking the calling task.
    private static func join(_ thread: MediaThread) async {
        await MediaThread.perform(named: "closing") { thread.join() }
    }

    /// Ends the session: stops the devices, and ends `events`. A current recording first continues to its own end, unless
    /// `stopsRecording` is `true`. Further recordings throw `RecordingError.ended` from now on.
    ///
    /// - Parameter stopsRecording: Whether a current recording or run is stopped. It is closed like every other.
    public func close(stopsRecording: Bool = false) async {
        let now = clock.now
        let (standby, isActive) = lifecycle.withLock { state in
            state.beginClosing()
            if state.isStartingStandby || (stopsRecording && state.recording != nil) {
                controls.stop(at: now)
            }
            return (state.standby, state.isStartingStandby || state.recording != nil)
        }
        guard let standby else {
            if isActive { await end.value } else { endSession() }
            return
        }
        standby.devices.end()
        await Self.join(standby.thread)
        endSession()
    }

    /// Ends the session after its devices were stopped.
    private func endSession() {
        lifecycle.withLock { $0.end() }
        controls.end()
        eventFeed.finish()
        end.complete(with: ())
    }

    /// Changes the state, if the change is possible.
    private func update<Value: Sendable>(
        _ change: (inout SessionLifecycle) throws(RecordingError) -> Value
    ) throws(RecordingError) -> Value {
        let result = lifecycle.withLock { state -> Result<Value, RecordingError> in
            do throws(RecordingError) {
                return .success(try change(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Records until `stop`, or until the duration has elapsed. If the task is canceled, the recording is
    /// stopped, its files are closed, and its result is returned.
    ///
    /// - Parameters:
    ///   - folder: Path of the parent folder of the session folder. `nil` means the folder in `options`.
    ///   - duration: Duration of the recording from T0. `nil` means the duration in `options`. The plan and its cost were
    ///     computed for the folder and the duration in `options`.
    /// - Returns: The outcome, after all files are closed.
    /// - Throws: `RecordingError` when the recording can't begin, in which case no files are left behind. The
    ///   error is `.nothingToWrite` when the plan has neither a program nor a track, `.busy` or `.ended` when the
    ///   session can't record now, and `.stopped` when the task is canceled before T0.
    public func record(
        in folder: String? = nil, duration: Duration? = nil
    ) async throws(RecordingError) -> RecordingResult {
        try await record(with: options.replacing(folder: folder, duration: duration))
    }

    /// Records with other options; see `record(in:duration:)`.
    package func record(with options: RecordingOptions) async throws(RecordingError) -> RecordingResult {
        let recording = try beginRecording(with: options)
        return try await outcome(of: recording.outcome, number: recording.number)
    }

    /// Starts a recording, and returns when it has begun.
    ///
    /// The recording continues until `Recording.stop`, `stop`, or until the duration has elapsed, even if the
    /// handle is dropped.
    ///
    /// - Parameters:
    ///   - folder: Path of the parent folder of the session folder. `nil` means the folder in `options`.
    ///   - duration: Duration of the recording from T0. `nil` means the duration in `options`. The plan and its cost were
    ///     computed for the folder and the duration in `options`.
    /// - Returns: A handle of the recording.
    /// - Throws: The errors of `record(in:duration:)`. If the task is canceled before the recording has begun, `.stopped`.
    public func startRecording(
        in folder: String? = nil, duration: Duration? = nil
    ) async throws(RecordingError) -> Recording {
        try await startRecording(with: options.replacing(folder: folder, duration: duration))
    }

    /// Starts a recording with other options; see `startRecording(in:duration:)`.
    package func startRecording(with options: RecordingOptions) async throws(RecordingError) -> Recording {
        let recording = try beginRecording(with: options)
        let startTime = await withTaskCancellationHandler {
            await recording.start.value
        } onCancel: {
            recording.stop()
        }
        if startTime == nil { _ = try await recording.result }
        return recording
    }

    /// Starts a recording without waiting until it has begun.
    ///
    /// - Parameter replacement: The options of this recording. `nil` means the session's options.
    /// - Returns: A handle of the recording. Its `result` throws the error of a recording that couldn't begin.
    /// - Throws: The errors that are known before the devices start; see `record(in:duration:)`.
    package func beginRecording(with replacement: RecordingOptions? = nil) throws(RecordingError) -> Recording
    {
        let start = Completion<ClockTime?>()
        let (number, outcome) = try begin(
            with: replacement ?? options, writesFiles: true, notifying: start
        ) { recorder throws(RecordingError) in
            try recorder.run()
        }
        return Recording(of: self, number: number, start: start, outcome: outcome)
    }

    /// Runs the devices, the taps, and the synchronized outputs until `stop`, or until `options.duration` has
    /// elapsed, without writing anything. No folder is created, even if the plan has tracks. A program in the
    /// plan is composed and encoded for taps, so omit the program if no tap uses it. As in a recording,
    /// changes to devices and to the program's arrangement are accepted, and events are sent. System pressure
    /// is monitored, and the governor reduces previews and the formats of cameras. If the task is canceled, the run is
    /// stopped.
    ///
    /// - Throws: `RecordingError` when a device doesn't start or doesn't deliver data, or when a synchronized
    ///   output names an unknown role; `.busy` or `.ended` when the session can't run now.
    public func run() async throws(RecordingError) {
        let (number, outcome) = try begin(
            with: options, writesFiles: false, notifying: Completion<ClockTime?>()
        ) {
            recorder throws(RecordingError) in
            try recorder.runWithoutFiles()
        }
        try await self.outcome(of: outcome, number: number)
    }

    /// Waits for the end of a recording or run. Stops it if the task is canceled.
    private func outcome<Outcome: Sendable>(
        of completion: Completion<Result<Outcome, RecordingError>>, number: Int
    ) async throws(RecordingError) -> Outcome {
        let result = await withTaskCancellationHandler {
            await completion.value
        } onCancel: {
            stop(at: nil, recording: number)
        }
        return try result.get()
    }

    /// Creates the recorder and runs it, from the start of the devices until all files are closed, on the standby thread or
    /// on a separate thread.
    ///
    /// - Parameters:
    ///   - options: Options of the recording.
    ///   - writesFiles: Whether files are written.
    ///   - start: Receives T0 at T0, or `nil` if the recording ends earlier.
    ///   - use: Runs the recorder.
    /// - Returns: The number of the recording, and its outcome.
    /// - Throws: The errors that are known before the devices start.
    private func begin<Outcome: Sendable>(
        with options: RecordingOptions, writesFiles: Bool, notifying start: Completion<ClockTime?>,
        _ use: @escaping @Sendable (Recorder) throws(RecordingError) -> Outcome
    ) throws(RecordingError) -> (number: Int, outcome: Completion<Result<Outcome, RecordingError>>) {
        if let duration = options.duration, duration <= .zero { throw .invalidDuration(duration) }
        let (number, standby) = try update { (state) throws(RecordingError) in
            (try state.beginRecording(), state.standby?.devices)
        }
        let outcome = Completion<Result<Outcome, RecordingError>>()
        let finish: @Sendable (Result<Outcome, RecordingError>) -> Void = { result in
            self.endRecording()
            start.complete(with: nil)
            outcome.complete(with: result)
        }
        do throws(RecordingError) {
            if let standby {
                controls.open()
                let make = try makeRecorderFactory(
                    for: options, usesStandbyDevices: true, writesFiles: writesFiles, notifying: start)
                standby.lend { inputs in
                    finish(inputs.map { Self.result(of: make($0), use) } ?? .failure(.stopped))
                }
                return (number, outcome)
            }
            let inputs = Carried(try makeInputs())
            let make = try makeRecorderFactory(
                for: options, usesStandbyDevices: false, writesFiles: writesFiles, notifying: start)
            do throws(ThreadError) {
                _ = try MediaThread(name: "session") { finish(Self.result(of: make(inputs.value), use)) }
            } catch {
                throw .thread(error)
            }
            return (number, outcome)
        } catch {
            endRecording()
            throw error
        }
    }

    /// Prepares the session for the next recording on standby, or ends it.
    private func endRecording() {
        // Cameras that replaced others remain in the session after a recording; cameras that were added
        // are removed.
        let inputs = cameraInputs.withLock { $0 }.filter { cameras[$0.key] != nil }
        var devices = Self.devices(inputs.mapValues(\.source))
        devices.formats = inputs.filter { $0.value.replacementCount > 0 }.mapValues(\.source.format)
        let (hasEnded, dropped) = lifecycle.withLock { state in
            if state.standby != nil { running.withLock { $0.reset(to: plan, devices: devices) } }
            state.endRecording()
            return (state.hasEnded, controls.reset())
        }
        controls.notifyEnd(of: dropped)
        stills?.reset()
        if hasEnded { endSession() } else { announceStandby() }
    }

    private static func result<Outcome>(
        of recorder: Recorder, _ use: (Recorder) throws(RecordingError) -> Outcome
    ) -> Result<Outcome, RecordingError> {
        do throws(RecordingError) {
            return .success(try use(recorder))
        } catch {
            recorder.removeUnused()
            return .failure(error)
        }
    }

    /// Creates the session folder, and the backup's folder, if files are written.
    ///
    /// - Parameters:
    ///   - options: Options of the recording.
    ///   - usesStandbyDevices: Whether the devices are already running and continue after the recording.
    ///   - writesFiles: Whether files are written. If `false`, only devices, taps, and synchronized outputs run.
    ///   - start: Receives T0 at T0.
    /// - Returns: A function that creates the recorder from the devices, on the thread that runs it.
    /// - Throws: `RecordingError` when a folder can't be created, when there is nothing to write, or when a
    ///   synchronized output names an unknown role.
    private func makeRecorderFactory(
        for options: RecordingOptions, usesStandbyDevices: Bool, writesFiles: Bool,
        notifying start: Completion<ClockTime?>
    ) throws(RecordingError) -> @Sendable (SessionInputs) -> Recorder {
        try checkSynchronizedRoles()
        let plan: SessionPlan
        let disks: [RecordingDisk]
        if writesFiles {
            running.withLock { $0.prepareForRecording() }
            plan = currentPlan
            disks = try recordingDisks(of: plan, options)
        } else {
            running.withLock { $0.removeTracks() }
            plan = currentPlan
            disks = []
        }
        currentFolder.withLock { $0 = disks.first?.folder.path }
        let (clock, codecs, controls) = (clock, codecs, controls)
        let (sinks, host, eventFeed, currentStatus) = (sinks, host, eventFeed, currentStatus)
        let (running, liveOutputs) = (running, liveOutputRegistry)
        return { inputs in
            Recorder(
                RecordingContext(
                    plan: plan, options: options, clock: clock, codecs: codecs, controls: controls,
                    liveOutputs: liveOutputs, inputs: inputs, disks: disks, sinks: sinks, host: host,
                    usesStandbyDevices: usesStandbyDevices,
                    publish: { event in
                        eventFeed.publish(event)
                        if case .started(let started) = event.content {
                            start.complete(
                                with: clock.time(stamped: ClockTime(nanoseconds: started.t0_monotonic_ns)))
                        }
                    },
                    onFallback: { name in running.withLock { $0.recordFallback(ofStream: name) } },
                    report: { status in currentStatus.withLock { $0 = status } }))
        }
    }

    /// Creates the folders of a recording.
    private func recordingDisks(
        of plan: SessionPlan, _ options: RecordingOptions
    ) throws(RecordingError) -> [RecordingDisk] {
        guard plan.writesAnything else { throw .nothingToWrite }
        if options.backup?.content == .program, plan.program == nil { throw .nothingToBackUp }
        do throws(FileError) {
            let usual = SessionFolder.defaultName(date: clock.date(of: clock.now), profile: plan.profile)
            return try makeDisks(options, name: options.name ?? usual)
        } catch {
            throw .file(error)
        }
    }

    private func makeDisks(_ options: RecordingOptions, name: String) throws(FileError) -> [RecordingDisk] {
        func disk(_ index: Int, _ folder: SessionFolder, _ content: Backup.Content) -> RecordingDisk {
            RecordingDisk(
                index: index, folder: folder, limits: WriteLimits(total: options.writeMemory),
                content: content,
                waitsForRoom: !clock.isRealTime, beforeWrite: options.beforeWrite)
        }
        guard let backup = options.backup else {
            return [disk(0, try SessionFolder(in: options.parentFolder, name: name), .all)]
        }
        let (own, second) = try SessionFolder.pair(
            in: options.parentFolder, and: backup.parentFolder, name: name)
        return [disk(0, own, .all), disk(1, second, backup.content)]
    }

    private func checkSynchronizedRoles() throws(RecordingError) {
        let known = plan.cameras.map(\.role) + plan.microphones.map(\.role)
        for role in sinks.synchronized.flatMap(\.roles) where !known.contains(role) {
            throw .unknownRole(role, known: known)
        }
    }

    /// Returns a handler that corrects the running plan when a camera rejects a format.
    func makeRefusalHandler(for role: String) -> @Sendable (VideoFormat, VideoFormat) -> Void {
        { [running] refused, kept in
            running.withLock { $0.recordRejectedFormat(refused, of: role, keeping: kept) }
        }
    }

    /// Validates a plan that the caller may have built manually.
    private func checkPlan() throws(RecordingError) {
        if let error = tapError.withLock({ $0 }) { throw .tap(error) }
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
                        clock: clock, codecs: codecs, onRefusal: makeRefusalHandler(for: planned.role)))
            }
            let microphones = plan.microphones.compactMap { planned -> MicrophoneInput? in
                guard let source = self.microphones[planned.role] else { return nil }
                let input = MicrophoneInput(
                    role: planned.role, source: source, offset: planned.offset,
                    sourceChannels: planned.sourceChannels,
                    clock: clock)
                input.limitSilence(to: plan.limits.silence)
                return input
            }
            let voices = plan.microphones.compactMap { planned in
                self.voices[planned.role].map {
                    MicrophoneInput(
                        role: planned.role, source: $0, offset: planned.offset, sourceChannels: [],
                        clock: clock)
                }
            }
            cameraInputs.withLock { $0 = Dictionary(uniqueKeysWithValues: inputs.map { ($0.role, $0) }) }
            return SessionInputs(cameras: inputs, microphones: microphones, voices: voices)
        } catch {
            throw .encoding(error)
        }
    }
}
