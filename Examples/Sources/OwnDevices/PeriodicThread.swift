import MulticamKit

/// The thread of a source: calls once an interval, on the session's clock, until stopped.
final class PeriodicThread: Sendable {
    private let cancellation = Cancellation()
    private let thread = BoundedQueue<MediaThread>(capacity: 1)

    /// Calls `make` with the number of each frame or slice, and the instant at which its capture began. Throws when the system
    /// creates no thread.
    func start(
        on clock: any SessionClock, every interval: Nanoseconds,
        _ make: @escaping @Sendable (_ number: Int64, _ time: ClockTime) -> Void
    ) throws(DeviceError) {
        let (begin, cancellation) = (clock.now, cancellation)
        do throws(ThreadError) {
            let started = try clock.startThread(named: "own source") {
                var number: Int64 = 0
                while clock.sleep(until: begin + interval * (number + 1), unless: cancellation) {
                    make(number, begin + interval * number)
                    number += 1
                }
            }
            _ = thread.tryEnqueue(started)
        } catch {
            throw DeviceError(device: "own source", operation: "start", error)
        }
    }

    func stop() {
        cancellation.cancel()
        thread.finish()
        thread.dequeue()?.join()
    }
}
