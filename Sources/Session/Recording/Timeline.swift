internal import Inputs
internal import Media
internal import Plan
internal import SessionFolder
internal import Timing
internal import Writers

/// Follows the grid: a constant delay behind the present, it lets every output decide its next tick.
///
/// One thread takes all decisions of a recording, none of which touches a pixel. Ticks come in the order of their
/// times, so the same deliveries give the same recording.
final class Timeline {
    private let start: ClockTime
    private let delay: Nanoseconds
    private let clock: any SessionClock
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let audio: AudioStage
    private let leadingRate: FrameRate?
    /// Whether the thread wakes for blocks of audio. Where frames come often enough, audio goes along with them,
    /// since each waking costs.
    private let wakesForAudio: Bool
    private let announce: (SessionEvent) -> Void
    private let never = Cancellation()

    /// How far a camera's own track has come.
    private struct Progress {
        let track: any CameraTrack
        var nextTick: Int64
        /// End of the track, or `nil` when it ends with the recording.
        var end: MediaTime?

        var nextTime: MediaTime { track.rate.time(ofTick: nextTick) }
    }

    /// Decides which outages are told, by the camera's role.
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
    /// Orders for audio, in the order of the times from which they hold.
    private var audioOrders: [(order: AudioOrder, from: MediaTime)] = []
    private var nextAudioTick: Int64 = 0
    /// End of the recording, once it is known. What devices do after it is no part of the recording.
    private var end: MediaTime?

    /// Creates the timeline of a recording.
    ///
    /// - Parameters:
    ///   - start: T0, the time of tick 0.
    ///   - delay: The alignment delay: by then everything that was captured at an instant has been delivered.
    ///   - clock: The session clock.
    ///   - inputs: The devices.
    ///   - outputs: The outputs, which decide at each tick.
    ///   - leadingRate: Rate of the grid on which the recording ends; `nil` to end at any sample.
    ///   - announce: Receives the events of devices.
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

    /// The lowest rate whose next tick is waited for when something ends: one frame a second.
    private static let slowestAwaitedRate = FrameRate(1, per: 1)

    /// Time of the next undecided tick since T0: how far the recording has come.
    private(set) var position = MediaTime.zero

    /// Runs until the end that `control` returns; `control` is called before each step with the time reached.
    ///
    /// - Returns: Duration of the recording.
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

    /// The first tick of the leading grid at or after a time. With less than a frame a second it is the time itself,
    /// since nobody waits for such a tick.
    func endOnGrid(_ time: MediaTime) -> MediaTime {
        guard let leadingRate else { return max(time, MediaTime(nanoseconds: 1)) }
        guard leadingRate >= Self.slowestAwaitedRate else {
            return max(time, AudioGrid.blocks.time(ofTick: 1))
        }
        return leadingRate.time(ofTick: max(leadingRate.ticks(before: time), 1))
    }

    /// Makes the first frame at or after `time` a key frame, with which a new file can begin.
    ///
    /// - Parameters:
    ///   - time: A time that is not decided yet.
    ///   - writer: The file that begins anew, or `nil` for all files.
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

    /// Changes what the program shows and mixes, from the first undecided tick and block of audio at or after a time.
    ///
    /// - Returns: When the frame changes.
    func arrange(_ plan: SessionPlan, from time: MediaTime) -> MediaTime {
        audioOrders.append((.mix(plan.mixGains), time))
        guard let program = outputs.program, let planned = plan.program else { return time }
        program.arrange(planned.layers, from: time)
        return program.rate.time(ofTick: max(nextProgramTick, program.rate.ticks(before: time)))
    }

    /// Takes in another camera, whose frames the program may show.
    func add(_ camera: CameraInput) {
        inputs.add(camera)
        cameraClocks.append(ClockWatch())
        guard let program = outputs.program, camera.hasPixels else { return }
        program.add(GridFollower(input: camera, track: "program", start: start, rate: program.rate))
    }

    /// Adds a track, which decides from a tick on.
    ///
    /// - Parameters:
    ///   - track: A track of a camera that is among the inputs.
    ///   - tick: Its first tick, not decided yet.
    func add(_ track: any CameraTrack, from tick: Int64) {
        tracks.append(Progress(track: track, nextTick: tick))
    }

    /// Takes in another microphone, from the next sample on.
    func add(_ microphone: MicrophoneFeed) {
        inputs.add(microphone.input)
        microphoneClocks.append(ClockWatch())
        outputs.add(microphone)
        audio.add(microphone)
    }

    /// Index of the next sample of audio that is not decided yet.
    var audioPosition: Int64 { audio.position }

    /// Switches a microphone off or on, from the first undecided block of audio that begins at or after a time.
    ///
    /// - Parameters:
    ///   - role: The microphone's role.
    ///   - reason: Why it is off, or `nil` for on.
    ///   - time: Time since T0.
    func switchOff(_ role: String, because reason: String?, from time: MediaTime) {
        let block = AudioGrid.blocks.interval.count
        audioOrders.append(
            (.off(role: role, reason: reason), MediaTime(nanoseconds: time.nanoseconds + block - 1)))
    }

    /// Ends a device's own track at its first undecided tick or sample at or after a time, after one frame or sample
    /// at the least.
    ///
    /// - Returns: When the track ends, or `nil` when there is no such track.
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
            // The track's first frame is shown for a block of audio at the least.
            let least = max(position, rate.time(ofTick: first))
            end = max(time, MediaTime(nanoseconds: least.nanoseconds + AudioGrid.blocks.interval.count))
        }
        tracks[index].end = end
        return end
    }

    /// Ends the frames of a stream whose encoder failed for good. Ticks that were decided after `time` are not in the
    /// file.
    ///
    /// - Parameters:
    ///   - name: Name of the camera's track, or `program`.
    ///   - time: End of what is in the file.
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
        // When no frames are decided any more, audio alone sets the steps.
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
        for lane in outputs.synchronized { lane.finish() }
        for track in outputs.metadata { track.finish(at: end) }
    }
}
