import Glibc
public import Media

/// A camera of the kernel's: webcams, capture dongles, and whatever else has a V4L2 node.
///
/// Opened in one format with its buffers reserved; `start` only has to switch it on. After `stop` the node is free, and
/// `start` opens it again.
public final class V4L2Camera: CameraSource {
    public let device: CaptureDevice
    public let format: VideoFormat
    public let color: ColorDescription
    /// The controls that were asked for, with the values that the camera took: some round.
    public let controls: [(name: String, value: Int64)]
    private let state: Monitor<State>

    private struct State {
        /// Until the thread takes them.
        var opened: Opened?
        var thread: MediaThread?
        var wakeUp: WakeUp?
    }

    /// The node, open in the format that was asked for.
    private struct Opened {
        let buffers: CaptureBuffers
        let granted: V4L2Device.GrantedFormat
        let layout: PictureLayout
        let controls: [(name: String, value: Int64)]
    }

    /// - Parameters:
    ///   - device: From the catalog. Its `node` is opened.
    ///   - format: One that it offers.
    ///   - controls: To be set, by name; automatic ones are set before the others.
    /// - Throws: `DeviceError`: busy with the program's name, no permission, a format that it does not deliver exactly, a
    ///   control that it does not take.
    public init(device: CaptureDevice, format: VideoFormat, controls: [(name: String, value: Int64)] = [])
        throws(DeviceError)
    {
        let opened = try Self.open(device, format, controls)
        self.device = device
        self.format = format
        self.controls = opened.controls
        color = opened.layout.color
        state = Monitor(State(opened: opened))
    }

    deinit {
        stop()
    }

    /// A picture's stamp is its start of exposure, which may last an interval; then it is read out and carried for another.
    public var deliveryDelay: Nanoseconds { format.rate.interval * 2 }

    /// - Precondition: It does not stream.
    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    )
        throws(DeviceError)
    {
        precondition(state.withLock { $0.thread == nil }, "a camera streams once at a time")
        // Taken out, so that a camera that fails to start is closed.
        let prepared = state.withLock { state in
            defer { state.opened = nil }
            return state.opened
        }
        let opened: Opened
        if let prepared { opened = prepared } else { opened = try Self.open(device, format, controls) }
        let wakeUp = try WakeUp(for: device.node)
        do {
            try opened.buffers.startStreaming()
            // Some cameras forget their controls when the stream starts.
            try opened.buffers.device.keep(opened.controls)
        } catch {
            opened.buffers.stopStreaming()
            throw error.explained(node: device.node, controller: device.controller)
        }
        run(opened, clock, wakeUp, receive)
    }

    public func stop() {
        let (thread, wakeUp) = state.withLock { state in
            defer {
                state.thread = nil
                state.wakeUp = nil
                state.opened = nil
            }
            return (state.thread, state.wakeUp)
        }
        wakeUp?.wake()
        thread?.join()
    }

    private func run(
        _ opened: Opened, _ clock: any SessionClock, _ wakeUp: WakeUp,
        _ receive: @escaping @Sendable (CameraEvent) -> Void
    ) {
        state.withLock {
            $0.opened = opened
            $0.wakeUp = wakeUp
        }
        let (state, interval, node) = (state, format.rate.interval, device.node)
        let thread = clock.startThread(named: "cam:\(Paths.name(node))") {
            // The thread alone holds the buffers, so that the node is closed before anybody hears of the end.
            if let end = Self.stream(state, interval, clock, wakeUp, receive) {
                receive(.ended(at: end.at, cause: end.cause))
            }
        }
        state.withLock { $0.thread = thread }
    }

    private static func stream(
        _ state: Monitor<State>, _ interval: Nanoseconds, _ clock: any SessionClock, _ wakeUp: WakeUp,
        _ receive: @escaping @Sendable (CameraEvent) -> Void
    ) -> V4L2Stream.End? {
        let taken = state.withLock { state in
            defer { state.opened = nil }
            return state.opened
        }
        guard let taken else { return nil }
        let buffers = taken.buffers
        do {
            let converter =
                taken.layout.isConverted
                ? try LegacyConverter(
                    device: buffers.device.path, descriptor: buffers.device.descriptor.number,
                    source: taken.granted.raw)
                : nil
            return V4L2Stream(
                buffers, taken.layout, converter: converter, interval: interval, controls: taken.controls,
                clock: clock,
                wakeUp: wakeUp, receive: receive
            ).run()
        } catch {
            buffers.stopStreaming()
            return V4L2Stream.End(at: clock.now, cause: error.description)
        }
    }

    // MARK: Opening

    private static func open(
        _ device: CaptureDevice, _ format: VideoFormat, _ controls: [(name: String, value: Int64)]
    ) throws(DeviceError) -> Opened {
        do {
            let node = try V4L2Device(path: device.node)
            let granted = try node.grant(format)
            var taken: [(name: String, value: Int64)] = []
            for control in ControlName.ordered(controls) {
                taken.append((control.name, try node.set(control: control.name, value: control.value)))
            }
            let layout = PictureLayout(
                pixel: format.pixel, size: granted.size, stride: granted.stride, color: granted.color)
            // Raw pictures are lent for as long as they are shown; compressed ones are copied and back at once.
            let buffers = try CaptureBuffers(of: node, count: format.pixel.isCompressed ? 4 : 8)
            return Opened(buffers: buffers, granted: granted, layout: layout, controls: taken)
        } catch {
            throw error.explained(node: device.node, controller: device.controller)
        }
    }
}

extension V4L2Device {
    /// Sets exactly the format that is asked for.
    ///
    /// - Throws: `formatNotSupported` with what it offers when the driver grants another.
    func grant(_ format: VideoFormat) throws(DeviceError) -> GrantedFormat {
        // Several codes can mean the same: MJPG and JPEG, or all that are converted.
        for code in pixelCodes() where code.pixel == format.pixel {
            let granted = try setFormat(code, format.size)
            guard granted.code == code, granted.size == format.size else { continue }
            guard let rate = try setRate(format.rate) else { return granted }
            // Drivers round intervals to their units; a rate that is a hundredth off is another one.
            if abs(rate.perSecond / format.rate.perSecond - 1) < 0.01 { return granted }
        }
        throw DeviceError(
            device: path, operation: "VIDIOC_S_FMT",
            reason: .formatNotSupported(requested: format.description, offered: formats().map(\.description)))
    }

    /// Sets those controls again that do not have their value any more.
    func keep(_ wanted: [(name: String, value: Int64)]) throws(DeviceError) {
        guard !wanted.isEmpty else { return }
        let present = Dictionary(
            controls().map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        for control in ControlName.ordered(wanted) where present[control.name] != control.value {
            try set(control: control.name, value: control.value)
        }
    }
}
