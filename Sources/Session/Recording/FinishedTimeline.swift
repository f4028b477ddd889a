internal import Encoders
internal import Inputs
internal import Media
internal import SessionFolder

/// A recording whose last tick is decided. It waits for the encoders and disks, off the timeline's thread.
struct FinishedTimeline {
    private let recording: RunningRecording
    /// End of the recording since T0: the time after the last tick.
    private let end: MediaTime

    /// Takes over a recording from the timeline.
    ///
    /// - Parameters:
    ///   - recording: The recording.
    ///   - end: End of the recording since T0: the time after the last tick.
    init(recording: RunningRecording, end: MediaTime) {
        self.recording = recording
        self.end = end
    }

    /// Waits for the encoders, and closes the files. Blocks the calling thread.
    ///
    /// - Returns: The outcome of the recording.
    func finish() -> RecordingResult {
        let outputs = recording.outputs
        // The meter has next to nothing left to do, and the last status is to have all of its measurements.
        outputs.meter?.finish()
        outputs.meter?.join()
        recording.reportStatus(at: end, phase: .finishing)
        joinEncoders()
        return recording.close(at: end)
    }

    /// Waits for the encoders and the loudness meter of a session that ran without files. Blocks the calling thread.
    func finishWithoutFiles() {
        recording.outputs.meter?.finish()
        recording.outputs.meter?.join()
        recording.reportStatus(at: end, phase: .finishing)
        joinEncoders()
        recording.context.publications.end()
    }

    private func joinEncoders() {
        let workers = recording.outputs.encoderWorkers
        let watcher = watchUrgency(workers)
        for worker in workers { worker.join() }
        for (_, worker) in recording.outputs.namedAudioEncoders { worker.join() }
        watcher.cancel()
    }

    /// Abandons the encoders within 50 ms of an urgent request to stop, on a thread of its own.
    ///
    /// - Returns: Ends the watch when cancelled.
    private func watchUrgency(_ workers: [VideoEncoderWorker]) -> Cancellation {
        let done = Cancellation()
        let controls = recording.context.controls
        _ = MediaThread(name: "urgency") {
            let clock = MonotonicClock()
            while !controls.isUrgent {
                guard clock.sleep(until: clock.now + .milliseconds(50), unless: done) else { return }
            }
            for worker in workers { worker.abandon() }
        }
        return done
    }
}
