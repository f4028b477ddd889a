internal import Inputs
internal import Media
internal import Plan
internal import SessionFolder
internal import Timing
internal import Writers

/// Changes cameras and microphones while the recording runs, ends their tracks and begins others. Timeline's thread
/// only.
///
/// A thread of its own makes each file or encoder, which takes time; the track begins with the first tick after that.
final class TrackDirector {
    private enum Opening: Sendable {
        /// A camera's track; `isNew` is the camera's plan when the camera is taken in with it.
        case frames(OpenedTrack, isNew: PlannedCamera?)
        case audio(OpenedAudio, isNew: Bool)
        /// An opening that failed; `order` is what it was made for.
        case failed(name: String, RecordingError, order: SessionOrder)
    }

    private let clock: any SessionClock
    private let start: ClockTime
    private let codecs: any CodecFactory
    private let disks: [RecordingDisk]
    private let inputs: SessionInputs
    private let outputs: SessionOutputs
    private let taps: TapBoard
    private let openings = ConditionLock<[Opening]>([])
    /// The threads that make files and encoders now.
    private var threads: [MediaThread] = []
    /// Cameras that are about to be taken in, by role: a format may be asked of them before their files are made.
    private var entering: [String: CameraInput] = [:]
    /// Names of tracks that were ended before they had begun.
    private var unwanted: Set<String> = []
    /// Whether the tracks differ from those in the manifest on the disks.
    private var hasOtherTracks = false

    init(
        clock: any SessionClock, start: ClockTime, codecs: any CodecFactory, disks: [RecordingDisk],
        inputs: SessionInputs, outputs: SessionOutputs, taps: TapBoard
    ) {
        self.clock = clock
        self.start = start
        self.codecs = codecs
        self.disks = disks
        self.inputs = inputs
        self.outputs = outputs
        self.taps = taps
    }

    /// Carries out an order at once, or begins to.
    ///
    /// - Parameters:
    ///   - order: An order of an accepted change.
    ///   - time: When the change was asked for.
    ///   - reason: The change as a person said it.
    ///   - deliver: Asks a camera for a format, as far as the governor allows it.
    /// - Returns: What the timeline is to do at once.
    func follow(
        _ order: SessionOrder, at time: MediaTime, reason: String,
        deliver: (CameraInput, VideoFormat?, String) -> Void
    ) -> [TimelineCommand] {
        switch order {
        case .change(.deliver(let role, let format)):
            if let camera = camera(role) { deliver(camera, format, reason) }
        case .change(.hear(let role, let isOn)):
            return [.switchOff(role: role, reason: isOn ? nil : reason, from: time)]
        case .change(.endTrack(let name)):
            guard outputs.isOpen(track: name) else {
                unwanted.insert(name)
                break
            }
            hasOtherTracks = true
            return [.endTrack(named: name, at: time)]
        case .change(.beginTrack(let planned)):
            if let camera = camera(planned.role) { open(planned, of: camera, for: order) }
        case .admit(let camera, let device, let planned):
            entering[camera.role] = camera
            guard let planned else { return takeIn(camera, device) }
            open(planned, of: camera, isNew: device, for: order)
        case .exchange(let role, let other):
            guard let camera = camera(role) else {
                stop(other.source)
                break
            }
            stop(camera.exchange(for: other, at: clock.now, reason: reason))
            hasOtherTracks = true
            // What the governor has given up is given up of the new camera, too.
            deliver(camera, camera.chosenFormat, reason)
        case .change(.beginAudio(let planned)):
            if let input = inputs.microphones.first(where: { $0.role == planned.role }) {
                open(planned, of: input, for: order)
            }
        case .admitAudio(let input, let planned): open(planned, of: input, isNew: true, for: order)
        }
        return []
    }

    private func camera(_ role: String) -> CameraInput? {
        inputs.cameras.first { $0.role == role } ?? entering[role]
    }

    private func open(
        _ planned: PlannedCameraTrack, of camera: CameraInput, isNew: PlannedCamera? = nil,
        for order: SessionOrder
    ) {
        let (disks, codecs, date) = (disks, codecs, clock.date(of: start))
        open(named: planned.name, for: order) { () throws(RecordingError) in
            .frames(
                try OpenedTrack(planned, of: camera, disks: disks, codecs: codecs, date: date),
                isNew: isNew)
        }
    }

    private func open(
        _ planned: PlannedMicrophoneTrack?, of input: MicrophoneInput, isNew: Bool = false,
        for order: SessionOrder
    ) {
        let (disks, codecs, date) = (disks, codecs, clock.date(of: start))
        open(named: planned?.name ?? input.role, for: order) { () throws(RecordingError) in
            .audio(
                try OpenedAudio(
                    planned, of: input, isNew: isNew, disks: disks, codecs: codecs, date: date),
                isNew: isNew)
        }
    }

    private func open(
        named name: String, for order: SessionOrder,
        making: @escaping @Sendable () throws(RecordingError) -> Opening
    ) {
        let openings = openings
        let thread = MediaThread(name: "open:\(name)") {
            let opening: Opening
            do throws(RecordingError) { opening = try making() } catch {
                opening = .failed(name: name, error, order: order)
            }
            openings.withLock { $0.append(opening) }
        }
        threads.append(thread)
        // In simulated time the recording would be over before the thread has ended.
        if !clock.isRealTime { thread.join() }
    }

    /// Begins the tracks that are ready. To be called as the timeline goes on.
    ///
    /// - Parameters:
    ///   - position: How far the recording has come.
    ///   - end: End of the recording since T0, or `nil` while it is not known: what would begin there or later has no track.
    /// - Returns: The tracks and devices for the timeline, and the events to tell.
    func begin(at position: TimelinePosition, before end: MediaTime?) -> Direction {
        let ready = openings.withLock { openings in
            defer { openings.removeAll() }
            return openings
        }
        var direction = Direction()
        for opening in ready {
            switch opening {
            case .frames(let track, let isNew): begin(track, isNew: isNew, before: end, direction: &direction)
            case .audio(let audio, let isNew):
                begin(
                    audio, isNew: isNew, at: position.audioSample, before: end, direction: &direction)
            case .failed(let name, let error, let order):
                direction.commands += leave(order)
                direction.events.append(
                    SessionEvent(
                        .warning, at: position.time,
                        [
                            "track": .string(name),
                            "text": .string("track \(name) does not begin: \(error.description)"),
                        ]))
            }
        }
        return direction
    }

    /// Decides what happens to a device whose track cannot begin: a camera is taken in without it, a microphone is
    /// stopped.
    private func leave(_ order: SessionOrder) -> [TimelineCommand] {
        switch order {
        case .admit(let camera, let device, _): return takeIn(camera, device)
        case .admitAudio(let microphone, _):
            threads.append(MediaThread(name: "abandon") { microphone.source.stop() })
        case .change, .exchange: break
        }
        return []
    }

    /// Stops a source that is of no use any more. That takes a driver some time.
    private func stop(_ source: any CameraSource) {
        let thread = MediaThread(name: "stop") { source.stop() }
        // In simulated time the source ends when this thread sleeps.
        if clock.isRealTime { threads.append(thread) }
    }

    private func takeIn(_ camera: CameraInput, _ planned: PlannedCamera) -> [TimelineCommand] {
        var files: [(disk: Int, file: MetadataFile)] = []
        if let name = planned.metadataFile {
            files = disks.filter { $0.takes(isProgram: false) }.map { disk in
                (disk: disk.index, file: disk.laterMetadataFile(named: name, of: planned.role))
            }
            hasOtherTracks = true
        }
        outputs.metadata.append(MetadataTrack(input: camera, start: start, taps: taps, files: files))
        return [.addCamera(camera)]
    }

    private func begin(
        _ opened: OpenedTrack, isNew: PlannedCamera?, before end: MediaTime?, direction: inout Direction
    ) {
        if let isNew { direction.commands += takeIn(opened.input, isNew) }
        // No frame captured from now on has been taken yet, and the first tick shows one that was captured just before it.
        let first = clock.now + max(opened.input.clockReading.interval, opened.planned.rate.interval)
        let tick = opened.planned.rate.ticks(before: MediaTime(first, since: start))
        guard begins(opened.planned.name, at: opened.planned.rate.time(ofTick: tick), before: end) else {
            threads.append(MediaThread(name: "abandon") { opened.abandon() })
            return
        }
        let track = opened.begin(
            at: tick, start: start, clock: clock, codecs: codecs, in: outputs)
        direction.commands.append(.addTrack(track, from: tick))
        direction.events.append(
            beginning(
                of: opened.planned.name, in: opened.planned.file, at: opened.planned.rate.time(ofTick: tick)))
    }

    /// Begins a microphone's track: at the next undecided sample, whose index is `first`, or now, as a camera's, where the microphone is new
    /// and may have heard nothing of what is still undecided.
    private func begin(
        _ opened: OpenedAudio, isNew: Bool, at first: Int64, before end: MediaTime?,
        direction: inout Direction
    ) {
        var feed = outputs.microphones.first { $0.role == opened.input.role }
        var heard = first
        if isNew {
            let now = clock.now
            heard = max(first, AudioGrid.samples.ticks(before: MediaTime(now, since: start)))
            opened.input.keepLatest()
            opened.input.recallOutage()
            opened.input.beginWatch(at: now)
            let new = opened.makeFeed(start: start, first: first, heard: heard, taps: taps)
            direction.commands.append(.addMicrophone(new))
            feed = new
        }
        guard let microphone = feed else { return }
        guard let planned = opened.planned else {
            microphone.measure(
                with: opened.loudness(in: outputs, clock: clock, channels: microphone.channels))
            return
        }
        // When the track before it ends a little later, the new one begins there.
        let begin = max(heard, microphone.tracks.last?.end ?? 0)
        let time = AudioGrid.samples.time(ofTick: begin)
        guard begins(planned.name, at: time, before: end) else {
            threads.append(MediaThread(name: "abandon") { opened.abandon() })
            return
        }
        opened.begin(
            planned, of: microphone, at: begin, date: clock.date(of: start + Nanoseconds(time.nanoseconds)),
            loudness: opened.loudness(in: outputs, clock: clock, channels: microphone.channels))
        direction.events.append(beginning(of: planned.name, in: planned.file, at: time))
    }

    /// Whether a track begins: nobody has ended it, and it is not known yet that there is nothing for it.
    private func begins(_ name: String, at time: MediaTime, before end: MediaTime?) -> Bool {
        !unwanted.contains(name) && end.map { time < $0 } ?? true
    }

    private func beginning(of name: String, in file: String, at time: MediaTime) -> SessionEvent {
        hasOtherTracks = true
        return SessionEvent(
            .split, at: time,
            [
                "track": .string(name), "file": .string(file),
                "text": .string("track \(name) begins in \(file)."),
            ])
    }

    /// Whether the manifest on the disks has to be written anew; true once for each reason.
    func takeChange() -> Bool {
        defer { hasOtherTracks = false }
        return hasOtherTracks
    }

    /// Waits for files and encoders in the making, and removes them: the recording does not come to them.
    func finish() {
        for thread in threads { thread.join() }
        for opening in openings.withLock({ $0 }) {
            switch opening {
            case .frames(let track, let isNew):
                track.abandon()
                if isNew != nil { inputs.add(track.input) }
            case .audio(let audio, let isNew):
                audio.abandon()
                if isNew { inputs.add(audio.input) }
            case .failed(_, _, let order): order.hand(to: inputs)
            }
        }
    }
}
