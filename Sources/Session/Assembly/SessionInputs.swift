internal import Inputs
internal import Media
internal import SessionFolder

/// The devices of a session: starts them, waits until all deliver, and keeps their latest deliveries until the first
/// tick.
final class SessionInputs {
    private(set) var cameras: [CameraInput]
    private(set) var microphones: [MicrophoneInput]
    /// The voices of some microphones, which the program mixes in place of the microphones; each has its microphone's
    /// role.
    let voices: [MicrophoneInput]
    private var kept: [[CameraInput.Delivery]]
    /// Counts of the cameras and microphones that were there from the beginning.
    private let plannedCounts: (cameras: Int, microphones: Int)

    /// Good frames that a camera must have delivered: as many as come within `warmUp` seconds, between three and
    /// twelve. That is enough to know its clock to some milliseconds.
    private static let (leastFrames, mostFrames) = (3, 12)
    private static let warmUp = 0.2
    /// Audio that a microphone must have delivered, in seconds.
    private static let audioNeeded = 0.2
    /// Most that frames may come later. What lies in memory is lost in a crash, and a thread may itself be late.
    private static let mostLeeway = Nanoseconds.milliseconds(68)
    private static let pollInterval = Nanoseconds.milliseconds(10)

    init(cameras: [CameraInput], microphones: [MicrophoneInput], voices: [MicrophoneInput] = []) {
        self.voices = voices
        self.cameras = cameras
        self.microphones = microphones
        kept = Array(repeating: [], count: cameras.count)
        plannedCounts = (cameras.count, microphones.count)
    }

    /// Takes in another camera, which delivers already; drops what it has delivered until now.
    func add(_ camera: CameraInput) {
        _ = camera.takeDeliveries()
        _ = camera.takeLog()
        cameras.append(camera)
        kept.append([])
        camera.beginCounting()
    }

    /// Takes in another microphone, which delivers already.
    func add(_ microphone: MicrophoneInput) { microphones.append(microphone) }

    /// Stops and drops the devices that a recording took in, after that recording.
    func dropAdded() {
        for camera in cameras[plannedCounts.cameras...] { camera.stop() }
        for microphone in microphones[plannedCounts.microphones...] { microphone.source.stop() }
        cameras.removeSubrange(plannedCounts.cameras...)
        kept.removeSubrange(plannedCounts.cameras...)
        microphones.removeSubrange(plannedCounts.microphones...)
    }

    /// Starts all devices. In real time all start at once, since a driver or server may take half a second; in simulated time they
    /// start one after the other, since the order counts. When one refuses, those that started run until `stop`.
    func start(on clock: any SessionClock) throws(RecordingError) {
        let starts: [@Sendable () -> Result<Void, DeviceError>] =
            cameras.map { camera in
                { @Sendable in Result { () throws(DeviceError) in try camera.start() } }
            }
            + (microphones + voices).map { microphone in
                { @Sendable in Result { () throws(DeviceError) in try microphone.start() } }
            }
        do throws(DeviceError) {
            if clock.isRealTime {
                for result in Parallel.map(starts, threads: "start", { $0() }) { try result.get() }
            } else {
                for start in starts { try start().get() }
            }
        } catch {
            throw .device(error)
        }
    }

    /// How many good frames a camera must have delivered before a recording uses it.
    static func framesNeeded(of camera: CameraInput) -> Int {
        let inTime = camera.source.format.rate.perSecond * warmUp
        return min(max(Int(inTime), leastFrames), mostFrames)
    }

    /// Whether the microphone has delivered enough for its clock to be known.
    static func isReady(_ microphone: MicrophoneInput) -> Bool {
        Double(microphone.goodSamples) >= audioNeeded * Double(microphone.source.format.rate)
    }

    /// What a device is waited for.
    enum Awaited {
        /// A frame, of H.264 a key frame, or audio: what it delivers is known then.
        case first
        /// Enough for its clock to be known.
        case enough
    }

    /// Sleeps until every device has delivered, or throws when one does not within `limit`.
    func wait(
        for awaited: Awaited, on clock: any SessionClock, limit: Nanoseconds, controls: SessionControls
    ) throws(RecordingError) {
        let begin = clock.now
        while let (waiting, settlingTime, lacksKey) = firstWithout(awaited) {
            guard controls.stopTime == nil else { throw .stopped }
            let limit = limit + settlingTime
            guard clock.now < begin + limit else {
                let seconds = Int(rounding: limit.inSeconds, .up)
                throw .device(
                    DeviceError(
                        device: waiting, operation: "start",
                        reason: lacksKey
                            ? .other(
                                "no key frame was among its frames for \(seconds) s. Plug it in again, or choose `format: mjpeg`."
                            ) : .silent(seconds: seconds)))
            }
            clock.sleep(until: clock.now + Self.pollInterval, unless: controls.cancellation)
            keepLatest()
        }
    }

    /// Takes what camera `index` delivered since the last call; the first call begins with the frames around T0.
    func takeDeliveries(ofCamera index: Int) -> [CameraInput.Delivery] {
        let taken = kept[index] + cameras[index].takeDeliveries()
        kept[index] = []
        return taken
    }

    /// Tells each camera how much later its frames may come, where ticks are decided `delay` after their time: not at all while a tap waits
    /// for each of them.
    func allowLeeway(besides taps: TapBoard, decidedAfter delay: Nanoseconds) {
        let interval = longestInterval
        for camera in cameras {
            let leeway = camera.leeway(decidedAfter: delay, longestInterval: interval)
            camera.source.deliver(
                within: taps.isWatched(camera.role) ? .zero : min(leeway, Self.mostLeeway))
        }
    }

    /// Has each camera deliver each frame at once, as before a recording.
    func endLeeway() {
        for camera in cameras { camera.source.deliver(within: .zero) }
    }

    /// Begins a recording: from here on the timeline takes all deliveries, first of all which devices are away.
    func tellBeginning(_ start: ClockTime, stamped stamp: ClockTime) {
        for (index, camera) in cameras.enumerated() {
            let isTold = kept[index].contains { delivery in
                switch delivery {
                case .away, .ended: true
                case .frame, .lost, .returned, .formatChanged, .warning: false
                }
            }
            if let outage = camera.outage, !isTold { kept[index].insert(outage, at: 0) }
            camera.beginCounting()
            camera.source.recordingBegins(at: stamp)
        }
        for microphone in microphones + voices { microphone.recallOutage() }
        for microphone in microphones {
            microphone.beginWatch(at: start)
            microphone.source.recordingBegins(at: stamp)
        }
        for voice in voices { voice.source.recordingBegins(at: stamp) }
    }

    /// Stops all devices, in real time all at once.
    ///
    /// - Returns: The threads that stop them, to be waited for.
    func stop(on clock: any SessionClock) -> [MediaThread] {
        let (planned, added) = (cameras[..<plannedCounts.cameras], cameras[plannedCounts.cameras...])
        let stops: [@Sendable () -> Void] =
            planned.map { camera in { @Sendable in camera.source.stop() } }
            + added.map { camera in { @Sendable in camera.stop() } }
            + (microphones + voices).map { microphone in { @Sendable in microphone.source.stop() } }
        guard !clock.isRealTime else { return stops.map { MediaThread(name: "stop", $0) } }
        for stop in stops { stop() }
        return []
    }

    /// The longest time from capture to delivery of any device.
    var slowestDelivery: Nanoseconds {
        max(
            cameras.map(\.deliveryDelay).max() ?? .zero,
            (microphones + voices).map(\.deliveryDelay).max() ?? .zero)
    }
    /// The longest frame interval of any camera.
    var longestInterval: Nanoseconds { cameras.map(\.source.format.rate.interval).max() ?? .milliseconds(20) }

    /// Processor time that synthetic devices used.
    var simulationTime: Nanoseconds {
        cameras.flatMap(\.sources).map(\.source.simulationTime).reduce(.zero, +)
            + microphones.map(\.source.simulationTime).reduce(.zero, +)
    }

    /// The first device that has not delivered yet: its name, how much longer than others it may take, and whether it delivers frames and
    /// no key frame.
    private func firstWithout(
        _ awaited: Awaited
    ) -> (name: String, settlingTime: Nanoseconds, lacksKey: Bool)? {
        for camera in cameras {
            let count = camera.progress.goodFrames
            // A camera that was met in the middle of its stream says nothing of it before the next key frame.
            let lacksKey = camera.source.format.pixel == .h264 && camera.latestKey == nil && count > 0
            let needed = awaited == .first ? 1 : Self.framesNeeded(of: camera)
            guard lacksKey || count < needed else { continue }
            return ("camera \(camera.role) (\(camera.source.device.name))", .zero, lacksKey)
        }
        for microphone in microphones + voices where !Self.isReady(microphone) {
            if awaited == .first, microphone.goodSamples > 0 { continue }
            return (
                "microphone \(microphone.role) (\(microphone.source.device.name))",
                microphone.source.settlingTime, false
            )
        }
        return nil
    }

    /// Drops what came before the first tick, except the last frames and the last seconds of audio. An H.264 stream
    /// is kept from its last key frame on, up to `streamBytes`; beyond that nothing of it is kept until the next key
    /// frame, with which a track then begins. What became of devices before, `tellBeginning` knows.
    func keepLatest() {
        for microphone in microphones + voices { microphone.keepLatest() }
        for index in cameras.indices { _ = keepLatest(ofCamera: index) }
    }

    /// Drops all but the latest deliveries, and returns what happened to devices since the last call. Lost frames are
    /// not told, since nothing is recorded.
    ///
    /// - Parameter start: The instant from which the events' times count.
    /// - Returns: The events of the microphones, then those of the cameras.
    func takeNews(since start: ClockTime) -> [SessionEvent] {
        for voice in voices { voice.keepLatest() }
        var news = microphones.flatMap { microphone in
            microphone.keepLatest().compactMap { $0.event(of: microphone.role, since: start) }
        }
        for (index, camera) in cameras.enumerated() {
            _ = camera.takeLog()
            for delivery in keepLatest(ofCamera: index) {
                if case .lost = delivery { continue }
                if let event = delivery.event(of: camera.role, since: start) { news.append(event) }
            }
        }
        return news
    }

    /// The frame that a camera would show now, while nothing is recorded; `nil` while it is away. Call `takeNews` before, so that
    /// it is a new one.
    func latestFrame(of role: String) -> CapturedFrame? {
        guard let index = cameras.firstIndex(where: { $0.role == role }), !cameras[index].isAway else {
            return nil
        }
        for case .frame(let dated) in kept[index].reversed() {
            if let shown = dated.shown { return shown }
        }
        return nil
    }

    /// Restores the formats of the cameras after a recording that reduced them.
    func restoreFormats() {
        for camera in cameras where camera.isChangeable {
            camera.chosenFormat = camera.source.format
            camera.change(to: camera.source.format, for: .governor, reason: "the recording is over")
        }
    }

    /// Drops all but the latest deliveries of a camera.
    ///
    /// - Returns: The deliveries since the last call that are no frames.
    private func keepLatest(ofCamera index: Int) -> [CameraInput.Delivery] {
        let new = cameras[index].takeDeliveries()
        kept[index] = Self.latest(
            of: kept[index] + new, isStream: cameras[index].source.format.pixel == .h264)
        return new.filter { delivery in
            if case .frame = delivery { return false }
            return true
        }
    }

    /// Most bytes of one H.264 stream that are kept: some seconds of any camera; key frames are seldom further apart.
    static let streamBytes = 64 << 20
    private static let mostStreamDeliveries = 4096

    /// The deliveries to keep: of H.264 those from the last key frame on, else the last four.
    static func latest(
        of deliveries: [CameraInput.Delivery], isStream: Bool, byteLimit: Int = streamBytes
    ) -> [CameraInput.Delivery] {
        guard isStream else { return deliveries.suffix(4) }
        let lastKey = deliveries.lastIndex { $0.frame?.isKey ?? false }
        if let lastKey {
            let kept = deliveries[lastKey...]
            let bytes = kept.reduce(0) { $0 + ($1.frame?.memory.count ?? 0) }
            if bytes <= byteLimit, kept.count <= mostStreamDeliveries { return Array(kept) }
        }
        // Frames without their key frame cannot be shown.
        return deliveries.filter { $0.frame == nil }.suffix(4)
    }
}
