internal import Media
internal import Plan
internal import SessionFolder
internal import Timing
internal import Writers

/// Goes along the grid: a constant delay behind the present, it lets every output decide its next tick.
///
/// One thread for all decisions of a recording, none of which touches a pixel. Ticks come in the order of their times, so
/// the same deliveries give the same recording.
final class Timeline {
    private let start: ClockTime
    private let delay: Nanoseconds
    private let clock: any SessionClock
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let audio: AudioStage
    private let leadingRate: FrameRate?
    /// Where frames come often enough, audio goes along with them: each waking costs.
    private let wakesForAudio: Bool
    private let announce: (SessionEvent) -> Void
    private let never = Cancellation()

    /// How far a camera's own track has come.
    private struct Progress {
        let track: any CameraTrack
        var nextTick: Int64
        /// Where it ends, if that is before the recording's end.
        var end: MediaTime?

        var nextTime: MediaTime { track.rate.time(ofTick: nextTick) }
    }

    /// By the camera's role.
    private var telling: [String: OutageTelling] = [:]
    private var cameraClocks: [ClockWatch]
    private var microphoneClocks: [ClockWatch]
    /// Of the tracks that have not ended.
    private var tracks: [Progress]
    private var nextSynchronizedTicks: [Int64]
    private var nextProgramTick: Int64 = 0
    private enum AudioOrder {
        /// What the program is to audio like.
        case mix([String: Float])
        /// A microphone is off, for a reason, or on.
        case off(role: String, reason: String?)
    }
    /// What is to become of audio from an instant on, in the order of time.
    private var audioOrders: [(order: AudioOrder, from: MediaTime)] = []
    private var nextAudioTick: Int64 = 0
    /// As soon as it is known. What devices do after it is of no recording.
    private var end: MediaTime?

    /// - Parameters:
    ///   - start: T0, the time of tick 0.
    ///   - delay: From an instant to its decision: by then everything that was captured has been delivered.
    ///   - clock: The session's.
    ///   - inputs: What the devices deliver.
    ///   - outputs: What decides at each tick.
    ///   - leadingRate: The grid on which the recording ends; `nil` ends it at any sample.
    ///   - announce: Told what happens to devices.
    init(
        start: ClockTime, delay: Nanoseconds, clock: any SessionClock, inputs: SessionInputs,
        outputs: SessionOutputs,
        leadingRate: FrameRate?, announce: @escaping (SessionEvent) -> Void
    ) {
        self.start = start
        self.delay = delay
        self.clock = clock
        self.inputs = inputs
        self.outputs = outputs
        self.leadingRate = leadingRate
        wakesForAudio = (leadingRate?.perSecond ?? 0) < SessionPlan.wakingRate
        self.announce = announce
        audio = AudioStage(
            microphones: outputs.microphones, mix: outputs.mix, encoder: outputs.mixEncoder,
            loudness: outputs.mixLoudness)
        cameraClocks = inputs.cameras.map { _ in ClockWatch() }
        microphoneClocks = inputs.microphones.map { _ in ClockWatch() }
        tracks = outputs.cameraTracks.map { Progress(track: $0, nextTick: 0) }
        nextSynchronizedTicks = Array(repeating: 0, count: outputs.synchronized.count)
    }

    /// The lowest rate whose next tick is waited for where something is to end.
    private static let slowestAwaitedRate = FrameRate(1, per: 1)

    /// The time of the next undecided tick: how far the recording has come.
    private(set) var position = MediaTime.zero

    /// Runs until the end that `control` gives. It is asked before each step with the time reached.
    ///
    /// - Returns: The recording's duration.
    func run(control: (MediaTime) -> MediaTime?) -> MediaTime {
        while true {
            let end = control(position).map(endOnGrid)
            self.end = end
            let next = nextTime
            if let end, next >= end {
                finish(at: end)
                return end
            }
            position = next
            clock.sleep(until: start + Nanoseconds(next.nanoseconds) + delay, unless: never)
            step(at: next)
        }
    }

    /// The first tick of the leading grid at or after a time; the time itself where the grid has less than a frame a second, for nobody
    /// waits for such a tick.
    func endOnGrid(_ time: MediaTime) -> MediaTime {
        guard let leadingRate else { return max(time, MediaTime(nanoseconds: 1)) }
        guard leadingRate >= Self.slowestAwaitedRate else {
            return max(time, AudioGrid.blocks.time(ofTick: 1))
        }
        return leadingRate.time(ofTick: max(leadingRate.ticks(before: time), 1))
    }

    /// Makes the first frame at or after `time` one that a new file can begin with.
    ///
    /// - Parameters:
    ///   - time: Not decided yet.
    ///   - writer: Whose file begins anew; `nil` for all.
    func beginPart(at time: MediaTime, of writer: MovieWriter? = nil) {
        if let program = outputs.program { program.beginPart(at: program.rate.ticks(before: time)) }
        for track in tracks.map(\.track) {
            switch track {
            case let track as EncodedTrack: track.beginPart(at: track.rate.ticks(before: time))
            case let track as CopiedStreamTrack where writer.map({ $0 === track.lane.writer }) ?? true:
                track.beginPart(at: time)
            default: break
            }
        }
    }

    /// Shows and mixes otherwise, from the first tick and block of audio at or after a time that are not decided yet.
    ///
    /// - Returns: When the frame changes.
    func arrange(_ plan: SessionPlan, from time: MediaTime) -> MediaTime {
        audioOrders.append((.mix(plan.mixGains), time))
        guard let program = outputs.program, let planned = plan.program else { return time }
        program.arrange(planned.layers, from: time)
        return program.rate.time(ofTick: max(nextProgramTick, program.rate.ticks(before: time)))
    }

    /// Takes another camera in, whose frames the program may show.
    func add(_ camera: CameraInput) {
        inputs.add(camera)
        cameraClocks.append(ClockWatch())
        guard let program = outputs.program, camera.hasPixels else { return }
        program.add(GridFollower(input: camera, track: "program", start: start, rate: program.rate))
    }

    /// Lets another track decide from a tick on.
    ///
    /// - Parameters:
    ///   - track: Of a camera that is among the inputs.
    ///   - tick: Not over yet.
    func add(_ track: any CameraTrack, from tick: Int64) {
        tracks.append(Progress(track: track, nextTick: tick))
    }

    /// Takes another microphone in, from the next sample on.
    func add(_ microphone: MicrophoneFeed) {
        inputs.add(microphone.input)
        microphoneClocks.append(ClockWatch())
        outputs.add(microphone)
        audio.add(microphone)
    }

    /// The next sample of audio that is not decided yet.
    var audioPosition: Int64 { audio.position }

    /// Switches a microphone off or on, from the first block of audio that begins at or after a time and is not decided yet.
    ///
    /// - Parameters:
    ///   - role: The microphone's.
    ///   - reason: Why it is off; `nil` for on.
    ///   - time: Of the recording.
    func switchOff(_ role: String, because reason: String?, from time: MediaTime) {
        let block = AudioGrid.blocks.interval.count
        audioOrders.append(
            (.off(role: role, reason: reason), MediaTime(nanoseconds: time.nanoseconds + block - 1)))
    }

    /// Ends a device's own track at its first tick or sample at or after a time that is not decided yet, with one at the least.
    ///
    /// - Returns: When that is; `nil` where there is no such track.
    func endTrack(named name: String, at time: MediaTime) -> MediaTime? {
        guard let index = tracks.firstIndex(where: { $0.track.name == name && $0.end == nil }) else {
            return endAudio(named: name, at: time)
        }
        let rate = tracks[index].track.rate
        let first = rate.ticks(before: outputs.begins[name] ?? .zero)
        let end: MediaTime
        if rate >= Self.slowestAwaitedRate {
            end = rate.time(ofTick: max(tracks[index].nextTick, first + 1, rate.ticks(before: time)))
        } else {
            // Its first frame is shown for a block of audio at the least.
            let least = max(position, rate.time(ofTick: first))
            end = max(time, MediaTime(nanoseconds: least.nanoseconds + AudioGrid.blocks.interval.count))
        }
        tracks[index].end = end
        return end
    }

    /// Ends the frames of a stream whose encoder failed for good. What was decided behind that is not in the file.
    ///
    /// - Parameters:
    ///   - name: The camera's track's; `program` for the program.
    ///   - time: Where its file ends.
    func endFailed(named name: String, at time: MediaTime) {
        outputs.failedEnds[name] = time
        guard name != SyncHistory.program else {
            outputs.program?.end(at: time)
            return
        }
        for progress in tracks where progress.track.name == name { progress.track.finish(at: time) }
        tracks.removeAll { $0.track.name == name }
    }

    private func endAudio(named name: String, at time: MediaTime) -> MediaTime? {
        guard let track = outputs.microphoneTracks.first(where: { $0.name == name && $0.end == nil }) else {
            return nil
        }
        let sample = time.ticks(perSecond: Int64(AudioFormat.sessionRate))
        let end = track.end(at: sample, position: audio.position)
        return AudioGrid.samples.time(ofTick: end)
    }

    private func finishTracks(before time: MediaTime) {
        for progress in tracks {
            guard let end = progress.end, end <= time else { continue }
            if let file = outputs.places[progress.track.name]?.file { outputs.writers[file]?.setEnd(end) }
            progress.track.finish(at: end)
        }
        tracks.removeAll { $0.end.map { $0 <= time } ?? false }
    }

    private var nextTime: MediaTime {
        // Where no frames are decided any more, audio leads alone.
        let hasFrames = !tracks.isEmpty || outputs.program != nil || !outputs.synchronized.isEmpty
        var earliest =
            wakesForAudio || !hasFrames
            ? AudioGrid.blocks.time(ofTick: nextAudioTick) : MediaTime(nanoseconds: .max)
        if let program = outputs.program {
            earliest = min(earliest, program.rate.time(ofTick: nextProgramTick))
        }
        for (index, lane) in outputs.synchronized.enumerated() {
            earliest = min(earliest, lane.rate.time(ofTick: nextSynchronizedTicks[index]))
        }
        for track in tracks { earliest = min(earliest, track.nextTime) }
        return earliest
    }

    private func step(at time: MediaTime) {
        finishTracks(before: time)
        takeDeliveries()
        announceClocks()
        while AudioGrid.blocks.time(ofTick: nextAudioTick) <= time {
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
        for index in tracks.indices where tracks[index].nextTime <= time {
            tracks[index].track.step(tick: tracks[index].nextTick)
            tracks[index].nextTick += 1
        }
        if let program = outputs.program, program.rate.time(ofTick: nextProgramTick) <= time {
            program.step(tick: nextProgramTick)
            nextProgramTick += 1
        }
        stepSinks(at: time)
    }

    private func follow(_ order: AudioOrder) {
        switch order {
        case .mix(let mix): audio.arrange(mix)
        case .off(let role, let reason):
            audio.microphones.first { $0.role == role }?.switchOff(reason)
        }
    }

    private func stepSinks(at time: MediaTime) {
        for (index, lane) in outputs.synchronized.enumerated() {
            if lane.rate.time(ofTick: nextSynchronizedTicks[index]) <= time {
                lane.step(tick: nextSynchronizedTicks[index])
                nextSynchronizedTicks[index] += 1
            }
            lane.deliverReady()
        }
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
            for lane in outputs.synchronized { lane.take(deliveries, of: camera) }
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
        // One that was to end after this ends now.
        outputs.ends = outputs.ends.filter { $0.value < end }
        // Before any of them can find its last stream finished.
        finishTracks(before: end)
        for (file, writer) in outputs.writers where !outputs.isEnding(file: file) { writer.setEnd(end) }
        takeDeliveries()
        audio.advance(to: end.ticks(perSecond: Int64(AudioFormat.sessionRate)))
        for progress in tracks { progress.track.finish(at: end) }
        outputs.program?.finish(at: end)
        audio.finish(at: end)
        announceAudio()
        for lane in outputs.synchronized { lane.finish() }
        for track in outputs.metadata { track.finish(at: end) }
    }
}
