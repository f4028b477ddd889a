/// One frame as its camera delivered it.
///
/// Compressed frames are the camera's very bytes. Raw ones may borrow the driver's memory, so hold one no longer than
/// it is shown and keep a copy for repeats.
public final class CapturedFrame: Sendable {
    public let pixel: PixelFormat
    /// Of the stored frame, before any rotation.
    public let size: FrameSize
    public let color: ColorDescription
    /// The start of its exposure on the session clock, by the driver's time stamp. Never the time of arrival.
    public let capturedAt: ClockTime
    /// The device's own count of frames. A jump is a loss by the driver or the bus.
    public let sequence: Int64
    /// Whether it can be decoded without its predecessors. Always true but for H.264.
    public let isKey: Bool
    public let memory: SharedBytes
    /// One entry a plane, as `pixel` says. Empty for compressed frames.
    public let planes: [FramePlane]
    /// Whether the memory is this frame's own, so that holding it long keeps nobody waiting.
    public let isOwned: Bool
    /// What the camera's packets said of time, where that was asked for (`CameraSource.deliverHeaderClock`) and given.
    public let headerClock: UVCHeaderClock?
    /// Where several outputs need all of its pixels; `nil` where each decodes what it needs.
    public let sharedDecoding: SharedDecoding?

    /// `isOwned` is `false` for memory lent by a driver. The other arguments are the properties of the same
    /// name.
    public init(
        pixel: PixelFormat, size: FrameSize, color: ColorDescription, capturedAt: ClockTime,
        sequence: Int64,
        isKey: Bool = true, memory: SharedBytes, planes: [FramePlane] = [], isOwned: Bool = false,
        headerClock: UVCHeaderClock? = nil, sharedDecoding: SharedDecoding? = nil
    ) {
        self.pixel = pixel
        self.size = size
        self.color = color
        self.capturedAt = capturedAt
        self.sequence = sequence
        self.isKey = isKey
        self.memory = memory
        self.planes = planes
        self.isOwned = isOwned
        self.headerClock = headerClock
        self.sharedDecoding = sharedDecoding
    }

    /// The first byte of a plane of a raw frame.
    public func plane(_ index: Int) -> UnsafePointer<UInt8> {
        UnsafePointer((memory.start + planes[index].offset).assumingMemoryBound(to: UInt8.self))
    }
}
