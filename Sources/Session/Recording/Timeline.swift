internal import MulticamInputs
internal import MulticamMedia
internal import MulticamPlan
internal import MulticamSessionFolder
internal import MulticamTiming
internal import MulticamWriters

/// Advances tick by tick, a constant alignment delay behind the present, and makes every output process each
/// tick of its grid.
///
/// A single thread makes all decisions of a recording and never touches pixel data. Ticks are processed in time order,
/// so the same deliveries always produce the same recording.
final class Timeline {
    private let start: ClockTime
    private let delay: Nanoseconds
    private let clock: any SessionClock
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let audio: AudioStage
    private let grid: LeadingGrid
    /// Whether the thread also wakes for blocks of audio. At sufficiently high frame rates audio is processed together
    /// with the frames, since each wake-up has a cost.
    private let wakesForAudio: Bool
    private let taps: TapRegistry
    private let announce: (SessionEvent) -> Void
    private let never = Cancellation()

    /// Maximum time span of the ticks that are batched when no consumer is latency-sensitive, in nanoseconds.
    /// In a batch of three ticks, each tick costs a third as much, because code and data are in the
    /// processor's cache.
    private static let maxBatchSpan: Int64 = 100_000_000

    /// Maximum time spent on processing ticks before requests are checked again.
    private static let maxTurnDuration = Nanoseconds.milliseconds(250)
    /// Minimum delay of a wake-up that indicates a busy processor. If the processor is busy, devices are probably late
    /// as well.
    private static let lateWakeUpThreshold = Nanoseconds.milliseconds(20)
    /// Maximum additional time granted to late devices.
    private static let maxGracePeriod = Nanoseconds.milliseconds(100)

    /// Progress of a camera's own track.
    private struct Progress {
        let track: any CameraTrack
        var nextTick: Int64
        /// End of the track relative to T0, or `nil` if the track ends with the recording.
        var end: MediaTime?

        var nextTime: MediaTime { track.rate.time(ofTick: nextTick) }
    }

    /// Selects the outages that are reported as events, by camera role.
    private var outageEventLimiters: [String: OutageEventLimiter] = [:]
    private var cameraClocks: [ClockStateMonitor]
    private var microphoneClocks: [ClockStateMonitor]
    /// The camera tracks that have not ended.
    private var tracks: [Progress]
    private var nextSynchronizedTicks: [Int64]
    private var nextProgramTick: Int64 = 0
    private enum AudioOrder {
        /// Linear gain of each microphone in the program, by role.
        case mix(ProgramMix)
        /// Switches a microphone off for a reason, or on if the reason is `nil`.
        case off(role: String, reason: String?)
    }
    /// Pending audio commands, sorted by the time, relative to T0, when they take effect.
    private var audioOrders: [(order: AudioOrder, from: MediaTime)] = []
    private var nextAudioTick: Int64 = 0
    /// Index of the next block of audio, which lags behind `nextAudioTick` while audio is late.
    private var nextBlock: Int64 = 0
    /// End of the recording relative to T0, once known. Device events after this time are not sent.
    private var end: MediaTime?
    private var lag = LagPolicy()
    /// Whether the current tick is processed too late for its frames to be encoded.
    private var isOverdue = false {
        didSet {
            guard isOverdue != oldValue else { return }
            for stream in outputs.governedStreams { stream.isOverdue = isOverdue }
        }
    }

    /// Creates the timeline of a recording.
    ///
    /// - Parameters:
    ///   - start: T0 on the session's clock, the time of tick 0.
    ///   - delay: The alignment delay, after which all data captured at an instant has been delivered.
    ///   - clock: The session clock.
    ///   - inputs: The devices of the recording.
    ///   - outputs: The outputs, which process each tick.
    ///   - grid: The leading grid. The recording ends at a tick of this grid.
    ///   - codecs: Creates the filters of the program's audio.
    ///   - taps: Taps that receive the mix. Ticks are not batched while a tap receives the mix.
    ///   - announce: Receives the events of devices.
    init(
        start: ClockTime, delay: Nanoseconds, clock: any SessionClock, inputs: SessionInputs,
        outputs: SessionOutputs,
        grid: LeadingGrid, codecs: any CodecFactory, taps: TapRegistry,
        announce: @escaping (SessionEvent) -> Void
    ) {
        self.start = start
        self.delay = delay
        self.clock = clock
        self.inputs = inputs
        self.outputs = outputs
        self.grid = grid
        self.taps = taps
        wakesForAudio = (grid.rate?.perSecond ?? 0) < SessionPlan.minWakeupRate
        self.announce = announce
        audio = AudioStage(
            start: start, microphones: outputs.microphones, mix: outputs.mix, codecs: codecs,
            encoder: outputs.mixEncoder,
            loudness: outputs.mixLoudness, taps: taps)
        cameraClocks = inputs.cameras.map { _ in ClockStateMonitor() }
        microphoneClocks = inputs.microphones.map { _ in ClockStateMonitor() }
        tracks = outputs.cameraTracks.map { Progress(track: $0, nextTick: 0) }
        nextSynchronizedTicks = Array(repeating: 0, count: outputs.synchronized.count)
    }

    /// Time of the last processed tick relative to T0, which is the progress of the recording. The value is
    /// zero before the first tick.
    private var time = MediaTime.zero

    private var position: TimelinePosition {
        TimelinePosition(
            time: time, programTick: outputs.program.map { _ in nextProgramTick }, audioSample: audio.position
        )
    }

    /// Runs the recording until its end. Blocks the timeline's thread.
    ///
    /// - Parameter control: Called each time before ticks are processed, with the progress of the recording.
    ///   Returns the end of the recording relative to T0, or `nil` while the end isn't known. Commands that
    ///   the closure applies to the timeline take effect at the next tick.
    /// - Returns: End of the recording relative to T0, on the leading grid.
    func run(control: (TimelinePosition) -> MediaTime?) -> MediaTime {
        end = control(position).map(grid.end)
        while true {
            let next = nextTime
            if let end, next >= end {
                finish(at: end)
                return end
            }
            let canBatchTicks = canBatchTicks
            inputs.allowLeeway(besides: taps, decidedAfter: delay)
            let last = canBatchTicks ? batchEnd(from: next) : next
            let due = sleep(until: min(last, end ?? last))
            dequeueDeliveries()
            announceClocks()
            // Commands, and frames in another format, that arrived during the sleep apply to these ticks.
            end = control(position).map(grid.end)
            let overdue = lag.update(next: next, due: due, now: clock.now)
            if let requested = end,
                lag.mustEndEarly(
                    deadline: start + Nanoseconds(requested.nanoseconds) + delay, now: clock.now)
            {
                end = min(requested, grid.end(position.undecided))
            }
            advance(through: max(last, due), canBatchTicks: canBatchTicks, overdueBefore: overdue)
        }
    }

    /// Sleeps until the tick at a time is due. After a late wake-up, the thread sleeps longer, because the
    /// cause of the delay probably delayed the devices' threads as well. The additional time is at most half
    /// of the delay that caused it, so successive delays become shorter.
    ///
    /// - Returns: Time of the most recent due tick, relative to T0. When this method returns, all data that
    ///   devices deliver on time for the due ticks has arrived.
    private func sleep(until time: MediaTime) -> MediaTime {
        let deadline = start + Nanoseconds(time.nanoseconds) + delay
        clock.sleep(until: deadline, unless: never)
        let now = clock.now
        if now - deadline >= Self.lateWakeUpThreshold {
            clock.sleep(until: now + min((now - deadline) / 2, Self.maxGracePeriod), unless: never)
        }
        return max(time, MediaTime(now - delay, since: start))
    }

    /// Whether no consumer is latency-sensitive: no frame is composed or encoded, and no tap requires prompt delivery.
    private var canBatchTicks: Bool {
        outputs.program == nil && outputs.synchronized.isEmpty && !taps.needsPromptTicks
            && !tracks.contains { $0.track is EncodedTrack }
    }

    /// Returns the time of the last tick in the batch that starts at `next`, if no consumer is
    /// latency-sensitive.
    private func batchEnd(from next: MediaTime) -> MediaTime {
        let rate = isPacedByAudio ? AudioGrid.blocks : grid.rate ?? AudioGrid.blocks
        let ticks = rate.ticks(before: MediaTime(nanoseconds: next.nanoseconds + Self.maxBatchSpan))
        return max(next, rate.time(ofTick: max(ticks, 1) - 1))
    }

    /// Applies the commands of a director, in order. Call this method only between two steps of the timeline.
    func apply(_ commands: [TimelineCommand]) {
        for command in commands {
            switch command {
            case .beginPart(let time, let writer): beginPart(at: time, of: writer)
            case .arrange(let plan, let time):
                audioOrders.append((.mix(plan.mix), time))
                if let planned = plan.program {
                    outputs.program?.arrange(planned.layers(since: start), from: time)
                }
            case .switchOff(let role, let reason, let time):
                let block = AudioGrid.blocks.interval.count
                audioOrders.append(
                    (.off(role: role, reason: reason), MediaTime(nanoseconds: time.nanoseconds + block - 1)))
            case .addCamera(let camera): add(camera)
            case .addTrack(let track, let tick): tracks.append(Progress(track: track, nextTick: tick))
            case .addMicrophone(let microphone):
                inputs.add(microphone.input)
                microphoneClocks.append(ClockStateMonitor())
                outputs.add(microphone)
                audio.add(microphone)
            case .stopTrack(let name, let time): stopTrack(named: name, at: time)
            case .endFailed(let name, let time): endFailed(named: name, at: time)
            }
        }
    }

    private func beginPart(at time: MediaTime, of writer: MovieWriter?) {
        if let program = outputs.program { program.beginPart(at: program.rate.ticks(before: time)) }
        for track in tracks.map(\.track) {
            switch track {
            case let track as EncodedTrack: track.beginPart(at: track.rate.ticks(before: time))
            case let track as CopiedStreamTrack where writer.map({ $0 === track.sink.writer }) ?? true:
                track.beginPart(at: time)
            default: break
            }
        }
    }

    private func add(_ camera: CameraInput) {
        inputs.add(camera)
        cameraClocks.append(ClockStateMonitor())
        guard let program = outputs.program, camera.hasPixels else { return }
        program.add(GridAligner(input: camera, track: "program", start: start, rate: program.rate))
    }

    private func stopTrack(named name: String, at time: MediaTime) {
        guard let index = tracks.firstIndex(where: { $0.track.name == name && $0.end == nil }) else {
            return stopAudio(named: name, at: time)
        }
        let rate = tracks[index].track.rate
        let first = rate.ticks(before: outputs.startTimes[name] ?? .zero)
        let end: MediaTime
        if rate >= LeadingGrid.slowestAwaitedRate {
            end = rate.time(ofTick: max(tracks[index].nextTick, first + 1, rate.ticks(before: time)))
        } else {
            // The track's first frame is shown for at least one block of audio.
            let least = max(self.time, rate.time(ofTick: first))
            end = max(time, MediaTime(nanoseconds: least.nanoseconds + AudioGrid.blocks.interval.count))
        }
        tracks[index].end = end
        outputs.endTimes[name] = end
    }

    private func endFailed(named name: String, at time: MediaTime) {
        outputs.failedEndTimes[name] = time
        guard name != SyncHistory.program else {
            outputs.program?.end(at: time)
            return
        }
        for progress in tracks where progress.track.name == name { progress.track.finish(at: time) }
        tracks.removeAll { $0.track.name == name }
    }

    private func stopAudio(named name: String, at time: MediaTime) {
        guard let track = outputs.microphoneTracks.first(where: { $0.name == name && $0.end == nil }) else {
            return
        }
        let sample = time.ticks(perSecond: Int64(AudioFormat.sessionRate))
        let end = track.end(at: sample, position: audio.position)
        outputs.endTimes[name] = AudioGrid.samples.time(ofTick: end)
    }

    private func finishTracks(before time: MediaTime) {
        for progress in tracks {
            guard let end = progress.end, end <= time else { continue }
            if let file = outputs.places[progress.track.name]?.file { outputs.writers[file]?.setEnd(end) }
            progress.track.finish(at: end)
        }
        tracks.removeAll { $0.end.map { $0 <= time } ?? false }
    }

    /// Whether the timeline advances by blocks of audio because frames are infrequent or no more frames follow.
    private var isPacedByAudio: Bool {
        wakesForAudio || tracks.isEmpty && outputs.program == nil && outputs.synchronized.isEmpty
    }

    private var nextTime: MediaTime {
        var earliest =
            isPacedByAudio
            ? AudioGrid.blocks.time(ofTick: nextAudioTick) : MediaTime(nanoseconds: .max)
        if let program = outputs.program {
            earliest = min(earliest, program.rate.time(ofTick: nextProgramTick))
        }
        for (index, worker) in outputs.synchronized.enumerated() {
            earliest = min(earliest, worker.rate.time(ofTick: nextSynchronizedTicks[index]))
        }
        for track in tracks { earliest = min(earliest, track.nextTime) }
        return earliest
    }

    /// Processes the ticks up to a time and before the end. If processing takes long, the method returns
    /// early so that requests aren't delayed.
    ///
    /// - Parameters:
    ///   - last: The time up to which ticks are processed, relative to T0.
    ///   - canBatchTicks: Whether audio may be advanced in one step.
    ///   - overdue: Frames of ticks before this time aren't composed or encoded. The last frame is duplicated, and the
    ///     frame that arrived for the tick is counted as lost, with the cause `late`. The value is `nil` when no tick
    ///     is overdue.
    private func advance(through last: MediaTime, canBatchTicks: Bool, overdueBefore overdue: MediaTime?) {
        let begin = clock.now
        while case let next = nextTime, next <= last, end.map({ next < $0 }) ?? true {
            time = next
            finishTracks(before: time)
            isOverdue = overdue.map { next < $0 } ?? false
            step(at: time)
            if isPacedByAudio { advanceAudio(to: time, atOnce: false) }
            if clock.now - begin > Self.maxTurnDuration { break }
        }
        advanceAudio(to: time, atOnce: canBatchTicks && !taps.wantsAudio)
        advanceSynchronizedAndMetadata(to: time)
    }

    /// Advances audio by the blocks that end up to a time. If `atOnce` is `true`, advances in one step unless
    /// an audio command takes effect in between.
    private func advanceAudio(to time: MediaTime, atOnce: Bool) {
        let last = AudioGrid.blocks.ticks(before: MediaTime(nanoseconds: time.nanoseconds + 1)) - 1
        nextAudioTick = max(nextAudioTick, last + 1)
        if atOnce, audioOrders.isEmpty, nextBlock < last, canAdvanceAudio(through: last) { nextBlock = last }
        while nextBlock <= last, canAdvanceAudio(through: nextBlock) {
            // The end time of the block. The first block is empty.
            let blockEnd = AudioGrid.blocks.time(ofTick: nextBlock)
            while let next = audioOrders.first, next.from < blockEnd {
                audioOrders.removeFirst()
                handle(next.order)
            }
            audio.advance(to: blockEnd.ticks(perSecond: Int64(AudioFormat.sessionRate)))
            announceAudio()
            nextBlock += 1
        }
    }

    /// Whether all audio before the end of a block has arrived.
    private func canAdvanceAudio(through block: Int64) -> Bool {
        canAdvanceAudio(to: AudioGrid.blocks.time(ofTick: block))
    }

    /// Whether all microphones have delivered their audio before a time, or the missing audio is already
    /// `LagPolicy.maxLag` late.
    private func canAdvanceAudio(to time: MediaTime) -> Bool {
        let instant = start + Nanoseconds(time.nanoseconds)
        return audio.hasArrived(
            before: instant, due: start + Nanoseconds(self.time.nanoseconds),
            isPastDeadline: clock.now >= instant + delay + LagPolicy.maxLag)
    }

    private func step(at time: MediaTime) {
        for index in tracks.indices where tracks[index].nextTime <= time {
            tracks[index].track.step(tick: tracks[index].nextTick)
            tracks[index].nextTick += 1
        }
        if let program = outputs.program, program.rate.time(ofTick: nextProgramTick) <= time {
            program.step(tick: nextProgramTick)
            nextProgramTick += 1
        }
        for (index, worker) in outputs.synchronized.enumerated()
        where worker.rate.time(ofTick: nextSynchronizedTicks[index]) <= time {
            worker.step(tick: nextSynchronizedTicks[index])
            nextSynchronizedTicks[index] += 1
        }
    }

    private func handle(_ order: AudioOrder) {
        switch order {
        case .mix(let mix): audio.setMix(mix)
        case .off(let role, let reason):
            audio.microphones.first { $0.role == role }?.setMuteReason(reason)
        }
    }

    /// Delivers the completed ticks of synchronized outputs, and writes the metadata of frames up to a time.
    private func advanceSynchronizedAndMetadata(to time: MediaTime) {
        for worker in outputs.synchronized { worker.deliverReady() }
        for track in outputs.metadata {
            track.advance(to: time)
            for event in track.dequeueEvents() { announce(event) }
        }
    }

    private func announceClocks() {
        let now = clock.now
        let at = MediaTime(now, since: start)
        guard end.map({ at < $0 }) ?? true else { return }
        for (index, camera) in inputs.cameras.enumerated() {
            if let change = cameraClocks[index].update(with: camera.clockReading, now: now) {
                announce(change.event(of: camera.role, at: at))
            }
        }
        for (index, microphone) in inputs.microphones.enumerated() {
            if let change = microphoneClocks[index].update(with: microphone.clockReading, now: now) {
                announce(change.event(of: microphone.role, at: at))
            }
        }
    }

    private func announceAudio() {
        for microphone in audio.microphones {
            for event in microphone.dequeueEvents() where end.map({ event.at < $0 }) ?? true {
                announce(event)
            }
        }
        for text in audio.dequeueFailures() { announce(SessionEvent(warning: text, at: time)) }
    }

    private func dequeueDeliveries() {
        // A tick is processed at least one alignment delay after its time, so `now` is the present or
        // earlier.
        let now = start + Nanoseconds(time.nanoseconds) + delay
        for (index, camera) in inputs.cameras.enumerated() {
            var deliveries = inputs.dequeueDeliveries(ofCamera: index)
            if deliveries.isEmpty {
                // Only a camera without deliveries can have stopped delivering frames.
                camera.checkSilence(at: now, since: start)
                deliveries = inputs.dequeueDeliveries(ofCamera: index)
            }
            guard !deliveries.isEmpty else { continue }
            for progress in tracks where progress.track.input === camera {
                progress.track.receive(deliveries)
            }
            outputs.program?.receive(deliveries, from: camera.role)
            for worker in outputs.synchronized { worker.receive(deliveries, from: camera) }
            for track in outputs.metadata where track.input === camera { track.receive(deliveries) }
            for delivery in deliveries {
                guard let event = delivery.event(of: camera.role, since: start),
                    let event = outageEventLimiters[
                        camera.role,
                        default: OutageEventLimiter(
                            of: "camera \(camera.role)", kind: SourceKind(camera.source.device))
                    ]
                    .filter(event)
                else { continue }
                if end.map({ event.at < $0 }) ?? true { announce(event) }
            }
        }
    }

    /// Processes the remaining ticks before the end, and ends every output there.
    private func finish(at end: MediaTime) {
        clock.sleep(until: start + Nanoseconds(end.nanoseconds) + delay, unless: never)
        while !canAdvanceAudio(to: end) {
            clock.sleep(until: clock.now + Self.lateWakeUpThreshold, unless: never)
        }
        inputs.endLeeway()
        // A track scheduled to end later ends with the recording.
        outputs.endTimes = outputs.endTimes.filter { $0.value < end }
        // Ended tracks must finish before any file detects that its last stream has finished.
        finishTracks(before: end)
        for (file, writer) in outputs.writers where !outputs.isEnding(file: file) { writer.setEnd(end) }
        dequeueDeliveries()
        advanceAudio(to: end, atOnce: false)
        audio.advance(to: end.ticks(perSecond: Int64(AudioFormat.sessionRate)))
        for progress in tracks { progress.track.finish(at: end) }
        outputs.program?.finish(at: end)
        audio.finish(at: end)
        announceAudio()
        for worker in outputs.synchronized { worker.finish() }
        for track in outputs.metadata { track.finish(at: end) }
    }
}

/// A command from a director, which the timeline applies before its next tick. All times are since T0.
enum TimelineCommand {
    /// Makes each stream's first frame at or after an unprocessed time a key frame, so that a new file can
    /// begin with this frame. If a movie is given, only that movie's copied H.264 streams are split.
    case beginPart(at: MediaTime, of: MovieWriter?)
    /// Applies the layout and mix of a plan, starting with the first unprocessed tick and block of audio at or after a
    /// time.
    case arrange(SessionPlan, from: MediaTime)
    /// Switches a microphone off for a reason, or on without a reason. Takes effect at the first unprocessed block of
    /// audio that begins at or after a time. A microphone that is off is silent in its track and in the program.
    case switchOff(role: String, reason: String?, from: MediaTime)
    /// Adds a camera that already delivers frames, so that the program can show this camera.
    case addCamera(CameraInput)
    /// Adds a track for a camera that is already an input, starting with an unprocessed tick.
    case addTrack(any CameraTrack, from: Int64)
    /// Adds a microphone, starting with the next unprocessed sample.
    case addMicrophone(MicrophoneFeed)
    /// Ends a camera's or microphone's track at its first unprocessed tick or sample at or after a time. The track
    /// keeps at least one frame or sample. Does nothing if no such track is open.
    case stopTrack(named: String, at: MediaTime)
    /// Ends the track of a stream (`program` or a camera's track) after a permanent encoder failure, at the
    /// end of the frames in its file. The file doesn't contain later ticks, even if these ticks have already
    /// been processed.
    case endFailed(named: String, at: MediaTime)
}

/// Progress of a timeline.
struct TimelinePosition {
    /// Time of the last processed tick relative to T0; zero before the first tick.
    var time: MediaTime
    /// Index of the program's next unprocessed tick, counted from T0; `nil` when there is no program.
    var programTick: Int64?
    /// Index of the next unprocessed audio sample, at 48 000 Hz, counted from T0.
    var audioSample: Int64

    /// The earliest time after the last processed tick, relative to T0.
    var undecided: MediaTime { MediaTime(nanoseconds: time.nanoseconds + 1) }
}

/// Decides how the timeline catches up when ticks are processed long after their deadlines.
///
/// A value without clocks or outputs. The timeline passes the times and applies the decisions.
struct LagPolicy {
    /// Maximum lag of tick processing behind its deadlines. Beyond this lag, overdue ticks are processed in bulk,
    /// without composing or encoding their frames, and audio that has not arrived becomes silence.
    static let maxLag = Nanoseconds.seconds(1)
    /// If tick processing lags by more than `maxLag`, ticks within this time of the present still get their own
    /// frames.
    static let recentSpan = Nanoseconds.milliseconds(100)

    /// Time when tick processing began to lag by more than `maxLag`; `nil` while the lag is smaller.
    private var overdueSince: ClockTime?

    /// Updates the policy with the current lag.
    ///
    /// - Parameters:
    ///   - next: Time of the next unprocessed tick, relative to T0.
    ///   - due: Time of the most recent due tick, relative to T0.
    ///   - now: The present, on the session's clock. It is read only if ticks are overdue.
    /// - Returns: The time before which ticks are overdue, relative to T0; `nil` when no tick is overdue.
    mutating func update(next: MediaTime, due: MediaTime, now: @autoclosure () -> ClockTime) -> MediaTime? {
        guard due.nanoseconds - next.nanoseconds > Self.maxLag.count else {
            overdueSince = nil
            return nil
        }
        overdueSince = overdueSince ?? now()
        return MediaTime(nanoseconds: due.nanoseconds - Self.recentSpan.count)
    }

    /// Whether the recording ends at the current tick because it couldn't reach its requested end within `maxLag`.
    ///
    /// - Parameters:
    ///   - deadline: Time when the last tick before the requested end is due, on the session's clock.
    ///   - now: The present, on the session's clock. It is read only if ticks are overdue.
    /// - Returns: `true` if the recording ends early.
    func mustEndEarly(deadline: ClockTime, now: @autoclosure () -> ClockTime) -> Bool {
        guard let overdueSince else { return false }
        return now() > max(deadline, overdueSince) + Self.maxLag
    }
}

/// The grid that defines the possible end times of a recording and its parts.
struct LeadingGrid: Sendable {
    /// Rate of the grid; `nil` for a recording without frames, which may end at any sample.
    let rate: FrameRate?

    /// Lowest frame rate at which the end of a recording is delayed until the next tick: one frame per
    /// second.
    static let slowestAwaitedRate = FrameRate(1, per: 1)

    /// Rounds a time relative to T0 up to the next tick, but never to tick 0.
    ///
    /// Below one frame per second, and without frames, returns the time unchanged, because waiting for the
    /// tick would take too long.
    func end(_ time: MediaTime) -> MediaTime {
        guard let rate else { return max(time, MediaTime(nanoseconds: 1)) }
        guard rate >= Self.slowestAwaitedRate else { return max(time, AudioGrid.blocks.time(ofTick: 1)) }
        return rate.time(ofTick: max(rate.ticks(before: time), 1))
    }
}

/// The result of a director's step: commands for the timeline, and events to send.
struct DirectorOutput {
    var commands: [TimelineCommand] = []
    var events: [SessionEvent] = []
}
