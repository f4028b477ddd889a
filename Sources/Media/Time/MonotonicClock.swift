public import Foundation
import Glibc

/// Real time: `CLOCK_MONOTONIC`.
public struct MonotonicClock: SessionClock {
    private let wallClockOffset: Int64

    public init() {
        wallClockOffset = Self.read(CLOCK_REALTIME) - Self.read(CLOCK_MONOTONIC)
    }

    public var now: ClockTime { ClockTime(nanoseconds: Self.read(CLOCK_MONOTONIC)) }

    public func date(of instant: ClockTime) -> Date {
        Date(timeIntervalSince1970: Double(instant.nanoseconds + wallClockOffset) / 1e9)
    }

    public var isRealTime: Bool { true }

    @discardableResult
    public func sleep(until deadline: ClockTime, unless cancellation: Cancellation) -> Bool {
        cancellation.wait(until: deadline) == false
    }

    public func startThread(named name: String, _ body: sending @escaping () -> Void) -> MediaThread {
        MediaThread(name: name, urgency: .punctual, body)
    }

    public func hold() {}
    public func release() {}

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Nanoseconds(time).count
    }
}
