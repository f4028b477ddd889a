public import Media

/// A camera of the kernel: webcams, capture sticks, and other devices with a V4L2 node.
///
/// It is opened in one format with its buffers reserved; `start` only has to switch it on. From then on it may be
/// unplugged and plugged in again, at the same port or another: it is recognised by its identity, opened anew with the
/// same format and controls, and goes on delivering. After `stop` the node is free, and `start` opens it again.
public final class V4L2Camera: CameraSource {
    /// The camera as the catalog found it.
    public let device: CaptureDevice
    /// Format that the camera delivers from `start` on; `change(to:)` does not alter this property.
    public let format: VideoFormat
    /// Color description of the frames, from the driver; JPEG's for `mjpeg` and `grey`, limited-range BT.601 for
    /// converted formats.
    public let color: ColorDescription
    private let held: HeldControls
    private let adoptsOtherSizes: Bool
    private let roster: CameraRoster
    private let number: Int
    private let state: ConditionLock<State>

    private struct State {
        /// The opened camera until its thread takes it.
        var opened: CameraGeneration?
        var thread: MediaThread?
        var requests: StreamRequests?
    }

    private let readsHeaders = ConditionLock(false)

    /// Opens a camera of a session.
    ///
    /// - Parameters:
    ///   - device: A camera from the catalog; its `node` is opened.
    ///   - format: A format that the camera offers.
    ///   - controls: Controls to set and keep; automatic ones are set before the others.
    ///   - adoptsOtherSizes: Whether a capture stick that comes back with another size only is taken as it is.
    ///   - roster: Shared by the cameras of a session, so that none that returns is taken for another.
    /// - Throws: `DeviceError`: busy with the program's name, no permission, a format that the camera does not deliver
    ///   exactly, a control that it does not take.
    package init(
        device: CaptureDevice, format: VideoFormat, controls: [ControlRequest],
        adoptsOtherSizes: Bool, roster: CameraRoster
    ) throws(DeviceError) {
        let opened = try CameraGeneration(opening: device, format, controls)
        self.device = device
        self.format = format
        held = HeldControls(controls, at: device.node)
        self.adoptsOtherSizes = adoptsOtherSizes
        color = opened.layout.color
        self.roster = roster
        number = roster.join(device.identity)
        state = ConditionLock(State(opened: opened))
    }

    /// Opens a camera that is the only one of its session.
    ///
    /// - Parameters:
    ///   - device: A camera from the catalog; its `node` is opened.
    ///   - format: A format that the camera offers.
    ///   - controls: Controls to set and keep; automatic ones are set before the others.
    /// - Throws: `DeviceError`: busy with the program's name, no permission, a format that the camera does not deliver
    ///   exactly, a control that it does not take.
    public convenience init(
        device: CaptureDevice, format: VideoFormat, controls: [ControlRequest] = []
    ) throws(DeviceError) {
        try self.init(
            device: device, format: format, controls: controls, adoptsOtherSizes: false,
            roster: CameraRoster())
    }

    deinit {
        stop()
    }

    /// Two frame intervals: a frame's time stamp is the start of its exposure, which may last one interval; readout and
    /// transport take another.
    public var deliveryDelay: Nanoseconds { format.rate.interval * 2 }

    /// Asks for the clock of the packets' headers, which comes from the camera's metadata node and is opened at each
    /// start from now on. Where it is not available, frames come without it, and `CameraEvent.withoutHeaderClock` says
    /// why.
    public func deliverHeaderClock() {
        readsHeaders.withLock { $0 = true }
    }

    /// Starts streaming on a thread of the camera's own. Returns once the driver streams; frames follow.
    ///
    /// - Precondition: The camera does not stream.
    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    )
        throws(DeviceError)
    {
        precondition(state.withLock { $0.thread == nil }, "a camera streams once at a time")
        // Removed from the state, so that a camera that fails to start is closed.
        let prepared = state.withLock { $0.opened.take() }
        var generation: CameraGeneration
        if let prepared {
            generation = prepared
        } else {
            generation = try CameraGeneration(opening: device, format, held.requests)
        }
        let requests = try StreamRequests(for: device.node)
        let again = try generation.start(on: device, readingHeaders: readsHeaders.withLock { $0 })
        let started = generation
        state.withLock {
            $0.opened = started
            $0.requests = requests
        }
        run(clock, requests, telling: started.outcomes + again, receive)
    }

    /// Ends streaming, waits for the camera's thread and frees the node; no event follows. Must not be called from the
    /// camera's thread.
    public func stop() {
        let (thread, requests) = state.withLock { state in
            defer { state = State() }
            return (state.thread, state.requests)
        }
        requests?.stop()
        thread?.join()
    }

    /// True: the camera can restart in another format while it streams.
    public var isChangeable: Bool { true }

    /// Asks the camera's thread to restart in another format. Returns at once; does nothing while the camera does not
    /// stream.
    ///
    /// - Parameter format: A format that the camera offers; `nil` switches the stream off until a format is given.
    public func change(to format: VideoFormat?) {
        state.withLock { $0.requests }?.change(to: format)
    }

    /// Reads all controls with their present values, which takes milliseconds. Must not be called in a Swift task.
    ///
    /// - Returns: The controls, as the driver orders them.
    /// - Throws: `DeviceError` when the camera is away or its node cannot be opened.
    public func controls() throws(DeviceError) -> [DeviceControl] {
        try V4L2Device(path: try present()).controls()
    }

    /// Sets controls in the given order and reads them back; accepted values are set again whenever the camera returns.
    /// Must not be called in a Swift task.
    ///
    /// - Parameter requests: Controls with their new values, in an order in which they can be carried out.
    /// - Returns: The outcome of each request, in the same order.
    /// - Throws: `DeviceError` when the camera is away or does not answer.
    public func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        let outcomes = try V4L2Device(path: try present()).set(requests)
        held.hold(outcomes.filter { $0.fault == nil }.map(\.request))
        held.tell(outcomes)
        return outcomes
    }

    /// The camera's present node.
    private func present() throws(DeviceError) -> String {
        guard let node = held.node else {
            throw DeviceError(device: device.node, operation: "open", reason: .disconnected)
        }
        return node
    }

    private func run(
        _ clock: any SessionClock, _ requests: StreamRequests, telling outcomes: [ControlOutcome],
        _ receive: @escaping @Sendable (CameraEvent) -> Void
    ) {
        let state = state
        let (device, format, held, roster, number) = (device, format, held, roster, number)
        let (adoptsOtherSizes, readsHeaders) = (adoptsOtherSizes, readsHeaders.withLock { $0 })
        let thread = clock.startThread(named: "cam:\(Paths.name(device.node))") {
            var supervision = CameraSupervision(
                device: device, format: format, held: held, adoptsOtherSizes: adoptsOtherSizes,
                readsHeaders: readsHeaders, roster: roster, number: number, requests: requests,
                delivery: CameraDelivery(format: format, clock: clock, receive: receive)
            )
            supervision.delivery.controls(outcomes)
            supervision.run(from: { state.withLock { $0.opened.take() } })
        }
        state.withLock { $0.thread = thread }
    }
}
