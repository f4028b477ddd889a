internal import Inputs
internal import Media
internal import Plan
internal import SessionFolder
internal import Writers

/// Leads a recording's files into new parts: all files at a split, one file when a copied camera changes its size or its source.
/// Timeline's thread only.
final class PartDirector {
    private let clock: any SessionClock
    private let start: ClockTime
    private let grid: LeadingGrid
    private let outputs: SessionOutputs
    private var splits = 1
    /// Number of the last part of each file, by the file's path.
    private var numbers: [String: Int] = [:]
    /// Time at which the last part begins.
    private var splitAt = MediaTime(nanoseconds: -1)
    /// When the first of the splits was asked for that have not begun. All that are asked for until the part before
    /// is under way become one.
    private var splitDue: ClockTime?
    /// Events of parts that have not begun yet, in the order of their times.
    private var events: [SessionEvent] = []
    /// Whom to tell when the next part begins.
    private var waiting: [ChangeDecision] = []
    /// Whom to tell when the part at `splitAt` begins.
    private var announced: [ChangeDecision] = []

    /// How far ahead a part begins, in nanoseconds: a few ticks, which no output has decided yet.
    private static let lead: Int64 = 100_000_000

    init(
        clock: any SessionClock, start: ClockTime, grid: LeadingGrid, outputs: SessionOutputs
    ) {
        self.clock = clock
        self.start = start
        self.grid = grid
        self.outputs = outputs
    }

    /// Begins the parts that were asked for and can begin.
    ///
    /// - Parameters:
    ///   - requests: The splits that were asked for since the last call.
    ///   - position: How far the recording has come.
    /// - Returns: The parts of encoded and of H.264 streams, for the timeline.
    func follow(_ requests: [SessionControls.SplitRequest], at position: MediaTime) -> [TimelineCommand] {
        splitDue = splitDue ?? requests.first?.at
        waiting += requests.compactMap(\.decided)
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

    /// Returns the parts that began before a time, each once. A part that the recording does not come to is never
    /// told.
    func takeEvents(before time: MediaTime) -> [SessionEvent] {
        let begun = events.filter { $0.at < time }
        events.removeAll { $0.at < time }
        if splitAt < time {
            for decided in announced { decided(.recorded(from: splitAt)) }
            announced = []
        }
        return begun
    }

    /// Ends the parts with the recording, and tells the callers of those that it has not come to.
    func end() {
        for decided in announced + waiting { decided(.ended) }
        (announced, waiting) = ([], [])
    }

    private func announce(_ event: SessionEvent) {
        events.append(event)
        events.sort { $0.at < $1.at }
    }

    private func split(at split: MediaTime) {
        splits += 1
        splitAt = split
        announced += waiting
        waiting = []
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
                at: split.ticks(perSecond: Int64(AudioFormat.sessionRate)), relativePath: relative,
                startedAt: clock.date(of: start + Nanoseconds(split.nanoseconds)))
        }
        announce(
            SessionEvent(
                .split, at: split,
                ["part": .integer(Int64(splits)), "files": .array(files.sorted().map { .string($0) })]))
    }

    private func continueInOtherSize(_ track: CopiedTrack, _ position: MediaTime) -> [TimelineCommand] {
        guard let writer = track.sink.writer, let successor = track.successor, !track.awaitsPart,
            writer.isOpen, !writer.isSplitting,
            outputs.ends[track.name] == nil
        else { return [] }
        let captured = MediaTime(successor.time, since: start)
        // A track alone in its file only has to begin at a tick that it has not decided.
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
        announce(
            SessionEvent(
                .split, at: begin,
                [
                    "track": .string(track.name), "file": .string(relative),
                    "width": .integer(Int64(size.width)), "height": .integer(Int64(size.height)),
                ]))
        // Other tracks in the file go on in its next part, too.
        return writer.streamCount > 1 ? [.beginPart(at: begin, of: writer)] : []
    }

    /// Begins a new part of a copied H.264 stream with the first key frame of another source, at once: that frame must not come into
    /// a part that was begun for the old source. The file completes a split that still waits for a key frame of the old source,
    /// which may never come.
    private func continueWithOtherSource(_ track: CopiedStreamTrack) -> [TimelineCommand] {
        guard let writer = track.sink.writer, writer.isOpen, outputs.ends[track.name] == nil,
            let successor = track.takeSuccessor()
        else { return [] }
        // A little before the frame, whose time is rounded to the file's time scale. No frame lies in between.
        let captured = MediaTime(successor.time, since: start)
        let begin = MediaTime(nanoseconds: max(0, captured.nanoseconds - 1_000_000))
        let relative = nextPart(of: writer.relativePath)
        var part = MovieWriter.Part(relativePath: relative, start: begin)
        let frame = successor.frame
        part.changes = [
            track.sink.stream: StreamParameters(
                codec: .h264, timeScale: StreamParameters.ownTimeScale,
                setup: withExtendedLifetime(frame) { Array(frame.memory.bytes) }, size: frame.size,
                rate: track.rate, color: frame.color)
        ]
        track.beginPart(at: begin)
        writer.split(part)
        announce(
            SessionEvent(
                .split, at: begin,
                [
                    "track": .string(track.name), "file": .string(relative),
                    "width": .integer(Int64(frame.size.width)),
                    "height": .integer(Int64(frame.size.height)),
                ]))
        return writer.streamCount > 1 ? [.beginPart(at: begin, of: writer)] : []
    }

    private func nextPart(of path: String) -> String {
        // Another role may have the name that a part would have: cameras `desk` and `desk-2`.
        let taken = Set(
            outputs.writers.values.map(\.relativePath)
                + outputs.waves.map(\.relativePath))
        let part = PartName.next(after: numbers[path, default: 1], of: path, besides: taken)
        numbers[path] = part.number
        return part.name
    }
}
