internal import CMulticamLinux
internal import MulticamMedia

/// Reports the sound server's sources when they change. Uses a dedicated thread and connection.
///
/// If the server disappears, the monitor reports it once, and reconnects when a server is available.
final class MicrophoneMonitor: Sendable {
    private let interruption = PulseInterruption()
    private let thread: MediaThread

    /// Delay before the next attempt if the server doesn't respond.
    private static let pause = Nanoseconds.milliseconds(500)

    /// Starts the monitor.
    ///
    /// - Parameters:
    ///   - server: PulseAudio server string; `nil` for the user's default server.
    ///   - report: Called on the monitor's thread with all sources, immediately and whenever they may have changed.
    ///     Called once with the reason if the server is missing or has disappeared. The function must not call `stop`.
    init(
        server: String? = nil, report: @escaping @Sendable (Result<[PulseSource], DeviceError>) -> Void
    ) {
        thread = MediaThread.startWhenPossible(name: "mic-monitor") { [interruption] in
            var isServed = true
            repeat {
                do throws(DeviceError) {
                    try Self.reportSources(server, interruption) { sources in
                        isServed = true
                        report(.success(sources))
                    }
                } catch {
                    if isServed, !interruption.isInterrupted { report(.failure(error)) }
                    isServed = false
                }
            } while !interruption.wait(until: MonotonicClock().now + Self.pause)
        }
    }

    deinit {
        stop()
    }

    /// Stops monitoring immediately and waits for a running report to finish. `report` isn't called
    /// afterward.
    func stop() {
        interruption.interrupt()
        thread.join()
    }

    /// Reports sources until an error occurs: the server isn't running, it disappeared, or the connection was
    /// interrupted.
    private static func reportSources(
        _ server: String?, _ interruption: PulseInterruption, _ report: ([PulseSource]) -> Void
    ) throws(DeviceError) {
        let connection = try PulseConnection(server: server, interruption: interruption)
        let subscription = try PulseSubscription(on: connection)
        repeat { report(try connection.sources()) } while subscription.waitForEvent()
        throw DeviceError(
            device: "PulseAudio", operation: "monitoring", reason: .noSoundServer("the connection was lost"))
    }
}

/// Waits until the sound server's sources or its default source change. Owns an event subscription on a
/// connection.
///
/// Use and release this object on one thread other than libpulse's thread.
final class PulseSubscription {
    /// State of the callback, accessed on libpulse's thread under the connection's lock.
    private final class Listener {
        let connection: PulseConnection
        var hasEvent = false

        init(_ connection: PulseConnection) {
            self.connection = connection
        }
    }

    private let connection: PulseConnection
    private let listener: Listener

    /// Subscribes to the server's events.
    ///
    /// - Throws: `DeviceError` with `noSoundServer` if the server rejects the subscription.
    init(on connection: PulseConnection) throws(DeviceError) {
        self.connection = connection
        let listener = Listener(connection)
        self.listener = listener
        connection.locked {
            // Unretained: `deinit` removes the callback under the lock before it releases the listener.
            pa_context_set_subscribe_callback(
                connection.context,
                { _, _, _, userdata in
                    guard let userdata else { return }
                    let listener = Unmanaged<Listener>.fromOpaque(userdata).takeUnretainedValue()
                    listener.hasEvent = true
                    listener.connection.wake()
                }, Unmanaged.passUnretained(listener).toOpaque())
        }
        let isAccepted = try connection.query(false, operation: "subscribing to events") { userdata in
            pa_context_subscribe(
                connection.context,
                // A change of the default source is a server event, not a source event.
                pa_subscription_mask_t(
                    PA_SUBSCRIPTION_MASK_SOURCE.rawValue | PA_SUBSCRIPTION_MASK_SERVER.rawValue),
                { _, success, userdata in
                    guard let reply = PulseReply<Bool>.fromUserdata(userdata) else { return }
                    reply.value = success != 0
                    reply.complete()
                }, userdata)
        }
        guard isAccepted else {
            throw DeviceError(
                device: "PulseAudio", operation: "subscribing to events",
                reason: .noSoundServer(connection.failureText))
        }
    }

    deinit {
        connection.locked { pa_context_set_subscribe_callback(connection.context, nil, nil) }
    }

    /// Sleeps until an event has arrived since the last call.
    ///
    /// - Returns: `false` if the server disappeared or the connection was interrupted.
    func waitForEvent() -> Bool {
        connection.locked {
            // `wait` needs a time limit, but there may be no event for days, so `wait` is called in a loop.
            while connection.isReady {
                if connection.wait(
                    atMost: .seconds(86_400), until: { listener.hasEvent || !connection.isReady })
                {
                    defer { listener.hasEvent = false }
                    return listener.hasEvent && connection.isReady
                }
                if connection.isInterrupted { return false }
            }
            return false
        }
    }
}
