/// The times in the header of a frame's first USB packet: the camera's clock, the bus's and the computer's at one instant,
/// and the camera's at the exposure (UVC 1.5, 2.4.3.3; `struct uvc_meta_buf` in linux/uvcvideo.h).
///
/// A field that the camera leaves out is `nil`.
public struct UVCHeaderClock: Sendable, Hashable {
    /// PTS: the camera's clock when it began to expose the frame. Counts at the rate of its descriptor (`dwClockFrequency`)
    /// and wraps at 2³².
    public let presentationTime: UInt32?
    /// STC, of the SCR field: the camera's clock when it sent the packet. The same counter as `presentationTime`.
    public let sourceClock: UInt32?
    /// SOF, of the SCR field: the bus's frame number (1 kHz, 0…2047) that the camera saw when it sent the packet.
    public let busFrame: UInt16?
    /// The time at which the driver took the packet, in nanoseconds of the clock that it stamps by: `CLOCK_MONOTONIC`,
    /// unless its parameter `clock` says otherwise.
    public let hostTime: ClockTime
    /// The bus's frame number that the computer's controller showed at `hostTime`, in as many bits as the controller has.
    public let hostFrame: UInt16

    /// Makes a value from the fields of a header.
    public init(
        presentationTime: UInt32?, sourceClock: UInt32?, busFrame: UInt16?, hostTime: ClockTime,
        hostFrame: UInt16
    ) {
        self.presentationTime = presentationTime
        self.sourceClock = sourceClock
        self.busFrame = busFrame
        self.hostTime = hostTime
        self.hostFrame = hostFrame
    }
}
