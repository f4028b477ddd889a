internal import Media

/// Changes cameras while the recording runs, ends their tracks and begins others. Timeline's thread only.
///
/// What takes time, a file or an encoder, a thread of its own makes; the track begins with the first tick after that.
final class TrackDirector {
    private enum Opening: Sendable {
        case opened(OpenedTrack, isNew: Bool)
        case failed(PlannedCameraTrack, RecordingError)
    }

    private let clock: any SessionClock
    private let start: ClockTime
    private let machinery: any MediaMachinery
    private let disks: [RecordingDisk]
    private let timeline: Timeline
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let openings = Monitor<[Opening]>([])
    /// Those that are being made.
    private var threads: [MediaThread] = []
    /// Tracks that were ended before they had begun.
    private var unwanted: Set<String> = []
    private var events: [SessionEvent] = []
    /// Whether the tracks are others than those that the manifest on the disks names.
    private var hasOtherTracks = false

    init(
        clock: any SessionClock, start: ClockTime, machinery: any MediaMachinery, disks: [RecordingDisk],
        timeline: Timeline, inputs: SessionInputs, outputs: SessionOutputs
    ) {
        self.clock = clock
        self.start = start
        self.machinery = machinery
        self.disks = disks
        self.timeline = timeline
        self.inputs = inputs
        self.outputs = outputs
    }

    /// Does what can be done at once, and begins the rest.
    ///
    /// - Parameters:
    ///   - order: Of a change that was accepted.
    ///   - reason: The change, as a person said it.
    ///   - deliver: Has a camera deliver otherwise, as far as the governor lets it.
    func follow(
        _ order: SessionOrder, reason: String, deliver: (CameraInput, VideoFormat?, String) -> Void
    ) {
        switch order {
        case .deliver(let role, let format):
            guard let camera = inputs.cameras.first(where: { $0.role == role }) else { return }
            deliver(camera, format, reason)
        case .endTrack(let name):
            guard let end = timeline.endTrack(named: name) else {
                unwanted.insert(name)
                return
            }
            outputs.ends[name] = end
            hasOtherTracks = true
        case .beginTrack(let planned):
            guard let camera = inputs.cameras.first(where: { $0.role == planned.role }) else { return }
            open(planned, of: camera, isNew: false)
        case .admit(let camera, let planned):
            guard let planned else { return timeline.add(camera) }
            open(planned, of: camera, isNew: true)
        }
    }

    private func open(_ planned: PlannedCameraTrack, of camera: CameraInput, isNew: Bool) {
        let (disks, machinery, openings) = (disks, machinery, openings)
        let date = clock.date(of: start)
        let thread = MediaThread(name: "open:\(planned.name)") {
            let opening: Opening
            do throws(RecordingError) {
                opening = .opened(
                    try OpenedTrack(planned, of: camera, disks: disks, machinery: machinery, date: date),
                    isNew: isNew)
            } catch {
                opening = .failed(planned, error)
            }
            openings.withLock { $0.append(opening) }
        }
        threads.append(thread)
        // Simulated time would be over before.
        if !clock.isRealTime { thread.join() }
    }

    /// Begins the tracks that are ready. To be called at each tick.
    ///
    /// - Parameter position: How far the recording has come.
    /// - Returns: What there is to tell.
    func takeEvents(at position: MediaTime) -> [SessionEvent] {
        let ready = openings.withLock { openings in
            defer { openings.removeAll() }
            return openings
        }
        for opening in ready {
            switch opening {
            case .opened(let track, let isNew): begin(track, isNew: isNew)
            case .failed(let planned, let error):
                events.append(
                    SessionEvent(
                        .warning, at: position,
                        [
                            "track": .string(planned.name),
                            "text": .string("track \(planned.name) does not begin: \(error.description)"),
                        ]))
            }
        }
        defer { events.removeAll() }
        return events
    }

    private func begin(_ opened: OpenedTrack, isNew: Bool) {
        if isNew { timeline.add(opened.input) }
        guard !unwanted.contains(opened.planned.name) else {
            threads.append(MediaThread(name: "abandon") { opened.abandon() })
            return
        }
        // Of a picture captured from now on nothing has been taken yet; the first tick has one that was captured just before it.
        let first = clock.now + max(opened.input.clockReading.interval, opened.planned.rate.interval)
        let tick = opened.planned.rate.ticks(before: MediaTime(first, since: start))
        let track = opened.begin(
            at: tick, start: start, clock: clock, machinery: machinery, in: outputs)
        timeline.add(track, from: tick)
        hasOtherTracks = true
        let at = opened.planned.rate.time(ofTick: tick)
        events.append(
            SessionEvent(
                .split, at: at,
                [
                    "track": .string(opened.planned.name), "file": .string(opened.planned.file),
                    "text": .string("track \(opened.planned.name) begins in \(opened.planned.file)."),
                ]))
    }

    /// Whether the manifest on the disks is to be written anew, told once.
    func takeChange() -> Bool {
        defer { hasOtherTracks = false }
        return hasOtherTracks
    }

    /// Waits for what is being made, which the recording does not come to.
    func finish() {
        for thread in threads { thread.join() }
        for case .opened(let track, let isNew) in openings.withLock({ $0 }) {
            track.abandon()
            if isNew { inputs.add(track.input) }
        }
    }
}
