internal import FileSystem
import Media

/// Requests to a camera's thread while it streams. Any thread may make one, which wakes the camera's thread.
final class StreamRequests: Sendable {
    enum Request: Equatable {
        /// Nothing is asked, or a request was already taken.
        case none
        case stop
        /// The format to switch to; `nil` switches the stream off until one is given.
        case change(to: VideoFormat?)
    }

    let wakeUp: WakeUp
    private let request = ConditionLock(Request.none)

    /// Makes an empty set of requests.
    ///
    /// - Parameter device: The device, for messages.
    /// - Throws: `DeviceError` when the system has no descriptor left.
    init(for device: String) throws(DeviceError) {
        wakeUp = try WakeUp(for: device)
    }

    /// Asks the thread to stop; the request is never withdrawn.
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

    /// Takes the request. The camera's thread calls this when it was woken.
    func take() -> Request {
        // Reset before reading, so that a later request wakes the thread again.
        wakeUp.forget()
        return request.withLock { request in
            defer { if request != .stop { request = .none } }
            return request
        }
    }
}
