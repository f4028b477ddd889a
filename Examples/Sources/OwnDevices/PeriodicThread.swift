import MulticamKit

/// The thread of a source. It calls a closure once per interval on the session's clock, until it is stopped.
final class PeriodicThread: Sendable {
    private let cancellation = Cancellation()
    private let thread = BoundedQueue<MediaThread>(capacity: 1)

    /// Calls `make` with the number of each frame or slice and the time at which its capture began. Throws an error if the
    /// system can't create a thread.
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
