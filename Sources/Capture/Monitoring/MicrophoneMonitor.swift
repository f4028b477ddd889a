internal import Media

/// Reports the sound server's sources as they come and go, on a thread and a connection of its own.
///
/// When the server dies the monitor says so once, and connects again as soon as there is one.
final class MicrophoneMonitor: Sendable {
    private let interruption = PulseInterruption()
    private let thread: MediaThread

    /// Pause before the next attempt at a server that does not answer.
    private static let pause = Nanoseconds.milliseconds(500)

    /// Starts the monitor.
    ///
    /// - Parameters:
    ///   - server: PulseAudio server string; `nil` for the user's own server.
    ///   - report: Called on the monitor's thread: first with all sources, then with all of them whenever they may have
    ///     changed; once with the reason when there is no server (any more). It must not call `stop`.
    init(
        server: String? = nil, report: @escaping @Sendable (Result<[PulseSource], DeviceError>) -> Void
    ) {
        thread = MediaThread(name: "mic-monitor") { [interruption] in
            var isServed = true
            repeat {
                do throws(DeviceError) {
                    try Self.follow(server, interruption) { sources in
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

    /// Ends at once and waits for a report that is under way; none follows.
    func stop() {
        interruption.interrupt()
        thread.join()
    }

    /// Reports sources until an error: the server is not there, went away, or the connection was interrupted.
    private static func follow(
        _ server: String?, _ interruption: PulseInterruption, _ report: ([PulseSource]) -> Void
    ) throws(DeviceError) {
        let connection = try PulseConnection(server: server, interruption: interruption)
        let subscription = try PulseSubscription(on: connection)
        repeat { report(try connection.sources()) } while subscription.waitForNews()
        throw DeviceError(device: "PulseAudio", operation: "listen", reason: .noSoundServer("it went away"))
    }
}
