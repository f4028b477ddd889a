internal import Media

/// Keeps a microphone's stream open until it is stopped: reopens it whenever it has failed.
struct PulseSupervision: Sendable {
    let source: PulseSource
    let format: AudioFormat
    let server: String?
    let delivery: PulseDelivery

    private static let pause = Nanoseconds.milliseconds(500)

    /// Starts the thread that owns `stream` from now on. It ends, with all that it owns, after `delivery.stop()`.
    func begin(with stream: PulseRecordStream) -> MediaThread {
        // The thread's body must not hold the stream itself: a body lives on until after the thread was joined.
        let handedOver = ConditionLock<PulseRecordStream?>(stream)
        return MediaThread(name: "mic:\(source.description)") { [self] in
            run(
                with: handedOver.withLock { stream in
                    defer { stream = nil }
                    return stream
                })
        }
    }

    private func run(with first: consuming PulseRecordStream?) {
        var stream = consume first
        while let cause = delivery.waitForFault() {
            // The stream is released first, so that libpulse's thread reports nothing while this thread does.
            stream = nil
            delivery.away(cause: cause)
            while stream == nil {
                guard delivery.pause(Self.pause) else { return }
                stream = reopened()
            }
        }
    }

    /// Opens a stream of the same source on a new connection; `nil` when that fails, and the next attempt follows.
    private func reopened() -> PulseRecordStream? {
        delivery.reopen()
        do throws(DeviceError) {
            // A short limit, since `stop` waits for the attempt.
            let connection = try PulseConnection(server: server, timeLimit: .seconds(1))
            return try PulseRecordStream(
                source: source, format: format, connection: connection, delivery: delivery)
        } catch {
            return nil
        }
    }
}
