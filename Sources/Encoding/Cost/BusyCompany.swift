internal import CMedia
internal import FoundationEssentials
import Media

/// Threads that keep the other processors busy half of the time with rotating frames, until `leave`.
final class BusyCompany {
    private let done = Cancellation()
    private var threads: [MediaThread] = []

    private static let size = FrameSize(width: 640, height: 360)
    private static let turn = Nanoseconds.milliseconds(4)

    /// Starts one thread for each processor but the caller's, eight at most: more share no core with it.
    init() {
        let count = min(ProcessInfo.processInfo.activeProcessorCount - 1, 8)
        let done = done
        threads = (0..<max(count, 0)).map { _ in
            MediaThread(name: "company") {
                let material = MeasuringMaterial(.photographic, size: Self.size)
                let planes = material.frames.map { Planes(i420: $0, size: Self.size) }
                var scratch = ScratchPlanes()
                let clock = MonotonicClock()
                while true {
                    let end = clock.now + Self.turn
                    while clock.now < end {
                        for source in planes {
                            source.turn(.quarter, into: scratch.planes(Self.size.turned, 1, 1))
                        }
                    }
                    guard clock.sleep(until: clock.now + Self.turn, unless: done) else { return }
                }
            }
        }
    }

    /// Ends the threads and waits for their ends.
    func leave() {
        done.cancel()
        for thread in threads { thread.join() }
    }
}
