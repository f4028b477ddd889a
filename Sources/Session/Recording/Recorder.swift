internal import Containers
internal import Encoders
internal import Inputs
internal import Media
internal import SessionFolder
internal import Writers

/// One recording from the start of its devices to its closed files, on a thread of the session's.
///
/// `RecordingPreparation` brings it to T0, and `RunningRecording` from there to its end, both on the timeline's
/// thread; `FinishedTimeline` closes it.
final class Recorder {
    private let context: RecordingContext

    private var inputs: SessionInputs { context.inputs }

    /// Creates a recording without starting its devices.
    ///
    /// - Parameter context: Plan, options, devices and disks of the recording.
    init(_ context: RecordingContext) {
        self.context = context
    }

    /// Records until the end, and closes all files. Blocks the calling thread, which must not be one of the session clock's.
    ///
    /// - Returns: The outcome of the recording.
    /// - Throws: As `follow(then:)`.
    func run() throws(RecordingError) -> RecordingResult { try follow { $0.finish() } }

    /// Runs devices and sinks until the end without writing anything, for a context without disks. Blocks as `run` does.
    ///
    /// - Throws: As `follow(then:)`.
    func runWithoutFiles() throws(RecordingError) { try follow { $0.finishWithoutFiles() } }

    /// Runs devices, sinks and timeline until the end, and has `finish` close what was made.
    ///
    /// - Parameter finish: Closes the recording, off the timeline's thread, while the sinks still run.
    /// - Returns: The value of `finish`.
    /// - Throws: `RecordingError` when the recording does not begin: a device does not start or delivers nothing, a file or an
    ///   encoder cannot be made, or a stop was requested first.
    private func follow<Result>(then finish: (FinishedTimeline) -> Result) throws(RecordingError) -> Result {
        let sinkThreads =
            context.isLentDevices
            ? [] : context.sinks.start(with: context.codecs, isRealTime: context.clock.isRealTime)
        defer {
            context.sinks.taps.endPackets()
            if !context.isLentDevices { context.sinks.finish(sinkThreads) }
        }
        let preparation = RecordingPreparation(
            context, encoders: try OutputAssembly.hardwareEncoders(of: context.plan, inputs, context.codecs))
        // Devices and timeline begin at one instant, so that a simulated recording is repeatable.
        context.clock.hold()
        do {
            if !context.isLentDevices { try inputs.start(on: context.clock) }
        } catch {
            context.clock.release()
            for stop in inputs.stop(on: context.clock) { stop.join() }
            throw error
        }
        // This thread only waits while the timeline's uses the recording: `join` hands it over and back.
        nonisolated(unsafe) let prepared = preparation
        nonisolated(unsafe) var outcome: Swift.Result<FinishedTimeline, RecordingError>?
        let timeline = context.clock.startThread(named: "timeline") {
            do throws(RecordingError) {
                outcome = .success(try prepared.begin().follow())
            } catch {
                outcome = .failure(error)
            }
        }
        context.clock.release()
        timeline.join()
        // The files are finished meanwhile.
        let stops = context.isLentDevices ? [] : inputs.stop(on: context.clock)
        defer { for stop in stops { stop.join() } }
        guard let recorded = outcome else {
            preconditionFailure("the timeline ended without a result")
        }
        return finish(try recorded.get())
    }

    /// Removes the session folders of a recording that did not begin, on all disks.
    func removeUnused() {
        for disk in context.disks {
            disk.room.finish()
            _ = disk.folderWriter.finish()
            disk.folder.removeUnused()
        }
    }
}
