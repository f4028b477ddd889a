internal import Encoders
internal import Media
internal import SessionFolder

/// Tells of encoders that failed and were replaced, and ends the tracks for which no encoder would go on. Timeline's
/// thread only, until the encoders are joined.
final class EncoderDirector {
    private let timeline: Timeline
    private let outputs: SessionOutputs
    /// When a stream may be told of again, by its name: an encoder that fails and recovers all the time is not told each time.
    private var due: [String: MediaTime] = [:]
    private var ended: Set<String> = []
    /// Whether the manifest on the disks does not say yet that a track has ended.
    private var hasNewEnds = false

    private static let pause: Int64 = 5_000_000_000

    init(timeline: Timeline, outputs: SessionOutputs) {
        self.timeline = timeline
        self.outputs = outputs
    }

    /// Looks at all encoders, and ends tracks. To be called at each tick.
    ///
    /// - Parameter position: How far the recording has come.
    /// - Returns: What there is to tell.
    func follow(at position: MediaTime) -> [SessionEvent] {
        streams.flatMap { name, lane, rate in
            var events: [SessionEvent] = []
            if due[name].map({ position >= $0 }) ?? true, let recovery = lane.takeRecovery() {
                due[name] = MediaTime(nanoseconds: position.nanoseconds + Self.pause)
                events.append(SessionEvent(recovery, of: name, rate: rate))
            }
            if let conclusion = lane.conclusion, ended.insert(name).inserted {
                timeline.endFailed(named: name, at: rate.time(ofTick: conclusion.tick))
                hasNewEnds = true
                events.append(SessionEvent(conclusion, of: name, rate: rate))
            }
            return events
        }
    }

    /// Whether every track has ended for want of an encoder, so that nothing is left to record.
    var mustEnd: Bool {
        guard !ended.isEmpty, outputs.synchronized.isEmpty, outputs.microphoneTracks.isEmpty else {
            return false
        }
        let open = outputs.cameraTracks.map(\.name).filter {
            outputs.failedEnds[$0] == nil && outputs.ends[$0] == nil
        }
        let isProgramOver = outputs.mixEncoder == nil && ended.contains(SyncHistory.program)
        return open.isEmpty && (outputs.program == nil || isProgramOver)
    }

    /// Looks for the last time, when all encoders have finished.
    func conclude(at end: MediaTime) -> [SessionEvent] {
        due = [:]
        return follow(at: end)
    }

    /// Whether the manifest on the disks is to be written anew, told once.
    func takeChange() -> Bool {
        defer { hasNewEnds = false }
        return hasNewEnds
    }

    private var streams: [(name: String, lane: VideoEncoderWorker, rate: FrameRate)] {
        let tracks = outputs.cameraTracks.compactMap { track in
            (track as? EncodedTrack).map { (name: $0.name, lane: $0.encoder, rate: $0.rate) }
        }
        let program = outputs.program.map { (name: SyncHistory.program, lane: $0.encoder, rate: $0.rate) }
        return tracks + [program].compactMap(\.self)
    }
}
