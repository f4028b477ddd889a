import Encoding
public import Media

/// A synthetic camera: a generated test frame, a device clock of its own, and the faults that its selector scripts.
///
/// Each frame is prepared during its exposure and delivered when it is due. Frame n depends on the session clock, the
/// selector and the role alone, so recordings in simulated time repeat to the byte.
public final class VirtualCamera: CameraSource {
    /// Identity, selector, offered formats and controls of this camera.
    public let device: CaptureDevice
    /// Format that the camera delivers from `start` on; `change(to:)` does not alter this property.
    public let format: VideoFormat
    /// Full-range BT.601 (JPEG) for `mjpeg` and `grey`, limited-range BT.601 for other pixel formats.
    public let color: ColorDescription
    /// Longest time from the start of exposure to delivery: frame interval + latency + jitter.
    public let deliveryDelay: Nanoseconds
    private let settings: VirtualCameraSettings
    private let role: String
    private let image: StillFrame?
    private let request = ConditionLock(Request.none)
    private let thread: SourceThread
    private let place: SyntheticBus.Place?
    private let adjustables: VirtualControls
    /// Outcomes of `set` calls that the camera's thread has not yet delivered as a `controls` event.
    private let untold = ConditionLock<[ControlOutcome]>([])

    private enum Request {
        case none
        /// The format to switch to; `nil` switches the camera off.
        case format(VideoFormat?)
    }

    /// Time a change of format takes, as a webcam needs it to stop, take the format and start again.
    private static let restartTime = Nanoseconds.milliseconds(300)
    /// In real time, frames overdue by more than this are lost, as when a driver's buffers are full.
    private static let patience = Nanoseconds.seconds(1)
    /// Number of different noise frames that repeat in turn.
    private static let noiseCount: Int64 = 4

    /// Makes a synthetic camera, not yet started.
    ///
    /// - Parameters:
    ///   - role: The role in the profile; random choices depend on it.
    ///   - settings: The parsed selector.
    ///   - wanted: The format that the role asks for; the selector's own keys take precedence.
    /// - Throws: `VirtualDeviceError.device` when the still image is missing or cannot be read.
    public init(
        role: String, settings: VirtualCameraSettings, wanted: VideoFormat? = nil
    ) throws(VirtualDeviceError) {
        self.settings = settings
        self.role = role
        let format = settings.format(wanted: wanted)
        self.format = format
        // Grey is full range (`FrameLayout`). Other formats are what V4L2_MAP_YCBCR_ENC_DEFAULT and
        // V4L2_MAP_QUANTIZATION_DEFAULT (linux/videodev2.h) give for the sRGB of webcams.
        color = format.pixel == .mjpeg || format.pixel == .grey ? .jpeg : .bt601Limited
        thread = SourceThread(name: "cam:\(role)")
        let behavior = settings.behavior
        let rules = Self.rules(settings, role: role, rate: format.rate)
        let interval = Nanoseconds.seconds(rounding: rules.timebase.intervalInSeconds + 1e-9)
        deliveryDelay = interval + behavior.latency + behavior.jitter
        adjustables = VirtualControls(without: settings.missingControls, choices: rules.choices)
        device = Self.device(role: role, settings: settings, format: format, controls: adjustables.all)
        place = SyntheticBus.camera(device.identity, on: behavior.bus).map {
            SyntheticBus.Place($0, format: format, name: settings.selector)
        }
        guard case .still(let path) = settings.pattern else {
            image = nil
            return
        }
        let upright = settings.mount.swapsSides ? format.size.turned : format.size
        image = try ReadableFile(path, asked: settings.selector, operation: "opening the image").read {
            () throws(EncodingError) in try StillFrame(path: path, size: upright)
        }
    }

    /// Takes bandwidth on the synthetic bus and starts the camera's thread. Returns at once; events follow on that
    /// thread.
    ///
    /// - Parameters:
    ///   - clock: The session clock that the frames are timed by.
    ///   - receive: Called on the camera's thread for each event.
    /// - Throws: `DeviceError` with `noBandwidth` when the bus that the selector names has too little bandwidth left.
    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        try place?.take()
        thread.start(on: clock) { cancellation in
            do throws(EncodingError) {
                try self.run(on: clock, until: cancellation, delivering: receive)
            } catch {
                receive(.ended(at: clock.now, cause: error.description))
            }
        }
    }

    /// Sets T0, the instant that the fault script counts from. Only the first call since `start` counts.
    public func recordingBegins(at start: ClockTime) {
        thread.recordingBegins(at: start)
    }

    /// False for a still image, which is loaded for one size.
    public var isChangeable: Bool { image == nil }

    /// Asks the camera's thread to restart in another format, which takes 300 ms as with a webcam. Returns at once.
    ///
    /// - Parameter format: The new format; `nil` switches the camera off until a format is given.
    /// - Precondition: `isChangeable`.
    public func change(to format: VideoFormat?) {
        precondition(isChangeable, "an image has one size")
        request.withLock { $0 = .format(format) }
    }

    /// Returns all controls with their present values.
    public func controls() -> [DeviceControl] { adjustables.all }

    /// Sets controls in the given order; a `controls` event with the outcomes follows on the camera's thread.
    ///
    /// - Parameter requests: Controls with their new values, in an order in which they can be carried out.
    /// - Returns: The outcome of each request, in the same order.
    public func set(_ requests: [ControlRequest]) -> [ControlOutcome] {
        let outcomes = adjustables.set(requests)
        untold.withLock { $0 += outcomes }
        return outcomes
    }

    /// Stops the thread, waits for its end and frees the bandwidth on the bus. Must not be called from the camera's own
    /// thread.
    public func stop() {
        thread.stop()
        place?.leave()
    }

    /// Processor time that the camera's threads have used to paint and encode frames.
    public var simulationTime: Nanoseconds { thread.processorTime }

    // MARK: On its thread

    /// The state of the stream between two changes of format.
    private struct Stream {
        let format: VideoFormat
        let rules: ScriptedDelivery.Rules
        var painter: any FramePainting
        /// The scene adjustments that `painter` was made with.
        var look: FrameLook
        var delivery: ScriptedDelivery
        /// Whether the change of format is still to be reported, together with the return.
        var isUntold = false
        /// The frame that is exposed now or next, once it has been painted.
        var prepared: CapturedFrame?
    }

    private func makeStream(
        _ format: VideoFormat, on clock: any SessionClock, afterChanges changes: Int = 0
    ) throws(EncodingError) -> Stream {
        var rules = Self.rules(settings, role: role, rate: format.rate)
        if clock.isRealTime { rules.patience = Self.patience }
        let look = adjustables.look
        return Stream(
            format: format, rules: rules, painter: try makePainter(format, rules.choices, look), look: look,
            delivery: ScriptedDelivery(rules, from: clock.now, afterChanges: changes))
    }

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @Sendable (CameraEvent) -> Void
    ) throws(EncodingError) {
        var stream = try makeStream(format, on: clock)
        while true {
            tellControls(at: clock.now, receive)
            if adjustables.look != stream.look {
                stream.look = adjustables.look
                stream.painter = try makePainter(stream.format, stream.rules.choices, stream.look)
                stream.prepared = nil
            }
            if case .format(let wanted) = takeRequest() {
                guard try change(&stream, to: wanted, on: clock, until: cancellation, receive) else { return }
            }
            if stream.prepared?.sequence != stream.delivery.slot {
                stream.prepared = try prepare(stream)
                thread.noteProcessorTime()
            }
            let wake = stream.delivery.wake(since: thread.recordingStart)
            guard clock.sleep(until: wake, unless: cancellation) else { return }
            for step in stream.delivery.steps(at: clock.now, since: thread.recordingStart) {
                switch step {
                case .deliver(_, let isDamaged):
                    if let prepared = stream.prepared {
                        receive(isDamaged ? damaged(prepared) : .frame(prepared))
                    }
                case .lost(let count, let cause, let time):
                    receive(.lost(count: Int(count), cause: cause, capturedAt: time))
                case .away(let time): receive(.away(at: time, cause: "unplugged"))
                case .returned(let time):
                    try stream.painter.restart()
                    stream.prepared = nil
                    if stream.isUntold { receive(.formatChanged(stream.format)) }
                    stream.isUntold = false
                    receive(.returned(at: time))
                }
            }
        }
    }

    private func tellControls(at time: ClockTime, _ receive: @Sendable (CameraEvent) -> Void) {
        let outcomes = untold.withLock { untold in
            defer { untold = [] }
            return untold
        }
        if !outcomes.isEmpty { receive(.controls(outcomes, at: time)) }
    }

    private func takeRequest() -> Request {
        request.withLock { request in
            defer { request = .none }
            return request
        }
    }

    /// Restarts the stream in another format after the time that a webcam takes for it. An unplugged camera has the
    /// format when it returns. As with a real camera, the fault script is not observed meanwhile: its state is
    /// evaluated at the end.
    ///
    /// - Returns: `false` when the camera was stopped meanwhile.
    private func change(
        _ stream: inout Stream, to wanted: VideoFormat?, on clock: any SessionClock,
        until cancellation: Cancellation, _ receive: @Sendable (CameraEvent) -> Void
    ) throws(EncodingError) -> Bool {
        let wasThere = !stream.delivery.isAway
        if wasThere {
            let cause = wanted == nil ? "off" : "changing its format"
            receive(.away(at: clock.now, cause: cause, isRequested: true))
        }
        var wanted = wanted
        while wanted == nil {
            guard clock.sleep(until: clock.now + Self.restartTime / 6, unless: cancellation) else {
                return false
            }
            if case .format(let next) = takeRequest() { wanted = next }
        }
        guard clock.sleep(until: clock.now + Self.restartTime, unless: cancellation), let wanted else {
            return false
        }
        let changes = settings.behavior.faults.changeCount(by: clock.now, since: thread.recordingStart)
        stream = try makeStream(
            wanted, on: clock, afterChanges: max(changes, stream.delivery.changesTold))
        guard !stream.delivery.isAway else {
            stream.isUntold = true
            if wasThere { receive(.away(at: clock.now, cause: "unplugged")) }
            return true
        }
        receive(.formatChanged(wanted))
        receive(.returned(at: clock.now))
        return true
    }

    /// Paints the frame that is exposed now or next; `nil` when that frame will not be delivered.
    private func prepare(_ stream: Stream) throws(EncodingError) -> CapturedFrame? {
        let (rules, number) = (stream.rules, stream.delivery.slot)
        guard stream.delivery.isCapturing, stream.painter.isStream || !rules.isDropped(number) else {
            return nil
        }
        let time = rules.time(of: number)
        let exposed = ExposedFrame(
            number: number, time: time, holdsClap: Clap.isSeen(from: time, until: rules.time(of: number + 1)))
        let frame = try stream.painter.paint(exposed)
        let stamp = time + rules.choices.error(.jitter, of: number, within: settings.behavior.jitter)
        return CapturedFrame(
            pixel: stream.format.pixel, size: stream.format.size, color: color, capturedAt: stamp,
            sequence: number, isKey: frame.isKey, memory: frame.memory, planes: frame.planes,
            isOwned: true)
    }

    /// Damages a frame: a JPEG loses its last third; any other format becomes a corrupt loss that the driver reports.
    private func damaged(_ frame: CapturedFrame) -> CameraEvent {
        guard frame.pixel == .mjpeg else {
            return .lost(count: 1, cause: .corrupt, capturedAt: frame.capturedAt)
        }
        let rest = withExtendedLifetime(frame) {
            SharedBytes(
                copying: UnsafeRawBufferPointer(
                    rebasing: frame.memory.bytes[..<(frame.memory.count * 2 / 3)]))
        }
        return .frame(
            CapturedFrame(
                pixel: .mjpeg, size: frame.size, color: frame.color, capturedAt: frame.capturedAt,
                sequence: frame.sequence, memory: rest, isOwned: true))
    }

    // MARK: What it shows

    private func makePainter(
        _ format: VideoFormat, _ choices: SeededChoices, _ look: FrameLook
    ) throws(EncodingError) -> any FramePainting {
        switch format.pixel {
        case .mjpeg: return try makePainter(of: .i422, format, choices, look)
        case .h264:
            return try H264Painter(
                try makePainter(of: .i420, format, choices, look), format: format, color: color)
        default: return try makePainter(of: format.pixel, format, choices, look)
        }
    }

    private func makePainter(
        of pixel: PixelFormat, _ format: VideoFormat, _ choices: SeededChoices, _ look: FrameLook
    ) throws(EncodingError) -> any FramePainting {
        let turn = Turn(stored: format.size, rotation: settings.mount)
        let isJPEG = format.pixel == .mjpeg
        switch settings.pattern {
        case .clap:
            let scene = TestScene(turn: turn, color: color, choices: choices, look: look)
            if isJPEG { return try BandedJPEGPainter(scene: scene) }
            return RawScenePainter(scene: scene, pixel: pixel)
        case .bars:
            let canvas = Canvas(pixel, format.size)
            ColorBars.paint(on: canvas, turn: turn, color: color, look: look)
            return try StandingFrames([canvas], asJPEG: isJPEG)
        case .noise:
            let canvases = (0..<Self.noiseCount).map { number in
                let canvas = Canvas(pixel, format.size)
                canvas.fillWithNoise(from: choices.bits(.noise, of: number))
                return canvas
            }
            return try StandingFrames(canvases, asJPEG: isJPEG)
        case .still:
            let canvas = Canvas(pixel, format.size)
            image?.paint(on: canvas, rotation: settings.mount, color: color)
            return try StandingFrames([canvas], asJPEG: isJPEG)
        }
    }

    private static func rules(
        _ settings: VirtualCameraSettings, role: String, rate: FrameRate
    ) -> ScriptedDelivery.Rules {
        ScriptedDelivery.Rules(
            settings.behavior, role: role, rate: rate, corruptShare: settings.corruptShare)
    }

    private static func device(
        role: String, settings: VirtualCameraSettings, format: VideoFormat, controls: [DeviceControl]
    ) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: .virtual, position: settings.position,
            identity: DeviceIdentity(
                product: "virtual", serial: "camera-\(role)", name: "Virtual camera \(role)"),
            name: "Virtual camera \(role)", node: settings.selector, selector: settings.selector,
            controller: settings.behavior.bus ?? "virtual-camera-\(role)", busSpeed: 480,
            formats: settings.offers(beside: format), controls: controls)
    }
}
