internal import MulticamInputs
internal import MulticamMedia
internal import MulticamSessionFolder

/// The devices of a session. Starts the devices, waits until all of them deliver data, and buffers the latest
/// deliveries until the first tick.
final class SessionInputs {
    private(set) var cameras: [CameraInput]
    private(set) var microphones: [MicrophoneInput]
    /// The voice sources: microphone audio with echo and noise removed, which the program mixes instead of
    /// the microphones' own audio. A voice source has the same role as its microphone.
    let voices: [MicrophoneInput]
    /// Indices, among the cameras, microphones, and voices, of devices that another session had started. This session
    /// must not stop them.
    private var foreignDevices: Set<Int> = []
    private var retainedDeliveries: [[CameraInput.Delivery]]
    /// Number of cameras and microphones present from the beginning.
    private let plannedCounts: (cameras: Int, microphones: Int)

    /// Minimum and maximum of the number of valid frames that a camera must deliver before a recording.
    /// Between these limits, the required number is the number of frames captured in `warmUp` seconds, which
    /// is enough to estimate the camera's clock to within a few milliseconds.
    private static let (minFrames, maxFrames) = (3, 12)
    private static let warmUp = 0.2
    /// Minimum duration of audio that a microphone must deliver before a recording, in seconds.
    private static let audioNeeded = 0.2
    /// Maximum time for which a camera may delay frames to deliver several at once. The time is limited
    /// because a crash loses the frames in memory, and because the delivering thread may also run late.
    private static let maxLeeway = Nanoseconds.milliseconds(68)
    private static let pollInterval = Nanoseconds.milliseconds(10)

    init(cameras: [CameraInput], microphones: [MicrophoneInput], voices: [MicrophoneInput] = []) {
        self.voices = voices
        self.cameras = cameras
        self.microphones = microphones
        retainedDeliveries = Array(repeating: [], count: cameras.count)
        plannedCounts = (cameras.count, microphones.count)
    }

    /// Adds a camera that already delivers frames. Drops the frames delivered before this call.
    func add(_ camera: CameraInput) {
        _ = camera.dequeueDeliveries()
        _ = camera.drainLog()
        cameras.append(camera)
        retainedDeliveries.append([])
        camera.beginCounting()
    }

    /// Adds a microphone that already delivers audio.
    func add(_ microphone: MicrophoneInput) { microphones.append(microphone) }

    /// After a recording, stops and removes the devices that were added during the recording.
    func removeAddedDevices() {
        for camera in cameras[plannedCounts.cameras...] { camera.stop() }
        for microphone in microphones[plannedCounts.microphones...] { microphone.source.stop() }
        cameras.removeSubrange(plannedCounts.cameras...)
        retainedDeliveries.removeSubrange(plannedCounts.cameras...)
        microphones.removeSubrange(plannedCounts.microphones...)
    }

    /// Starts all devices. In real time, devices start in parallel, because a driver or server may take half a second.
    /// In simulated time, devices start one after the other, because the order matters. If a device fails, the devices
    /// that have already started keep running until `stop` is called.
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
                let results = Parallel.map(starts, threadName: "start", { $0() })
                for (index, result) in results.enumerated() {
                    if case .failure(let error) = result, error == .alreadyStarted(error.device) {
                        foreignDevices.insert(index)
                    }
                }
                for result in results { try result.get() }
            } else {
                for start in starts { try start().get() }
            }
        } catch {
            throw .device(error)
        }
    }

    /// Returns the number of valid frames that a camera must have delivered before a recording uses it.
    static func framesNeeded(of camera: CameraInput) -> Int {
        let inTime = camera.source.format.rate.perSecond * warmUp
        return min(max(Int(inTime), minFrames), maxFrames)
    }

    /// Whether the microphone has delivered enough audio to estimate its clock.
    static func isReady(_ microphone: MicrophoneInput) -> Bool {
        Double(microphone.goodSamples) >= audioNeeded * Double(microphone.source.format.rate)
    }

    /// The amount of data that the session waits for from each device.
    enum Readiness {
        /// One frame (a key frame for H.264) or some audio, which reveals the delivered format.
        case first
        /// Enough data to estimate the device's clock.
        case enough
    }

    /// Sleeps until every device has delivered the awaited data. Throws an error if a device takes longer
    /// than `limit`.
    func wait(
        for awaited: Readiness, on clock: any SessionClock, limit: Nanoseconds, controls: SessionControls
    ) throws(RecordingError) {
        let begin = clock.now
        while let (waiting, kind, settlingTime, missingKeysOf, outage) = firstUnreadyInput(for: awaited) {
            guard controls.stopTime == nil else { throw .stopped }
            let limit = limit + settlingTime
            guard clock.now < begin + limit else {
                let seconds = Int(rounding: limit.inSeconds, .up)
                throw .device(
                    DeviceError(
                        device: waiting, operation: "starting",
                        reason: missingKeysOf.map {
                            .other(Self.lackOfKeyFrames(of: $0, seconds: seconds))
                        } ?? .noData(from: kind, seconds: seconds, after: outage)))
            }
            clock.sleep(until: clock.now + Self.pollInterval, unless: controls.cancellation)
            retainLatest()
        }
    }

    /// Returns the error message for a camera that delivers no key frames. The message explains why the
    /// camera can't be recorded and what to do. `selector` is the device's selector, without its role.
    static func lackOfKeyFrames(of selector: String, seconds: Int) -> String {
        let remedy =
            SourceAddress.isRelayed(selector)
            ? "Set a shorter key frame interval (GOP) in the camera, such as 2 s."
            : "Reconnect the camera, or set `format: mjpeg`."
        return "the camera sent no key frame within \(seconds) s. \(remedy)"
    }

    /// Dequeues the deliveries of camera `index` since the last call. The first call also returns the
    /// buffered frames from just before T0.
    func dequeueDeliveries(ofCamera index: Int) -> [CameraInput.Delivery] {
        let taken = retainedDeliveries[index] + cameras[index].dequeueDeliveries()
        retainedDeliveries[index] = []
        return taken
    }

    /// Sets how long each camera may delay its deliveries when ticks are processed `delay` after their time. A camera
    /// may not delay deliveries while a tap waits for each frame.
    func allowLeeway(besides taps: TapRegistry, decidedAfter delay: Nanoseconds) {
        let interval = longestInterval
        for camera in cameras {
            let leeway = camera.leeway(decidedAfter: delay, longestInterval: interval)
            camera.source.setDeliveryLeeway(
                taps.needsPromptFrames(of: camera.role) ? .zero : min(leeway, Self.maxLeeway))
        }
    }

    /// Ends the delays set by `allowLeeway`, so that each camera again delivers every frame immediately.
    func endLeeway() {
        for camera in cameras { camera.source.setDeliveryLeeway(.zero) }
    }

    /// Notifies the devices that a recording is beginning. After this call, the timeline receives all
    /// deliveries, starting with the current outages.
    func notifyRecordingStarted(_ start: ClockTime, stamped stamp: ClockTime) {
        for (index, camera) in cameras.enumerated() {
            if let outage = camera.outage {
                let delivery = CameraInput.Delivery.away(outage.continued(at: start))
                let retained = retainedDeliveries[index].lastIndex {
                    if case .away = $0 { true } else { false }
                }
                if let retained {
                    retainedDeliveries[index][retained] = delivery
                } else {
                    retainedDeliveries[index].insert(delivery, at: 0)
                }
            }
            camera.beginCounting()
            camera.source.setRecordingStart(stamp)
        }
        for microphone in microphones + voices { microphone.redeliverOutage(since: start) }
        for microphone in microphones {
            microphone.beginMonitoring(at: start)
            microphone.source.setRecordingStart(stamp)
        }
        for voice in voices { voice.source.setRecordingStart(stamp) }
    }

    /// Stops all devices. With a real-time clock, the devices stop in parallel.
    ///
    /// - Returns: The threads that stop the devices. The caller must pass these threads to `wait(for:)`.
    func stop(on clock: any SessionClock) -> [StoppingDevice] {
        let (planned, added) = (cameras[..<plannedCounts.cameras], cameras[plannedCounts.cameras...])
        let all: [(role: String, stop: @Sendable () -> Void)] =
            planned.map { camera in ("camera \(camera.role)", { @Sendable in camera.source.stop() }) }
            + added.map { camera in ("camera \(camera.role)", { @Sendable in camera.stop() }) }
            + (microphones + voices).map { microphone in
                ("microphone \(microphone.role)", { @Sendable in microphone.source.stop() })
            }
        let stops = all.enumerated().filter { !foreignDevices.contains($0.offset) }.map(\.element)
        guard !clock.isRealTime else {
            return stops.map {
                StoppingDevice(name: $0.role, thread: MediaThread.startOrRunInline(name: "stop", $0.stop))
            }
        }
        for (_, stop) in stops { stop() }
        return []
    }

    /// A device, and the thread that stops it.
    struct StoppingDevice {
        let name: String
        let thread: MediaThread
    }

    /// Maximum time to wait until all devices have stopped. A driver may need a few seconds.
    private static let stopTimeLimit = Nanoseconds.seconds(20)

    /// Waits until devices have stopped, but at most 20 s.
    ///
    /// - Returns: A warning for each device that hasn't stopped.
    static func wait(for stops: [StoppingDevice]) -> [String] {
        let deadline = MonotonicClock().now + stopTimeLimit
        return stops.compactMap { stop in
            stop.thread.join(until: deadline)
                ? nil
                : "\(stop.name) has not stopped within 20 s. The session ends without waiting for it."
        }
    }

    /// The longest time from capture to delivery among all devices.
    var slowestDelivery: Nanoseconds {
        max(
            cameras.map(\.deliveryDelay).max() ?? .zero,
            (microphones + voices).map(\.deliveryDelay).max() ?? .zero)
    }
    /// The longest frame interval among all cameras.
    var longestInterval: Nanoseconds { cameras.map(\.source.format.rate.interval).max() ?? .milliseconds(20) }

    /// Processor time used by synthetic devices.
    var simulationTime: Nanoseconds {
        cameras.flatMap(\.sources).map(\.source.simulationTime).reduce(.zero, +)
            + microphones.map(\.source.simulationTime).reduce(.zero, +)
    }

    /// Returns the first device that has not delivered the awaited data yet: its name and kind, its
    /// additional settling time, and whether it delivers frames but no key frame.
    private func firstUnreadyInput(
        for awaited: Readiness
    ) -> (name: String, kind: SourceKind, settlingTime: Nanoseconds, missingKeysOf: String?, outage: String?)?
    {
        for camera in cameras {
            let count = camera.progress.goodFrames
            // If reception starts in the middle of a camera's stream, the stream can't be decoded before the
            // next key frame.
            let lacksKey = camera.source.format.pixel == .h264 && camera.latestKey == nil && count > 0
            let needed = awaited == .first ? 1 : Self.framesNeeded(of: camera)
            guard lacksKey || count < needed else { continue }
            let device = camera.source.device
            return (
                "camera \(camera.role) (\(device.name))", SourceKind(device), .zero,
                lacksKey ? device.selector : nil, camera.outage?.reason
            )
        }
        for microphone in microphones + voices where !Self.isReady(microphone) {
            if awaited == .first, microphone.goodSamples > 0 { continue }
            return (
                "microphone \(microphone.role) (\(microphone.source.device.name))",
                SourceKind(microphone.source.device),
                microphone.source.settlingTime, nil, nil
            )
        }
        return nil
    }

    /// Drops data from before the first tick, except the last few frames and the last few seconds of audio.
    /// An H.264 stream is kept starting with its last key frame, up to `maxStreamBytes`. Beyond this limit, the
    /// stream is dropped until the next key frame, which then starts a track. `notifyRecordingStarted`
    /// reports earlier outages of devices.
    func retainLatest() {
        for microphone in microphones + voices { microphone.dropOldAudio() }
        for index in cameras.indices { _ = retainLatest(ofCamera: index) }
    }

    /// Drops all but the latest deliveries, and returns the device events since the last call. Lost frames are not
    /// reported because nothing is recorded.
    ///
    /// - Parameter start: The reference instant for the events' times.
    /// - Returns: The events of the microphones, followed by the events of the cameras.
    func dequeueEvents(since start: ClockTime) -> [SessionEvent] {
        for voice in voices { voice.dropOldAudio() }
        var news = microphones.flatMap { microphone in
            microphone.dropOldAudio().compactMap { $0.event(of: microphone.role, since: start) }
        }
        for (index, camera) in cameras.enumerated() {
            _ = camera.drainLog()
            for delivery in retainLatest(ofCamera: index) {
                if case .lost = delivery { continue }
                if let event = delivery.event(of: camera.role, since: start) { news.append(event) }
            }
        }
        return news
    }

    /// Returns a camera's current frame while nothing is being recorded; `nil` while the camera is
    /// disconnected. Call `dequeueEvents` first to receive a new frame.
    func latestFrame(of role: String) -> CapturedFrame? {
        guard let index = cameras.firstIndex(where: { $0.role == role }), !cameras[index].isAway else {
            return nil
        }
        for case .frame(let dated) in retainedDeliveries[index].reversed() {
            if let shown = dated.shown { return shown }
        }
        return nil
    }

    /// Restores the formats of cameras after a recording in which the formats were reduced.
    func restoreFormats() {
        for camera in cameras where camera.canChangeFormat {
            camera.chosenFormat = camera.source.format
            camera.change(to: camera.source.format, for: .governor, reason: "the recording has ended")
        }
    }

    /// Drops all but the latest deliveries of a camera.
    ///
    /// - Returns: The deliveries since the last call that aren't frames.
    private func retainLatest(ofCamera index: Int) -> [CameraInput.Delivery] {
        let new = cameras[index].dequeueDeliveries()
        retainedDeliveries[index] = Self.latest(
            of: retainedDeliveries[index] + new, isStream: cameras[index].source.format.pixel == .h264)
        return new.filter { delivery in
            if case .frame = delivery { return false }
            return true
        }
    }

    /// Maximum number of bytes that are kept of one H.264 stream. The limit allows for a few seconds of H.264
    /// from any camera; key frames are rarely farther apart.
    static let maxStreamBytes = 64 << 20
    private static let maxStreamDeliveries = 4096

    /// Returns the deliveries to keep. For H.264, these are the deliveries since the last key frame; for
    /// other formats, the last four deliveries.
    static func latest(
        of deliveries: [CameraInput.Delivery], isStream: Bool, byteLimit: Int = maxStreamBytes
    ) -> [CameraInput.Delivery] {
        guard isStream else { return deliveries.suffix(4) }
        let lastKey = deliveries.lastIndex { $0.frame?.isKey ?? false }
        if let lastKey {
            let kept = deliveries[lastKey...]
            let bytes = kept.reduce(0) { $0 + ($1.frame?.memory.count ?? 0) }
            if bytes <= byteLimit, kept.count <= maxStreamDeliveries { return Array(kept) }
        }
        // Frames can't be decoded without the preceding key frame.
        return deliveries.filter { $0.frame == nil }.suffix(4)
    }
}
