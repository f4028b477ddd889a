internal import Capture
public import Media

extension DeviceChoice {
    /// How often it is looked whether another program uses a device, and whether a lid is closed: no event tells of either.
    private static let interval = Nanoseconds.seconds(1)

    /// The present state of a device. Looks into proc(5), which takes milliseconds.
    ///
    /// - Parameter device: The device, in any state that it had: it is recognised by its identity.
    /// - Returns: The state; not connected when the device is away, or cannot be told from an identical one.
    public func state(of device: CaptureDevice) -> DeviceState {
        Self.completed(state.withLock { DeviceState(of: device, in: $0) })
    }

    /// Follows a device, also when it returns or is moved to another port.
    ///
    /// - Parameter device: The device, in any state that it had: it is recognised by its identity.
    /// - Returns: The state as it is now, then each later one. A slow reader gets only the latest. Ends with `stop`.
    public func states(of device: CaptureDevice) -> AsyncStream<DeviceState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceState.self, bufferingPolicy: .bufferingNewest(1))
        let (state, done) = (state, Cancellation())
        // The closure keeps this object alive until the stream ends.
        _ = MediaThread(name: "device") { [self] in
            var told: DeviceState?
            var known = DeviceState(of: device, in: state.withLock { $0 })
            while !done.isCancelled, !self.state.withLock({ $0.isStopped }) {
                let now = Self.completed(known)
                if now != told { continuation.yield(now) }
                told = now
                let seen = known
                let news = state.wait(until: MonotonicClock().now + Self.interval) { choice -> DeviceState? in
                    let new = DeviceState(of: seen.device, in: choice)
                    return new != seen || choice.isStopped || done.isCancelled ? new : nil
                }
                known = news ?? seen
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in
            done.cancel()
            state.broadcast { _ in }
        }
        return stream
    }

    /// The state with what only the system knows.
    private static func completed(_ known: DeviceState) -> DeviceState {
        var state = known
        guard state.isConnected else { return state }
        if case .failing = state.device.problem { state.isSuspended = true }
        if state.device.deviceType == .builtIn, Lid.isClosed() { state.isSuspended = true }
        if state.device.mediaType == .video, state.device.node.hasPrefix("/dev/") {
            state.holder = NodeOwners.holder(of: state.device.node)
        }
        return state
    }
}
