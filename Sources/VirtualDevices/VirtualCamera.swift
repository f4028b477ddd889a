import MulticamEncoding
package import MulticamMedia

/// A synthetic camera that generates test frames. The camera has its own simulated device clock, and
/// simulates the faults that its selector specifies.
///
/// Each frame is prepared during its exposure and delivered when it is due. The content of a frame depends only on the
/// session clock, the selector, and the role. Recordings in simulated time are therefore byte-for-byte reproducible.
package final class VirtualCamera: DetailedCameraSource {
    /// Identity, selector, offered formats, and controls of this camera.
    package let device: CaptureDevice
    /// Format that the camera delivers after `start`. `change(to:)` doesn't update this property.
    package let format: VideoFormat
    /// The color description: full-range BT.601 (JPEG) for `mjpeg` and `grey`, limited-range BT.601 for other pixel
    /// formats.
    package let color: ColorDescription
    /// Longest time from the start of an exposure to delivery, which is the frame interval + latency + jitter.
    package let deliveryDelay: Nanoseconds
    private let settings: VirtualCameraSettings
    private let role: String
    private let image: StillFrame?
    private let request = ConditionLock(Request.none)
    private let thread: SourceThread
    private let reservation: SyntheticBus.Reservation?
    private let adjustables: VirtualControls
    /// Outcomes of `set` calls that the camera's thread hasn't yet delivered as a `controls` event.
    private let unreportedOutcomes = ConditionLock<[ControlOutcome]>([])

    private enum Request {
        case none
        /// The new format, or `nil` to turn the camera off.
        case format(VideoFormat?)
    }

    /// Duration of a format change. A webcam needs this time to stop, set the format, and start again.
    private static let restartTime = Nanoseconds.milliseconds(300)
    /// In real time, frames that are overdue by more than this time are lost, as if the driver's buffers were
    /// full.
    private static let maxOverdueTime = Nanoseconds.seconds(1)
    /// Number of different noise frames, which are repeated in turn.
    private static let noiseCount: Int64 = 4

    /// Creates a synthetic camera without starting it.
    ///
    /// - Parameters:
    ///   - role: The role in the profile, on which random choices depend.
    ///   - settings: The parsed selector.
    ///   - wanted: The format that the role requests. Keys in the selector take precedence.
    /// - Throws: `VirtualDeviceError.device` if the still image is missing or can't be read.
    package init(
        role: String, settings: VirtualCameraSettings, wanted: VideoFormat? = nil
    ) throws(VirtualDeviceError) {
        self.settings = settings
        self.role = role
        let format = settings.format(wanted: wanted)
        self.format = format
        // Grayscale frames use the full range (`FrameLayout`). The other formats follow V4L2_MAP_YCBCR_ENC_DEFAULT and
        // V4L2_MAP_QUANTIZATION_DEFAULT (linux/videodev2.h) for the sRGB of webcams.
        color = format.pixel == .mjpeg || format.pixel == .grey ? .jpeg : .bt601Limited
        thread = SourceThread(name: "cam:\(role)")
        let behavior = settings.behavior
        let rules = Self.rules(settings, role: role, rate: format.rate)
        let interval = Nanoseconds.seconds(rounding: rules.timebase.intervalInSeconds + 1e-9)
        deliveryDelay = interval + behavior.latency + behavior.jitter
        adjustables = VirtualControls(without: settings.missingControls, choices: rules.choices)
        device = Self.device(role: role, settings: settings, format: format, controls: adjustables.all)
        reservation = SyntheticBus.camera(device.identity, on: behavior.bus).map {
            SyntheticBus.Reservation($0, format: format, name: settings.selector)
        }
        guard case .still(let path) = settings.pattern else {
            image = nil
            return
        }
        let upright = settings.mount.swapsSides ? format.size.transposed : format.size
        image = try SelectorFile(path, selector: settings.selector, operation: "opening the image").read {
            () throws(EncodingError) in try StillFrame(path: path, size: upright)
        }
    }

    /// Reserves bandwidth on the synthetic bus and starts the camera's thread. Returns immediately; the events arrive
    /// on that thread.
    ///
    /// - Parameters:
    ///   - clock: The session clock that times the frames.
    ///   - receive: Called on the camera's thread for each event.
    /// - Throws: `DeviceError.noBandwidth` if the bus in the selector doesn't have enough bandwidth left.
    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        try reservation?.reserve()
        try thread.start(on: clock) { cancellation in
            do throws(EncodingError) {
                try self.run(on: clock, until: cancellation, delivering: receive)
            } catch {
                receive(.ended(at: clock.now, cause: error.description))
            }
        }
    }

    /// Sets T0, the reference time of the fault script. Only the first call after `start` has an effect.
    package func setRecordingStart(_ start: ClockTime) {
        thread.setRecordingStart(start)
    }

    /// Whether the format can be changed. The value is `false` for a still image, which is loaded for a fixed size.
    package var canChangeFormat: Bool { image == nil }

    /// Restarts the camera's stream in another format. Like the format change of a webcam, the restart takes
    /// 300 ms. Returns immediately.
    ///
    /// - Parameter format: The new format, or `nil` to turn the camera off until a format is set.
    /// - Precondition: `canChangeFormat` is `true`.
    package func changeFormat(to format: VideoFormat?) {
        precondition(canChangeFormat, "the format of a still image can't be changed")
        request.withLock { $0 = .format(format) }
    }

    /// Returns all controls with their current values.
    package func readControls() -> [DeviceControl] { adjustables.all }

    /// Sets controls in the given order. Afterward, the camera's thread sends a `controls` event with the
    /// outcomes.
    ///
    /// - Parameter requests: Controls with their new values, in an order that allows them to be set.
    /// - Returns: The outcome of each request, in the same order.
    package func setControls(_ requests: [ControlRequest]) -> [ControlOutcome] {
        let outcomes = adjustables.set(requests)
        unreportedOutcomes.withLock { $0 += outcomes }
        return outcomes
    }

    /// Stops the thread, waits until it has ended, and releases the bandwidth on the bus. This method must not be
    /// called from the camera's own thread.
    package func stop() {
        thread.stop()
        reservation?.release()
    }

    /// CPU time that the camera's threads have used to paint and encode frames.
    package var simulationTime: Nanoseconds { thread.processorTime }

    // MARK: Capture thread

    /// The state of the camera's stream between two format changes.
    private struct Stream {
        let format: VideoFormat
        let rules: ScriptedDelivery.Rules
        var painter: any FramePainting
        /// The scene adjustments that were used to create `painter`.
        var appearance: FrameAppearance
        var delivery: ScriptedDelivery
        /// Whether the format change hasn't been reported yet. The change is reported together with the
        /// device's reconnection.
        var hasUnreportedFormatChange = false
        /// The frame that is being exposed or will be exposed next; `nil` until it has been painted.
        var prepared: CapturedFrame?
    }

    private func makeStream(
        _ format: VideoFormat, on clock: any SessionClock, afterChanges changes: Int = 0
    ) throws(EncodingError) -> Stream {
        var rules = Self.rules(settings, role: role, rate: format.rate)
        if clock.isRealTime { rules.maxOverdueTime = Self.maxOverdueTime }
        let look = adjustables.appearance
        return Stream(
            format: format, rules: rules, painter: try makePainter(format, rules.choices, look),
            appearance: look,
            delivery: ScriptedDelivery(rules, from: clock.now, afterChanges: changes))
    }

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @Sendable (CameraEvent) -> Void
    ) throws(EncodingError) {
        var stream = try makeStream(format, on: clock)
        while true {
            reportControlOutcomes(at: clock.now, receive)
            if adjustables.appearance != stream.appearance {
                stream.appearance = adjustables.appearance
                stream.painter = try makePainter(stream.format, stream.rules.choices, stream.appearance)
                stream.prepared = nil
            }
            if case .format(let wanted) = dequeueRequest() {
                guard try change(&stream, to: wanted, on: clock, until: cancellation, receive) else { return }
            }
            if stream.prepared?.sequence != stream.delivery.slot {
                stream.prepared = try prepare(stream)
                thread.recordProcessorTime()
            }
            let wake = stream.delivery.wakeTime(since: thread.recordingStart)
            guard clock.sleep(until: wake, unless: cancellation) else { return }
            for step in stream.delivery.dequeueSteps(at: clock.now, since: thread.recordingStart) {
                switch step {
                case .deliver(_, let isDamaged):
                    if let prepared = stream.prepared {
                        receive(isDamaged ? damaged(prepared) : .frame(prepared))
                    }
                case .lost(let count, let cause, let time):
                    receive(.lost(count: Int(count), cause: cause, capturedAt: time))
                case .away(let time): receive(.outageBegan(at: time, cause: "unplugged"))
                case .returned(let time):
                    try stream.painter.restart()
                    stream.prepared = nil
                    if stream.hasUnreportedFormatChange { receive(.formatChanged(stream.format)) }
                    stream.hasUnreportedFormatChange = false
                    receive(.outageEnded(at: time))
                }
            }
        }
    }

    private func reportControlOutcomes(at time: ClockTime, _ receive: @Sendable (CameraEvent) -> Void) {
        let outcomes = unreportedOutcomes.withLock { untold in
            defer { untold = [] }
            return untold
        }
        if !outcomes.isEmpty { receive(.controls(outcomes, at: time)) }
    }

    private func dequeueRequest() -> Request {
        request.withLock { request in
            defer { request = .none }
            return request
        }
    }

    /// Restarts the stream in another format, after the time that a webcam needs for a format change. A
    /// disconnected camera has the new format when it is reconnected. The fault script has no effect during
    /// the change; the state of the script is evaluated when the change is complete.
    ///
    /// - Returns: `false` if the camera was stopped during the change.
    private func change(
        _ stream: inout Stream, to wanted: VideoFormat?, on clock: any SessionClock,
        until cancellation: Cancellation, _ receive: @Sendable (CameraEvent) -> Void
    ) throws(EncodingError) -> Bool {
        let wasThere = !stream.delivery.isAway
        if wasThere {
            let cause = wanted == nil ? "off" : "changing its format"
            receive(.outageBegan(at: clock.now, cause: cause, isRequested: true))
        }
        var wanted = wanted
        while wanted == nil {
            guard clock.sleep(until: clock.now + Self.restartTime / 6, unless: cancellation) else {
                return false
            }
            if case .format(let next) = dequeueRequest() { wanted = next }
        }
        guard clock.sleep(until: clock.now + Self.restartTime, unless: cancellation), let wanted else {
            return false
        }
        let changes = settings.behavior.faults.changeCount(by: clock.now, since: thread.recordingStart)
        stream = try makeStream(
            wanted, on: clock, afterChanges: max(changes, stream.delivery.reportedChanges))
        guard !stream.delivery.isAway else {
            stream.hasUnreportedFormatChange = true
            if wasThere { receive(.outageBegan(at: clock.now, cause: "unplugged")) }
            return true
        }
        receive(.formatChanged(wanted))
        receive(.outageEnded(at: clock.now))
        return true
    }

    /// Paints the frame that is being exposed or will be exposed next. Returns `nil` if that frame won't be delivered.
    private func prepare(_ stream: Stream) throws(EncodingError) -> CapturedFrame? {
        let (rules, number) = (stream.rules, stream.delivery.slot)
        guard stream.delivery.isCapturing, stream.painter.isStream || !rules.isDropped(number) else {
            return nil
        }
        let time = rules.time(of: number)
        let exposed = ExposedFrame(
            number: number, time: time, holdsClap: Clap.occurs(from: time, until: rules.time(of: number + 1)))
        let frame = try stream.painter.paint(exposed)
        let stamp = time + rules.choices.error(.jitter, of: number, within: settings.behavior.jitter)
        return CapturedFrame(
            pixel: stream.format.pixel, size: stream.format.size, color: color, capturedAt: stamp,
            sequence: number, isKey: frame.isKey, memory: frame.memory, planes: frame.planes,
            isOwned: true)
    }

    /// Damages a frame. A JPEG loses its last third. A frame in any other format is reported as lost with the cause
    /// `corrupt`, as a driver would do.
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

    // MARK: Test pattern

    private func makePainter(
        _ format: VideoFormat, _ choices: SeededChoices, _ look: FrameAppearance
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
        of pixel: PixelFormat, _ format: VideoFormat, _ choices: SeededChoices, _ look: FrameAppearance
    ) throws(EncodingError) -> any FramePainting {
        let turn = Turn(stored: format.size, rotation: settings.mount)
        let isJPEG = format.pixel == .mjpeg
        switch settings.pattern {
        case .clap:
            let scene = TestScene(turn: turn, color: color, choices: choices, appearance: look)
            if isJPEG { return try BandedJPEGPainter(scene: scene) }
            return RawScenePainter(scene: scene, pixel: pixel)
        case .bars:
            let canvas = Canvas(pixel, format.size)
            ColorBars.paint(on: canvas, turn: turn, color: color, appearance: look)
            return try StaticFramesPainter([canvas], asJPEG: isJPEG)
        case .noise:
            let canvases = (0..<Self.noiseCount).map { number in
                let canvas = Canvas(pixel, format.size)
                canvas.fillWithNoise(from: choices.bits(.noise, of: number))
                return canvas
            }
            return try StaticFramesPainter(canvases, asJPEG: isJPEG)
        case .people:
            let scene = PeopleScene(
                person: settings.person ?? 1 + Int(choices.bits(.person, of: 0) % UInt64(settings.speakers)),
                conversation: Conversation(speakerCount: settings.speakers), turn: turn, pixel: pixel,
                appearance: look)
            return isJPEG ? try JPEGPeoplePainter(scene: scene) : RawPeoplePainter(scene: scene)
        case .still:
            let canvas = Canvas(pixel, format.size)
            image?.paint(on: canvas, rotation: settings.mount, color: color)
            return try StaticFramesPainter([canvas], asJPEG: isJPEG)
        }
    }

    private static func rules(
        _ settings: VirtualCameraSettings, role: String, rate: FrameRate
    ) -> ScriptedDelivery.Rules {
        ScriptedDelivery.Rules(
            settings.behavior, role: role, rate: min(settings.actualRate ?? rate, rate),
            corruptShare: settings.corruptShare)
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
