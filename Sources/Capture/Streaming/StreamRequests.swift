internal import Descriptors
import Media

/// What is asked of a camera's thread while it streams. Any thread may ask; it is woken for it.
final class StreamRequests: Sendable {
    enum Request: Equatable {
        /// It was woken for nothing that still holds.
        case none
        case stop
        /// Another format; `nil` switches the stream off until one is given.
        case change(to: VideoFormat?)
    }

    let wakeUp: WakeUp
    private let request = ConditionLock(Request.none)

    /// - Parameter device: For messages.
    /// - Throws: When the system has no descriptor left.
    init(for device: String) throws(DeviceError) {
        wakeUp = try WakeUp(for: device)
    }

    /// Stays asked for ever.
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

    /// To be called by the camera's thread when it was woken.
    func take() -> Request {
        // Before the look: what is asked after it wakes again.
        wakeUp.forget()
        return request.withLock { request in
            defer { if request != .stop { request = .none } }
            return request
        }
    }
}
