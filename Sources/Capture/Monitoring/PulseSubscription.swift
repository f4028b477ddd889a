internal import CLinux
internal import Media

/// Waits until the sound server's sources came, went or changed, or another one became the default. Owns a connection's
/// subscription.
///
/// Used, and released, by one thread that is not libpulse's own.
final class PulseSubscription {
    /// The state of the callback, touched under the connection's lock on libpulse's thread.
    private final class Listener {
        let connection: PulseConnection
        var hasNews = false

        init(_ connection: PulseConnection) {
            self.connection = connection
        }
    }

    private let connection: PulseConnection
    private let listener: Listener

    /// Subscribes to the server's events.
    ///
    /// - Throws: `DeviceError` with `noSoundServer` when the server does not accept the subscription.
    init(on connection: PulseConnection) throws(DeviceError) {
        self.connection = connection
        let listener = Listener(connection)
        self.listener = listener
        connection.locked {
            // Unretained: `deinit` takes the callback away, under the lock, before it lets go of the listener.
            pa_context_set_subscribe_callback(
                connection.context,
                { _, _, _, userdata in
                    guard let userdata else { return }
                    let listener = Unmanaged<Listener>.fromOpaque(userdata).takeUnretainedValue()
                    listener.hasNews = true
                    listener.connection.wake()
                }, Unmanaged.passUnretained(listener).toOpaque())
        }
        let isAccepted = try connection.ask(false, operation: "subscribe") { userdata in
            pa_context_subscribe(
                connection.context,
                // A change of the default source is an event of the server, not of a source.
                pa_subscription_mask_t(
                    PA_SUBSCRIPTION_MASK_SOURCE.rawValue | PA_SUBSCRIPTION_MASK_SERVER.rawValue),
                { _, success, userdata in
                    guard let reply = PulseReply<Bool>.behind(userdata) else { return }
                    reply.value = success != 0
                    reply.complete()
                }, userdata)
        }
        guard isAccepted else {
            throw DeviceError(
                device: "PulseAudio", operation: "subscribe", reason: .noSoundServer(connection.failureText))
        }
    }

    deinit {
        connection.locked { pa_context_set_subscribe_callback(connection.context, nil, nil) }
    }

    /// Sleeps until there is news since the last call.
    ///
    /// - Returns: `false` when the server went away or the connection was interrupted.
    func waitForNews() -> Bool {
        connection.locked {
            // News may not come for days; `wait` needs a limit, so it is repeated.
            while connection.isReady {
                if connection.wait(
                    atMost: .seconds(86_400), until: { listener.hasNews || !connection.isReady })
                {
                    defer { listener.hasNews = false }
                    return listener.hasNews && connection.isReady
                }
                if connection.isInterrupted { return false }
            }
            return false
        }
    }
}
