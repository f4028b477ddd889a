internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamWriters

/// Splits a recording's files into parts: all files at a requested split, or a single file when a copied
/// camera changes its size or source. Use this type only on the timeline's thread.
final class PartDirector {
    private let start: ClockTime
    private let grid: LeadingGrid
    private let outputs: SessionOutputs
    private var splits = 1
    /// Number of the latest part of each file, by the file's path.
    private var numbers: [String: Int] = [:]
    /// Start time of the latest part.
    private var splitAt = MediaTime(nanoseconds: -1)
    /// The time when the first pending split was requested. All splits requested before the previous part has
    /// begun are merged into one split.
    private var splitDue: ClockTime?
    /// Events of parts that have not begun yet, sorted by time.
    private var events: [SessionEvent] = []
    /// Handlers to call when the next part begins.
    private var pendingDecisions: [ChangeCompletion] = []
    /// Handlers to call when the part at `splitAt` begins.
    private var announcedDecisions: [ChangeCompletion] = []

    /// Time from scheduling a part to the beginning of the part, in nanoseconds. No output has processed
    /// ticks that far in the future.
    private static let lead: Int64 = 100_000_000

    init(start: ClockTime, grid: LeadingGrid, outputs: SessionOutputs) {
        self.start = start
        self.grid = grid
        self.outputs = outputs
    }

    /// Begins those requested parts that can begin now.
    ///
    /// - Parameters:
    ///   - requests: The splits requested since the last call.
    ///   - position: Progress of the recording.
    /// - Returns: Commands that begin the parts of encoded streams and of H.264 streams.
    func update(with requests: [SessionControls.SplitRequest], at position: MediaTime) -> [TimelineCommand] {
        splitDue = splitDue ?? requests.first?.at
        pendingDecisions += requests.compactMap(\.decided)
        var commands: [TimelineCommand] = []
        for case let track as CopiedTrack in outputs.cameraTracks {
            commands += continueInOtherSize(track, position)
        }
        for case let track as CopiedStreamTrack in outputs.cameraTracks {
            commands += continueWithOtherSource(track)
        }
        guard let due = splitDue, position > splitAt,
            !outputs.writers.values.contains(where: { $0.isSplitting })
        else { return commands }
        splitDue = nil
        let split = grid.end(
            MediaTime(nanoseconds: max(MediaTime(due, since: start), position).nanoseconds + Self.lead))
        self.split(at: split)
        return commands + [.beginPart(at: split, of: nil)]
    }

    /// Returns the parts that began before a time and haven't been returned yet. Parts scheduled after the end of the
    /// recording are never reported.
    func dequeueEvents(before time: MediaTime) -> [SessionEvent] {
        let begun = events.filter { $0.at < time }
        events.removeAll { $0.at < time }
        if splitAt < time {
            for decided in announcedDecisions { decided(.recorded(from: splitAt)) }
            announcedDecisions = []
        }
        return begun
    }

    /// Notifies all callers whose splits hadn't begun when the recording ended.
    func end() {
        for decided in announcedDecisions + pendingDecisions { decided(.recordingEnded) }
        (announcedDecisions, pendingDecisions) = ([], [])
    }

    private func enqueue(_ event: SessionEvent) {
        events.append(event)
        events.sort { $0.at < $1.at }
    }

    private func split(at split: MediaTime) {
        splits += 1
        splitAt = split
        announcedDecisions += pendingDecisions
        pendingDecisions = []
        var files: [String] = []
        for (file, writer) in outputs.writers where writer.isOpen && !outputs.isEnding(file: file) {
            let relative = nextPart(of: writer.relativePath)
            files.append(relative)
            writer.split(
                MovieWriter.Part(relativePath: relative, start: split))
        }
        for track in outputs.microphoneTracks where track.end == nil {
            guard let file = track.file, file.isOpen else { continue }
            let relative = nextPart(of: file.relativePath)
            files.append(relative)
            track.split(
                at: split.ticks(perSecond: Int64(AudioFormat.sessionRate)), relativePath: relative)
        }
        enqueue(
            SessionEvent(
                .split(SessionEvent.Split(part: Int64(splits), files: files.sorted())), at: split))
    }

    private func continueInOtherSize(_ track: CopiedTrack, _ position: MediaTime) -> [TimelineCommand] {
        guard let writer = track.sink.writer, let successor = track.successor, !track.isPartPending,
            writer.isOpen, !writer.isSplitting,
            outputs.endTimes[track.name] == nil
        else { return [] }
        let captured = MediaTime(successor.time, since: start)
        // If the file has a single track, the only requirement is that the new part begins at a tick that the
        // track has not processed yet.
        let lead = writer.streamCount > 1 ? Self.lead : 1
        let undecided = track.rate.ticks(before: MediaTime(nanoseconds: position.nanoseconds + lead))
        let tick = max(track.tick(ofSuccessorAt: captured), undecided)
        let begin = track.rate.time(ofTick: tick)
        let relative = nextPart(of: writer.relativePath)
        var part = MovieWriter.Part(relativePath: relative, start: begin)
        let size = successor.frame.size
        part.changes = [
            track.sink.stream: StreamParameters(
                codec: .mjpeg, timeScale: track.rate.frames, size: size, rate: track.rate,
                color: successor.frame.color)
        ]
        track.beginPart(at: tick)
        writer.split(part)
        enqueue(
            SessionEvent(
                .split(
                    SessionEvent.Split(
                        track: track.name, file: relative, width: Int64(size.width),
                        height: Int64(size.height))),
                at: begin))
        // The other tracks in the file continue in the file's next part as well.
        return writer.streamCount > 1 ? [.beginPart(at: begin, of: writer)] : []
    }

    /// Immediately begins a new part of a copied H.264 stream at the first key frame of a replacement source.
    /// This key frame must not be written to a part that was begun for the old source. The new part also
    /// completes a pending split that is still waiting for a key frame from the old source, which may never
    /// arrive.
    private func continueWithOtherSource(_ track: CopiedStreamTrack) -> [TimelineCommand] {
        guard let writer = track.sink.writer, writer.isOpen, outputs.endTimes[track.name] == nil,
            let successor = track.dequeueSuccessor()
        else { return [] }
        // The part begins slightly before the frame, because the frame's time is rounded to the file's time
        // scale. No other frame has a time between these two times.
        let captured = MediaTime(successor.time, since: start)
        let begin = MediaTime(nanoseconds: max(0, captured.nanoseconds - 1_000_000))
        let relative = nextPart(of: writer.relativePath)
        var part = MovieWriter.Part(relativePath: relative, start: begin)
        let frame = successor.frame
        part.changes = [
            track.sink.stream: StreamParameters(
                codec: .h264, timeScale: StreamParameters.captureTimeScale,
                setup: withExtendedLifetime(frame) { Array(frame.memory.bytes) }, size: frame.size,
                rate: track.rate, color: frame.color)
        ]
        track.beginPart(at: begin)
        writer.split(part)
        enqueue(
            SessionEvent(
                .split(
                    SessionEvent.Split(
                        track: track.name, file: relative, width: Int64(frame.size.width),
                        height: Int64(frame.size.height))),
                at: begin))
        return writer.streamCount > 1 ? [.beginPart(at: begin, of: writer)] : []
    }

    private func nextPart(of path: String) -> String {
        // Another role's file may already have the name of a part, for example if the cameras are `desk` and `desk-2`.
        let taken = Set(
            outputs.writers.values.map(\.relativePath)
                + outputs.waves.map(\.relativePath))
        let part = PartName.next(after: numbers[path, default: 1], of: path, besides: taken)
        numbers[path] = part.number
        return part.name
    }
}
