internal import MulticamContainers
internal import MulticamEncoders
internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamProfiles
internal import MulticamSessionFolder
internal import MulticamTiming
internal import MulticamWriters

/// Owns one recording and runs its phases, from starting its devices to closing its files, on one of the session's threads:
///
/// | phase | type | thread | ends |
/// |---|---|---|---|
/// | starting | `RecordingPreparation` | timeline | at T0, or with an error |
/// | recording | `RunningRecording` | timeline | after the last tick |
/// | finishing | `FinishingRecording` | `session`, or `standby` if the devices are on standby | when all files are closed |
///
/// Each phase creates the next one, so a phase can't be skipped or repeated. `SessionStatus.Phase` reports the phase.
final class Recorder {
    private let context: RecordingContext
    /// End of the recording since T0; zero until it is known.
    private var end = MediaTime.zero

    private var inputs: SessionInputs { context.inputs }

    /// Creates a recording without starting its devices.
    ///
    /// - Parameter context: Plan, options, devices and disks of the recording.
    init(_ context: RecordingContext) {
        self.context = context
    }

    /// Records until the end, and closes all files. Blocks the calling thread, which must not be one of the
    /// session clock's threads.
    ///
    /// - Returns: The outcome of the recording.
    /// - Throws: The errors thrown by `record(then:)`.
    func run() throws(RecordingError) -> RecordingResult { try record { $0.finish() } }

    /// Runs the devices, taps, and synchronized outputs until the end without writing any files. The
    /// recording context must not have disks. Blocks the calling thread, like `run`.
    ///
    /// - Throws: The errors thrown by `record(then:)`.
    func runWithoutFiles() throws(RecordingError) { try record { $0.finishWithoutFiles() } }

    /// Runs the devices, outputs, and timeline until the end, then calls `finish` to close the recording.
    ///
    /// - Parameter finish: Closes the recording. The closure isn't called on the timeline's thread, and taps
    ///   still receive data while the closure runs.
    /// - Returns: The value of `finish`.
    /// - Throws: `RecordingError` when the recording can't begin: a device doesn't start or doesn't deliver
    ///   data, a file or an encoder can't be created, or a stop was requested before T0.
    private func record<Result>(then finish: (FinishingRecording) -> Result) throws(RecordingError) -> Result
    {
        let sinkThreads =
            context.usesStandbyDevices
            ? [] : context.sinks.start(with: context.codecs, isRealTime: context.clock.isRealTime)
        defer {
            context.sinks.taps.clearPacketHistory()
            if !context.usesStandbyDevices {
                warn(context.sinks.finish(sinkThreads, isRealTime: context.clock.isRealTime))
            }
        }
        let preparation = RecordingPreparation(
            context,
            encoders: try OutputAssembly.makeHardwareEncoders(of: context.plan, inputs, context.codecs))
        // The devices and the timeline begin at the same instant, so a simulated recording is reproducible.
        context.clock.hold()
        do {
            if !context.usesStandbyDevices { try inputs.start(on: context.clock) }
        } catch {
            context.clock.release()
            warn(SessionInputs.wait(for: inputs.stop(on: context.clock)))
            throw error
        }
        // While the timeline's thread uses the recording, this thread only waits. `join` transfers the
        // recording back to this thread.
        nonisolated(unsafe) let prepared = preparation
        nonisolated(unsafe) var outcome: Swift.Result<FinishingRecording, RecordingError>?
        let timeline: MediaThread
        do throws(ThreadError) {
            timeline = try context.clock.startThread(named: "timeline") {
                do throws(RecordingError) {
                    outcome = .success(try prepared.start().run())
                } catch {
                    outcome = .failure(error)
                }
            }
        } catch {
            context.clock.release()
            if !context.usesStandbyDevices {
                warn(SessionInputs.wait(for: inputs.stop(on: context.clock)))
            }
            throw .thread(error)
        }
        context.clock.release()
        timeline.join()
        // The devices stop while the files are being finalized.
        let stops = context.usesStandbyDevices ? [] : inputs.stop(on: context.clock)
        defer { warn(SessionInputs.wait(for: stops)) }
        guard let recorded = outcome else {
            preconditionFailure("the timeline ended without a result")
        }
        let finishing = try recorded.get()
        end = finishing.end
        return finish(finishing)
    }

    /// Sends warnings about handlers or devices that don't return. The event file doesn't contain them, because it may
    /// already be closed.
    private func warn(_ warnings: [String]) {
        for warning in warnings {
            context.publish(SessionEvent(warning: warning, at: end))
        }
    }

    /// Removes the session folders on all disks if the recording couldn't begin.
    func removeUnused() {
        for disk in context.disks {
            disk.reservedSpace.finish()
            _ = disk.folderWriter.finish()
            disk.folder.removeUnused()
        }
    }
}

/// The environment of a recording: plan, options, devices, disks, and the receivers of events and status.
struct RecordingContext {
    /// The plan at the start of the recording.
    let plan: SessionPlan
    /// The options of the recording, such as its duration.
    let options: RecordingOptions
    /// The session's clock: CLOCK_MONOTONIC, or a simulated one.
    let clock: any SessionClock
    /// Creates encoders, decoders, resamplers and slates.
    let codecs: any CodecFactory
    /// Stores requests from callers, such as markers, splits and stops, until the next tick.
    let controls: SessionControls
    /// Status of the live outputs.
    let liveOutputs: LiveOutputRegistry
    /// The devices of the recording.
    let inputs: SessionInputs
    /// The disks: the first disk holds the recording itself, and the second disk holds the backup. The list
    /// is empty for a session that runs without files.
    let disks: [RecordingDisk]
    /// The caller's taps and synchronized outputs.
    let sinks: SessionSinks
    /// Reads the computer's state to assess system pressure, or `nil` when pressure isn't monitored.
    let host: (any HostReading)?
    /// Whether the devices are already running before the recording and keep running after it, as on standby.
    let usesStandbyDevices: Bool
    /// Receives each event of the recording, in order.
    let publish: (SessionEvent) -> Void
    /// Called with the stream's name when x264 replaces the stream's hardware encoder.
    let onFallback: (String) -> Void
    /// Receives the status of the recording ten times per second.
    let report: (SessionStatus) -> Void

    /// Path of the recording's own session folder; `nil` when the session runs without files.
    var folder: String? { disks.first?.folder.path }

    /// Rate of the timeline's grid: the program's, or the first camera track's if the plan doesn't have a program;
    /// `nil` if only audio is recorded.
    var leadingRate: FrameRate? { plan.program?.settings.rate ?? plan.cameraTracks.first?.rate }

    /// Whether the governor runs. The governor must be enabled by the budget, and the session must have a
    /// real-time clock or a `host` that reports pressure.
    var isGoverned: Bool { plan.budget.governs && (clock.isRealTime || host != nil) }

    /// Sends an event to the event receiver and to the event file of each session folder.
    func record(_ event: SessionEvent) {
        publish(event)
        for disk in disks { disk.folderWriter.append(event) }
    }
}
