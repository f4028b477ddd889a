import Encoding
public import Media

/// A made-up camera: a test picture, on a clock of its own, with the faults that its selector asks for.
///
/// Its pictures are prepared while they would be exposed, and delivered when they are due. Everything about frame n is a
/// function of the session clock, the selector and the role, so that in simulated time it repeats to the byte.
public final class VirtualCamera: CameraSource {
    public let device: CaptureDevice
    public let format: VideoFormat
    public let color: ColorDescription
    public let deliveryDelay: Nanoseconds
    private let settings: VirtualCameraSettings
    private let rules: ScriptedDelivery.Rules
    private let image: StillPicture?
    private let thread: SourceThread

    /// Pictures that are overdue by more are lost, as with a driver whose buffers are full; in real time only.
    private static let patience = Nanoseconds.seconds(1)
    /// As many different pictures of noise take turns.
    private static let noiseCount: Int64 = 4

    /// Random choices depend on `role`. `wanted` is what it asks; what the selector says comes first.
    ///
    /// An image that is missing or no image is the device's failure.
    public init(
        role: String, settings: VirtualCameraSettings, wanted: VideoFormat? = nil
    ) throws(VirtualDeviceError) {
        self.settings = settings
        format = settings.format(wanted: wanted)
        // What V4L2_MAP_YCBCR_ENC_DEFAULT and V4L2_MAP_QUANTIZATION_DEFAULT (linux/videodev2.h) make of webcams' sRGB.
        color = format.pixel == .mjpeg ? .jpeg : .bt601Limited
        thread = SourceThread(name: "cam:\(role)")
        let behavior = settings.behavior
        rules = ScriptedDelivery.Rules(
            behavior, role: role, rate: format.rate, corruptShare: settings.corruptShare)
        let interval = Nanoseconds.seconds(rounding: rules.timebase.intervalInSeconds + 1e-9)
        deliveryDelay = interval + behavior.latency + behavior.jitter
        device = Self.device(role: role, settings: settings, format: format)
        guard case .still(let path) = settings.pattern else {
            image = nil
            return
        }
        let upright = settings.mount.swapsSides ? format.size.turned : format.size
        image = try ReadableFile(path, asked: settings.selector, operation: "opening the image").read {
            () throws(EncodingError) in try StillPicture(path: path, size: upright)
        }
    }

    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(DeviceError) {
        thread.start(on: clock) { cancellation in
            do throws(EncodingError) {
                try self.run(on: clock, until: cancellation, delivering: receive)
            } catch {
                receive(.ended(at: clock.now, cause: error.description))
            }
        }
    }

    public func recordingBegins(at start: ClockTime) {
        thread.recordingBegins(at: start)
    }

    public func stop() {
        thread.stop()
    }

    public var simulationTime: Nanoseconds { thread.processorTime }

    // MARK: On its thread

    private func run(
        on clock: any SessionClock, until cancellation: Cancellation,
        delivering receive: @Sendable (CameraEvent) -> Void
    ) throws(EncodingError) {
        let painter = try makePainter()
        var rules = rules
        if clock.isRealTime { rules.patience = Self.patience }
        var delivery = ScriptedDelivery(rules, from: clock.now)
        var prepared: CapturedPicture?
        while true {
            if prepared?.sequence != delivery.slot {
                prepared = try prepare(delivery, painter)
                thread.noteProcessorTime()
            }
            guard clock.sleep(until: delivery.wake(since: thread.recordingStart), unless: cancellation) else {
                return
            }
            for step in delivery.steps(at: clock.now, since: thread.recordingStart) {
                switch step {
                case .deliver(_, let isDamaged):
                    if let prepared { receive(isDamaged ? damaged(prepared) : .picture(prepared)) }
                case .lost(let count, let cause, let time):
                    receive(.lost(count: Int(count), cause: cause, capturedAt: time))
                case .away(let time): receive(.away(at: time, cause: "unplugged"))
                case .returned(let time):
                    try painter.restart()
                    prepared = nil
                    receive(.returned(at: time))
                }
            }
        }
    }

    /// The picture that is exposed now or next; `nil` when nobody will see it.
    private func prepare(
        _ delivery: ScriptedDelivery, _ painter: any PicturePainting
    ) throws(EncodingError) -> CapturedPicture? {
        let number = delivery.slot
        guard delivery.isCapturing, painter.isStream || !rules.isDropped(number) else { return nil }
        let time = rules.time(of: number)
        let frame = ExposedFrame(
            number: number, time: time, holdsClap: Clap.isSeen(from: time, until: rules.time(of: number + 1)))
        let picture = try painter.paint(frame)
        let stamp = time + rules.choices.error(.jitter, of: number, within: settings.behavior.jitter)
        return CapturedPicture(
            pixel: format.pixel, size: format.size, color: color, capturedAt: stamp, sequence: number,
            isKey: picture.isKey, memory: picture.memory, planes: picture.planes, isOwned: true)
    }

    /// A JPEG arrives without its last third; of other formats the driver tells.
    private func damaged(_ picture: CapturedPicture) -> CameraEvent {
        guard picture.pixel == .mjpeg else {
            return .lost(count: 1, cause: .corrupt, capturedAt: picture.capturedAt)
        }
        let rest = withExtendedLifetime(picture) {
            SharedBytes(
                copying: UnsafeRawBufferPointer(
                    rebasing: picture.memory.bytes[..<(picture.memory.count * 2 / 3)]))
        }
        return .picture(
            CapturedPicture(
                pixel: .mjpeg, size: picture.size, color: picture.color, capturedAt: picture.capturedAt,
                sequence: picture.sequence, memory: rest, isOwned: true))
    }

    // MARK: What it shows

    private func makePainter() throws(EncodingError) -> any PicturePainting {
        switch format.pixel {
        case .mjpeg: return try makePainter(of: .i422)
        case .h264: return try H264Painter(try makePainter(of: .i420), format: format, color: color)
        default: return try makePainter(of: format.pixel)
        }
    }

    private func makePainter(of pixel: PixelFormat) throws(EncodingError) -> any PicturePainting {
        let turn = Turn(stored: format.size, rotation: settings.mount)
        let isJPEG = format.pixel == .mjpeg
        switch settings.pattern {
        case .clap:
            let scene = TestScene(turn: turn, color: color, choices: rules.choices)
            if isJPEG { return try BandedJPEGPainter(scene: scene) }
            return RawScenePainter(scene: scene, pixel: pixel)
        case .bars:
            let canvas = Canvas(pixel, format.size)
            ColorBars.paint(on: canvas, turn: turn, color: color)
            return try StandingPictures([canvas], asJPEG: isJPEG)
        case .noise:
            let canvases = (0..<Self.noiseCount).map { number in
                let canvas = Canvas(pixel, format.size)
                canvas.fillWithNoise(from: rules.choices.bits(.noise, of: number))
                return canvas
            }
            return try StandingPictures(canvases, asJPEG: isJPEG)
        case .still:
            let canvas = Canvas(pixel, format.size)
            image?.paint(on: canvas, rotation: settings.mount, color: color)
            return try StandingPictures([canvas], asJPEG: isJPEG)
        }
    }

    private static func device(
        role: String, settings: VirtualCameraSettings, format: VideoFormat
    ) -> CaptureDevice {
        CaptureDevice(
            mediaType: .video, deviceType: .virtual,
            identity: DeviceIdentity(
                product: "virtual", serial: "camera-\(role)", name: "Virtual camera \(role)"),
            name: "Virtual camera \(role)", node: settings.selector, selector: settings.selector,
            controller: settings.behavior.bus ?? "virtual-camera-\(role)", busSpeed: 480,
            formats: [OfferedFormat(pixel: format.pixel, size: format.size, rates: .listed([format.rate]))])
    }
}
