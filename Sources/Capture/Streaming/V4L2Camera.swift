public import Media

/// A camera of the kernel's: webcams, capture dongles, and whatever else has a V4L2 node.
///
/// Opened in one format with its buffers reserved; `start` only has to switch it on. From then on it may be unplugged and
/// plugged in again, at the same port or another: it is known by its identity, opened anew with the same format and
/// controls, and goes on delivering. After `stop` the node is free, and `start` opens it again.
public final class V4L2Camera: CameraSource {
    public let device: CaptureDevice
    public let format: VideoFormat
    public let color: ColorDescription
    private let held: HeldControls
    private let adoptsOtherSizes: Bool
    private let roster: CameraRoster
    private let number: Int
    private let state: ConditionLock<State>

    private struct State {
        /// Until the thread takes it.
        var opened: CameraGeneration?
        var thread: MediaThread?
        var requests: StreamRequests?
    }

    private let readsHeaders = ConditionLock(false)

    /// - Parameters:
    ///   - device: From the catalog. Its `node` is opened.
    ///   - format: One that it offers.
    ///   - controls: To be set and kept; automatic ones are set before the others.
    ///   - adoptsOtherSizes: Whether a capture stick that comes back with another size only is taken as it is.
    ///   - roster: Shared by the cameras of a session, so that none that returns is taken for another.
    /// - Throws: `DeviceError`: busy with the program's name, no permission, a format that it does not deliver exactly, a
    ///   control that it does not take.
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

    /// A camera that is the only one of its session.
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

    /// A frame's stamp is its start of exposure, which may last an interval; then it is read out and carried for another.
    public var deliveryDelay: Nanoseconds { format.rate.interval * 2 }

    /// The clock of the packets' headers comes from the camera's metadata node, which is opened at each start from now on. Where
    /// that cannot be had, frames come without, and `CameraEvent.withoutHeaderClock` says why.
    public func deliverHeaderClock() {
        readsHeaders.withLock { $0 = true }
    }

    /// - Precondition: It does not stream.
    public func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    )
        throws(DeviceError)
    {
        precondition(state.withLock { $0.thread == nil }, "a camera streams once at a time")
        // Taken out, so that a camera that fails to start is closed.
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

    public func stop() {
        let (thread, requests) = state.withLock { state in
            defer { state = State() }
            return (state.thread, state.requests)
        }
        requests?.stop()
        thread?.join()
    }

    public var isChangeable: Bool { true }

    public func change(to format: VideoFormat?) {
        state.withLock { $0.requests }?.change(to: format)
    }

    public func controls() throws(DeviceError) -> [DeviceControl] {
        try V4L2Device(path: try present()).controls()
    }

    public func set(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        let outcomes = try V4L2Device(path: try present()).set(requests)
        held.hold(outcomes.filter { $0.fault == nil }.map(\.request))
        held.tell(outcomes)
        return outcomes
    }

    /// The node at which it is now.
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
