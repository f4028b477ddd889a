package import MulticamMedia
internal import MulticamSystem

/// Camera with a V4L2 node: webcams, capture sticks and similar devices.
///
/// The initializer opens the camera in one format and reserves its buffers, so `start` only has to start the stream.
/// While streaming, the camera can be unplugged and plugged in again at the same port or another one. A reconnected
/// camera is recognized by its identity, reopened with the same format and controls, and continues to deliver frames.
/// After `stop` the node is free, and `start` opens it again.
package final class V4L2Camera: DetailedCameraSource {
    /// The camera as listed by the catalog.
    package let device: CaptureDevice
    /// Format that the camera delivers after `start`. `change(to:)` doesn't change this property.
    package let format: VideoFormat
    /// Color description of the frames from the driver, except for `mjpeg` and `grey` (JPEG colors) and converted
    /// formats (limited-range BT.601).
    package let color: ColorDescription
    private let held: ControlStore
    private let adoptsOtherSizes: Bool
    private let roster: CameraRoster
    private let number: Int
    private let state: ConditionLock<State>

    private struct State {
        /// The opened camera, until the camera's thread takes ownership.
        var opened: OpenedCamera?
        var thread: MediaThread?
        var requests: StreamRequests?
    }

    private let readsHeaders = ConditionLock(false)

    /// Opens a camera of a session.
    ///
    /// - Parameters:
    ///   - device: A camera from the catalog; its `node` is opened.
    ///   - format: A format that the camera offers.
    ///   - controls: Controls to set and maintain. Automatic controls are set before other controls.
    ///   - adoptsOtherSizes: Whether to accept another frame size from a capture stick that returns without the
    ///     original size.
    ///   - roster: The roster that all cameras of a session share, so that a reconnected camera is never
    ///     confused with another one.
    /// - Throws: `DeviceError` if the camera is busy (with the name of the program), permission is denied, the camera
    ///   doesn't deliver the exact format, or it rejects a control.
    package init(
        device: CaptureDevice, format: VideoFormat, controls: [ControlRequest],
        adoptsOtherSizes: Bool, roster: CameraRoster
    ) throws(DeviceError) {
        let opened = try OpenedCamera(opening: device, format, controls)
        self.device = device
        self.format = format
        held = ControlStore(controls, at: device.node)
        self.adoptsOtherSizes = adoptsOtherSizes
        color = opened.layout.color
        self.roster = roster
        number = roster.register(device.identity)
        state = ConditionLock(State(opened: opened))
    }

    /// Opens the only camera of a session.
    ///
    /// - Parameters:
    ///   - device: A camera from the catalog; its `node` is opened.
    ///   - format: A format that the camera offers.
    ///   - controls: Controls to set and maintain. Automatic controls are set before other controls.
    /// - Throws: `DeviceError` if the camera is busy (with the name of the program), permission is denied, the camera
    ///   doesn't deliver the exact format, or it rejects a control.
    package convenience init(
        device: CaptureDevice, format: VideoFormat, controls: [ControlRequest] = []
    ) throws(DeviceError) {
        try self.init(
            device: device, format: format, controls: controls, adoptsOtherSizes: false,
            roster: CameraRoster())
    }

    deinit {
        stop()
    }

    /// Two frame intervals: the timestamp marks the start of exposure, which may last one interval. Readout and
    /// transport take another interval.
    package var deliveryDelay: Nanoseconds { format.rate.interval * 2 }

    /// Requests the UVC header clock, which is read from the camera's metadata node. The node is opened at each later
    /// start. If the clock isn't available, frames are delivered without it, and `CameraEvent.headerClockMissing`
    /// reports the cause.
    package func requestHeaderClock() {
        readsHeaders.withLock { $0 = true }
    }

    /// Starts streaming on a dedicated thread. Returns when the driver is streaming; the first frame may arrive later.
    ///
    /// - Throws: `DeviceError` if the camera is streaming already or can't be started.
    package func start(
        on clock: any SessionClock, delivering receive: @escaping @Sendable (CameraEvent) -> Void
    )
        throws(DeviceError)
    {
        guard state.withLock({ $0.thread == nil }) else { throw .alreadyStarted(device.selector) }
        // The opened camera is removed from the state, so that its node is closed if the stream fails to
        // start.
        let prepared = state.withLock { $0.opened.take() }
        var opened: OpenedCamera
        if let prepared {
            opened = prepared
        } else {
            opened = try OpenedCamera(opening: device, format, held.requests)
        }
        let requests = try StreamRequests(for: device.node)
        let again = try opened.start(on: device, readingHeaders: readsHeaders.withLock { $0 })
        let started = opened
        state.withLock {
            $0.opened = started
            $0.requests = requests
        }
        do throws(ThreadError) {
            try run(clock, requests, reporting: started.outcomes + again, receive)
        } catch {
            // Releasing the `OpenedCamera` closes the camera.
            state.withLock { state in
                _ = state.opened.take()
                state.requests = nil
            }
            throw DeviceError(device: device.node, operation: "starting", error)
        }
    }

    /// Stops streaming, waits for the camera's thread and closes the node. No events are delivered after this
    /// call. Must not be called from the camera's thread.
    package func stop() {
        let (thread, requests) = state.withLock { state in
            defer { state = State() }
            return (state.thread, state.requests)
        }
        requests?.stop()
        thread?.join()
    }

    /// Always `true`: the format can be changed while the camera is streaming.
    package var canChangeFormat: Bool { true }

    /// Requests that the camera's thread restart the stream in another format. Returns immediately. Has no
    /// effect if the camera isn't streaming.
    ///
    /// - Parameter format: A format that the camera offers; `nil` stops the stream until a format is given.
    package func changeFormat(to format: VideoFormat?) {
        state.withLock { $0.requests }?.change(to: format)
    }

    /// Reads all controls with their current values, which takes milliseconds. Must not be called from a
    /// Swift task.
    ///
    /// - Returns: The controls in driver order.
    /// - Throws: `DeviceError` if the camera is unavailable or its node can't be opened.
    package func readControls() throws(DeviceError) -> [DeviceControl] {
        try V4L2Device(path: try currentNode()).controls()
    }

    /// Sets controls in the given order and reads them back. Accepted values are set again whenever the
    /// camera is reconnected. Must not be called from a Swift task.
    ///
    /// - Parameter requests: Controls with their new values, in the order in which to set them.
    /// - Returns: The outcome of each request, in the same order.
    /// - Throws: `DeviceError` if the camera is unavailable or doesn't respond.
    package func setControls(_ requests: [ControlRequest]) throws(DeviceError) -> [ControlOutcome] {
        let outcomes = try V4L2Device(path: try currentNode()).set(requests)
        held.store(outcomes.filter { $0.fault == nil }.map(\.request))
        held.enqueueOutcomes(outcomes)
        return outcomes
    }

    /// Returns the camera's current node.
    private func currentNode() throws(DeviceError) -> String {
        guard let node = held.node else {
            throw DeviceError(device: device.node, operation: "opening", reason: .disconnected)
        }
        return node
    }

    private func run(
        _ clock: any SessionClock, _ requests: StreamRequests, reporting outcomes: [ControlOutcome],
        _ receive: @escaping @Sendable (CameraEvent) -> Void
    ) throws(ThreadError) {
        let state = state
        let (device, format, held, roster, number) = (device, format, held, roster, number)
        let (adoptsOtherSizes, readsHeaders) = (adoptsOtherSizes, readsHeaders.withLock { $0 })
        let thread = try clock.startThread(named: "cam:\(Paths.name(device.node))") {
            var supervision = CameraSupervision(
                device: device, format: format, held: held, adoptsOtherSizes: adoptsOtherSizes,
                readsHeaders: readsHeaders, roster: roster, number: number, requests: requests,
                reporter: CameraEventReporter(format: format, clock: clock, receive: receive)
            )
            supervision.reporter.reportControls(outcomes)
            supervision.run(from: { state.withLock { $0.opened.take() } })
        }
        state.withLock { $0.thread = thread }
    }
}

/// Controls whose values are maintained while a camera is in use, and the camera's node for changing them.
/// Thread-safe.
final class ControlStore: Sendable {
    private struct State {
        var requests: [ControlRequest]
        var node: String?
        /// Outcomes for controls set while the camera is streaming, until the camera's thread reports them.
        var unreported: [ControlOutcome] = []
    }

    private let state: ConditionLock<State>

    init(_ requests: [ControlRequest], at node: String) {
        state = ConditionLock(State(requests: requests, node: node))
    }

    /// Controls in the order of their requests.
    var requests: [ControlRequest] { state.withLock { $0.requests } }

    /// The camera's current node; `nil` while the camera is unavailable, because the node may then belong to another
    /// camera.
    var node: String? {
        get { state.withLock { $0.node } }
        set { state.withLock { $0.node = newValue } }
    }

    /// Stores outcomes that the camera's thread reports later.
    func enqueueOutcomes(_ outcomes: [ControlOutcome]) {
        state.withLock { $0.unreported += outcomes }
    }

    /// Returns and removes the outcomes to report. The camera's thread calls this periodically.
    func drainUnreportedOutcomes() -> [ControlOutcome] {
        state.withLock { state in
            defer { state.unreported = [] }
            return state.unreported
        }
    }

    /// Stores controls that a camera accepted, replacing their previous values. Removes controls that are governed by a
    /// newly enabled automatic control.
    func store(_ taken: [ControlRequest]) {
        state.withLock { state in
            let names = Set(taken.map(\.name))
            let governed = taken.flatMap { request -> [String] in
                guard let governor = ControlGovernor.named(request.name),
                    !governor.isManual(at: request.value)
                else { return [] }
                return governor.governedControls
            }
            state.requests.removeAll { names.contains($0.name) || governed.contains($0.name) }
            state.requests += taken
        }
    }
}

/// Requests to the thread of a streaming camera. Any thread can make a request, which wakes the camera's
/// thread.
final class StreamRequests: Sendable {
    enum Request: Equatable {
        /// No request is pending.
        case none
        case stop
        /// Change to a format; `nil` stops the stream until a format is given.
        case change(to: VideoFormat?)
    }

    let wakeUp: WakeUp
    private let request = ConditionLock(Request.none)

    /// Creates an empty set of requests.
    ///
    /// - Parameter device: The device, for messages.
    /// - Throws: `DeviceError` if the process has run out of file descriptors.
    init(for device: String) throws(DeviceError) {
        wakeUp = try WakeUp(for: device)
    }

    /// Requests that the camera's thread stop. Later requests don't replace the stop request.
    func stop() {
        request.withLock { $0 = .stop }
        wakeUp.wake()
    }

    func change(to format: VideoFormat?) {
        request.withLock { request in
            if request != .stop { request = .change(to: format) }
        }
        wakeUp.wake()
    }

    /// Returns and removes the pending request. The camera's thread calls this after it is woken.
    func dequeue() -> Request {
        // The wake-up is reset before the request is read, so that a later request wakes the thread again.
        wakeUp.clear()
        return request.withLock { request in
            defer { if request != .stop { request = .none } }
            return request
        }
    }
}
