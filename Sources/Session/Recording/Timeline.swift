internal import Inputs
internal import Media
internal import Plan
internal import SessionFolder
internal import Timing
internal import Writers

/// Follows the grid, a constant alignment delay behind the present, and lets every output decide its ticks.
///
/// One thread takes all decisions of a recording, none of which touches a pixel. Ticks are decided in the order of their
/// times, so that the same deliveries give the same recording.
final class Timeline {
    private let start: ClockTime
    private let delay: Nanoseconds
    private let clock: any SessionClock
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let audio: AudioStage
    private let grid: LeadingGrid
    /// Whether the thread wakes for blocks of audio too. At high enough frame rates audio is handled along with the frames,
    /// since each wake-up costs.
    private let wakesForAudio: Bool
    private let taps: TapBoard
    private let announce: (SessionEvent) -> Void
    private let never = Cancellation()

    /// Ticks of less than so many nanoseconds are decided at once, where nobody minds: a step costs a third in a row of three, whose code and
    /// data the processor has at hand.
    private static let leisure: Int64 = 100_000_000

    /// How far a camera's own track has come.
    private struct Progress {
        let track: any CameraTrack
        var nextTick: Int64
        /// End of the track since T0, or `nil` when it ends with the recording.
        var end: MediaTime?

        var nextTime: MediaTime { track.rate.time(ofTick: nextTick) }
    }

    /// Decides which outages become events, by the camera's role.
    private var telling: [String: OutageTelling] = [:]
    private var cameraClocks: [ClockWatch]
    private var microphoneClocks: [ClockWatch]
    /// The camera tracks that have not ended.
    private var tracks: [Progress]
    private var nextSynchronizedTicks: [Int64]
    private var nextProgramTick: Int64 = 0
    private enum AudioOrder {
        /// Linear gain of each microphone in the program, by role.
        case mix([String: Float])
        /// A microphone is switched off for a reason, or on when it is `nil`.
        case off(role: String, reason: String?)
    }
    /// Pending orders for audio, sorted by the time since T0 from which they hold.
    private var audioOrders: [(order: AudioOrder, from: MediaTime)] = []
    private var nextAudioTick: Int64 = 0
    /// End of the recording since T0, once it is known. Events of devices after it are not sent.
    private var end: MediaTime?

    /// Creates the timeline of a recording.
    ///
    /// - Parameters:
    ///   - start: T0 on the session's clock, the time of tick 0.
    ///   - delay: The alignment delay: after it, everything captured at an instant has been delivered.
    ///   - clock: The session clock.
    ///   - inputs: The devices.
    ///   - outputs: The outputs, which decide at each tick.
    ///   - grid: The grid on which the recording ends.
    ///   - taps: Get the mix. While somebody listens there, no tick waits for later ones.
    ///   - announce: Receives the events of devices.
    init(
        start: ClockTime, delay: Nanoseconds, clock: any SessionClock, inputs: SessionInputs,
        outputs: SessionOutputs,
        grid: LeadingGrid, taps: TapBoard, announce: @escaping (SessionEvent) -> Void
    ) {
        self.start = start
        self.delay = delay
        self.clock = clock
        self.inputs = inputs
        self.outputs = outputs
        self.grid = grid
        self.taps = taps
        wakesForAudio = (grid.rate?.perSecond ?? 0) < SessionPlan.wakingRate
        self.announce = announce
        audio = AudioStage(
            start: start, microphones: outputs.microphones, mix: outputs.mix, encoder: outputs.mixEncoder,
            loudness: outputs.mixLoudness, taps: taps)
        cameraClocks = inputs.cameras.map { _ in ClockWatch() }
        microphoneClocks = inputs.microphones.map { _ in ClockWatch() }
        tracks = outputs.cameraTracks.map { Progress(track: $0, nextTick: 0) }
        nextSynchronizedTicks = Array(repeating: 0, count: outputs.synchronized.count)
    }

    /// Time since T0 of the tick that was decided last: how far the recording has come. Zero before the first tick.
    private var time = MediaTime.zero

    private var position: TimelinePosition {
        TimelinePosition(
            time: time, programTick: outputs.program.map { _ in nextProgramTick }, audioSample: audio.position
        )
    }

    /// Runs the recording until its end. Blocks the timeline's thread.
    ///
    /// - Parameter control: Called each time before ticks are decided, with how far the recording has come; returns its end since T0, or
    ///   `nil` while no end is known. What it has the timeline apply holds from the next tick on.
    /// - Returns: End of the recording since T0, on the leading grid.
    func run(control: (TimelinePosition) -> MediaTime?) -> MediaTime {
        end = control(position).map(grid.end)
        while true {
            let next = nextTime
            if let end, next >= end {
                finish(at: end)
                return end
            }
            let isUnhurried = isUnhurried
            inputs.allowLeeway(besides: taps, decidedAfter: delay)
            let last = isUnhurried ? rowEnd(from: next) : next
            clock.sleep(
                until: start + Nanoseconds(min(last, end ?? last).nanoseconds) + delay, unless: never)
            takeDeliveries()
            announceClocks()
            // What came meanwhile, orders or frames of another format, concerns these ticks.
            end = control(position).map(grid.end)
            decide(through: last, isUnhurried: isUnhurried)
        }
    }

    /// Whether nobody minds when ticks are decided: no frame is composed or encoded, and nobody listens.
    private var isUnhurried: Bool {
        outputs.program == nil && outputs.synchronized.isEmpty && !taps.wantsPromptness
            && !tracks.contains { $0.track is EncodedTrack }
    }

    /// The last of the ticks that are decided at once with the one at `next`, where nobody minds.
    private func rowEnd(from next: MediaTime) -> MediaTime {
        let rate = isLedByAudio ? AudioGrid.blocks : grid.rate ?? AudioGrid.blocks
        let ticks = rate.ticks(before: MediaTime(nanoseconds: next.nanoseconds + Self.leisure))
        return max(next, rate.time(ofTick: max(ticks, 1) - 1))
    }

    /// Applies the commands of a director, in their order. To be called between two steps.
    func apply(_ commands: [TimelineCommand]) {
        for command in commands {
            switch command {
            case .beginPart(let time, let writer): beginPart(at: time, of: writer)
            case .arrange(let plan, let time):
                audioOrders.append((.mix(plan.mixGains), time))
                if let planned = plan.program { outputs.program?.arrange(planned.layers, from: time) }
            case .switchOff(let role, let reason, let time):
                let block = AudioGrid.blocks.interval.count
                audioOrders.append(
                    (.off(role: role, reason: reason), MediaTime(nanoseconds: time.nanoseconds + block - 1)))
            case .addCamera(let camera): add(camera)
            case .addTrack(let track, let tick): tracks.append(Progress(track: track, nextTick: tick))
            case .addMicrophone(let microphone):
                inputs.add(microphone.input)
                microphoneClocks.append(ClockWatch())
                outputs.add(microphone)
                audio.add(microphone)
            case .endTrack(let name, let time): endTrack(named: name, at: time)
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
        cameraClocks.append(ClockWatch())
        guard let program = outputs.program, camera.hasPixels else { return }
        program.add(GridFollower(input: camera, track: "program", start: start, rate: program.rate))
    }

    private func endTrack(named name: String, at time: MediaTime) {
        guard let index = tracks.firstIndex(where: { $0.track.name == name && $0.end == nil }) else {
            return endAudio(named: name, at: time)
        }
        let rate = tracks[index].track.rate
        let first = rate.ticks(before: outputs.begins[name] ?? .zero)
        let end: MediaTime
        if rate >= LeadingGrid.slowestAwaitedRate {
            end = rate.time(ofTick: max(tracks[index].nextTick, first + 1, rate.ticks(before: time)))
        } else {
            // The track's first frame is shown for at least one block of audio.
            let least = max(self.time, rate.time(ofTick: first))
            end = max(time, MediaTime(nanoseconds: least.nanoseconds + AudioGrid.blocks.interval.count))
        }
        tracks[index].end = end
        outputs.ends[name] = end
    }

    private func endFailed(named name: String, at time: MediaTime) {
        outputs.failedEnds[name] = time
        guard name != SyncHistory.program else {
            outputs.program?.end(at: time)
            return
        }
        for progress in tracks where progress.track.name == name { progress.track.finish(at: time) }
        tracks.removeAll { $0.track.name == name }
    }

    private func endAudio(named name: String, at time: MediaTime) {
        guard let track = outputs.microphoneTracks.first(where: { $0.name == name && $0.end == nil }) else {
            return
        }
        let sample = time.ticks(perSecond: Int64(AudioFormat.sessionRate))
        let end = track.end(at: sample, position: audio.position)
        outputs.ends[name] = AudioGrid.samples.time(ofTick: end)
    }

    private func finishTracks(before time: MediaTime) {
        for progress in tracks {
            guard let end = progress.end, end <= time else { continue }
            if let file = outputs.places[progress.track.name]?.file { outputs.writers[file]?.setEnd(end) }
            progress.track.finish(at: end)
        }
        tracks.removeAll { $0.end.map { $0 <= time } ?? false }
    }

    /// Whether blocks of audio are ticks of their own: frames come seldom, or none are decided any more.
    private var isLedByAudio: Bool {
        wakesForAudio || tracks.isEmpty && outputs.program == nil && outputs.synchronized.isEmpty
    }

    private var nextTime: MediaTime {
        var earliest =
            isLedByAudio
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

    /// Decides the ticks up to a time and before the end.
    private func decide(through last: MediaTime, isUnhurried: Bool) {
        while case let next = nextTime, next <= last, end.map({ next < $0 }) ?? true {
            time = next
            finishTracks(before: time)
            step(at: time)
            if isLedByAudio { advanceAudio(to: time, atOnce: false) }
        }
        advanceAudio(to: time, atOnce: isUnhurried && !taps.wantsAudio)
        deliverSinks(at: time)
    }

    /// Advances audio by the blocks that end up to a time; `atOnce` in one piece, where no order holds from the middle of it.
    private func advanceAudio(to time: MediaTime, atOnce: Bool) {
        let last = AudioGrid.blocks.ticks(before: MediaTime(nanoseconds: time.nanoseconds + 1)) - 1
        while nextAudioTick <= last {
            if atOnce, audioOrders.isEmpty { nextAudioTick = last }
            // The block that ends there; the first is empty.
            let blockEnd = AudioGrid.blocks.time(ofTick: nextAudioTick)
            while let next = audioOrders.first, next.from < blockEnd {
                audioOrders.removeFirst()
                follow(next.order)
            }
            audio.advance(to: blockEnd.ticks(perSecond: Int64(AudioFormat.sessionRate)))
            announceAudio()
            nextAudioTick += 1
        }
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

    private func follow(_ order: AudioOrder) {
        switch order {
        case .mix(let mix): audio.arrange(mix)
        case .off(let role, let reason):
            audio.microphones.first { $0.role == role }?.switchOff(reason)
        }
    }

    private func deliverSinks(at time: MediaTime) {
        for worker in outputs.synchronized { worker.deliverReady() }
        for track in outputs.metadata {
            track.advance(to: time)
            for event in track.takeEvents() { announce(event) }
        }
    }

    private func announceClocks() {
        let now = clock.now
        let at = MediaTime(now, since: start)
        guard end.map({ at < $0 }) ?? true else { return }
        for (index, camera) in inputs.cameras.enumerated() {
            if let change = cameraClocks[index].look(at: camera.clockReading, now: now) {
                announce(change.event(of: camera.role, at: at))
            }
        }
        for (index, microphone) in inputs.microphones.enumerated() {
            if let change = microphoneClocks[index].look(at: microphone.clockReading, now: now) {
                announce(change.event(of: microphone.role, at: at))
            }
        }
    }

    private func announceAudio() {
        for microphone in audio.microphones {
            for event in microphone.takeEvents() where end.map({ event.at < $0 }) ?? true { announce(event) }
        }
    }

    private func takeDeliveries() {
        for (index, camera) in inputs.cameras.enumerated() {
            let deliveries = inputs.takeDeliveries(ofCamera: index)
            guard !deliveries.isEmpty else { continue }
            for progress in tracks where progress.track.input === camera { progress.track.take(deliveries) }
            outputs.program?.take(deliveries, from: camera.role)
            for worker in outputs.synchronized { worker.take(deliveries, of: camera) }
            for track in outputs.metadata where track.input === camera { track.take(deliveries) }
            for delivery in deliveries {
                guard let event = delivery.event(of: camera.role, since: start),
                    let event = telling[camera.role, default: OutageTelling(of: "camera \(camera.role)")]
                        .told(event)
                else { continue }
                if end.map({ event.at < $0 }) ?? true { announce(event) }
            }
        }
    }

    /// Decides what remains before the end, and ends every output there.
    private func finish(at end: MediaTime) {
        clock.sleep(until: start + Nanoseconds(end.nanoseconds) + delay, unless: never)
        inputs.endLeeway()
        // A track that was to end later ends with the recording.
        outputs.ends = outputs.ends.filter { $0.value < end }
        // Ended tracks finish before any file can find its last stream finished.
        finishTracks(before: end)
        for (file, writer) in outputs.writers where !outputs.isEnding(file: file) { writer.setEnd(end) }
        takeDeliveries()
        audio.advance(to: end.ticks(perSecond: Int64(AudioFormat.sessionRate)))
        for progress in tracks { progress.track.finish(at: end) }
        outputs.program?.finish(at: end)
        audio.finish(at: end)
        announceAudio()
        for worker in outputs.synchronized { worker.finish() }
        for track in outputs.metadata { track.finish(at: end) }
    }
}
