internal import CMedia
internal import Glibc
internal import Media

/// A camera's wall clock, related to CLOCK_MONOTONIC by this computer's.
enum WallClock {
    /// When a packet was captured by the camera's wall clock; `nil` where the camera has not told it.
    static func capture(of packet: UnsafeMutablePointer<AVPacket>) -> ClockTime? {
        var size = 0
        guard let data = av_packet_get_side_data(packet, AV_PKT_DATA_PRFT, &size),
            size >= MemoryLayout<AVProducerReferenceTime>.size
        else { return nil }
        let microseconds = UnsafeRawPointer(data).loadUnaligned(as: AVProducerReferenceTime.self).wallclock
        return monotonic(wall: .microseconds(microseconds))
    }

    /// An instant of the wall clock on CLOCK_MONOTONIC, by the present distance of the two.
    ///
    /// - Parameter time: Time since 1970.
    /// - Returns: The instant.
    static func monotonic(wall time: Nanoseconds) -> ClockTime {
        ClockTime(nanoseconds: (time - read(CLOCK_REALTIME) + read(CLOCK_MONOTONIC)).count)
    }

    private static func read(_ clock: clockid_t) -> Nanoseconds {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(Int64(time.tv_sec)) + Nanoseconds(Int64(time.tv_nsec))
    }
}
