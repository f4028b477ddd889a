internal import MulticamEncoders
internal import MulticamMedia
internal import MulticamSessionFolder

/// Reports encoders that failed and were replaced, and ends tracks whose encoder could not be replaced. Use
/// this type only on the timeline's thread, until the encoders are joined.
final class EncoderDirector {
    private let outputs: SessionOutputs
    /// Earliest time of the next report about a stream, by stream name. The interval limits the number of
    /// reports about an encoder that repeatedly fails and recovers.
    private var due: [String: MediaTime] = [:]
    private var ended: Set<String> = []
    /// Whether a track has ended that is still listed as running in the manifest on the disks.
    private var hasNewEnds = false

    private static let recoveryReportInterval: Int64 = 5_000_000_000

    init(outputs: SessionOutputs) { self.outputs = outputs }

    /// Checks all encoders. Call this method as the timeline advances.
    ///
    /// - Parameter position: Progress of the recording.
    /// - Returns: The commands that end tracks without an encoder, and the events to send.
    func update(at position: MediaTime) -> DirectorOutput {
        var direction = DirectorOutput()
        for (name, worker, rate) in streams {
            if due[name].map({ position >= $0 }) ?? true, let recovery = worker.dequeueRecovery() {
                due[name] = MediaTime(nanoseconds: position.nanoseconds + Self.recoveryReportInterval)
                direction.events.append(SessionEvent(recovery, of: name, rate: rate))
            }
            if let conclusion = worker.earlyEnd, ended.insert(name).inserted {
                direction.commands.append(.endFailed(named: name, at: rate.time(ofTick: conclusion.tick)))
                hasNewEnds = true
                direction.events.append(SessionEvent(conclusion, of: name, rate: rate))
            }
        }
        return direction
    }

    /// Whether every track has ended because of a failed encoder, so that nothing is left to record.
    var mustEnd: Bool {
        guard !ended.isEmpty, outputs.synchronized.isEmpty, outputs.microphoneTracks.isEmpty else {
            return false
        }
        let open = outputs.cameraTracks.map(\.name).filter {
            outputs.failedEndTimes[$0] == nil && outputs.endTimes[$0] == nil
        }
        let isProgramOver = outputs.mixEncoder == nil && ended.contains(SyncHistory.program)
        return open.isEmpty && (outputs.program == nil || isProgramOver)
    }

    /// Checks all encoders for the last time, after the encoders have finished.
    func conclude(at end: MediaTime) -> DirectorOutput {
        due = [:]
        return update(at: end)
    }

    /// Returns whether the manifest on the disks must be rewritten. Each reason for rewriting is reported
    /// only once.
    func consumeChange() -> Bool {
        defer { hasNewEnds = false }
        return hasNewEnds
    }

    private var streams: [(name: String, worker: VideoEncoderWorker, rate: FrameRate)] {
        let tracks = outputs.cameraTracks.compactMap { track in
            (track as? EncodedTrack).map { (name: $0.name, worker: $0.encoder, rate: $0.rate) }
        }
        let program = outputs.program.map { (name: SyncHistory.program, worker: $0.encoder, rate: $0.rate) }
        return tracks + [program].compactMap(\.self)
    }
}
