/// One frame as its camera delivered it.
///
/// A compressed frame has exactly the camera's bytes. A raw one may borrow the driver's memory: hold it no longer than it
/// is shown, and keep a copy for repeats.
public final class CapturedFrame: Sendable {
    /// How the bytes are to be read.
    public let pixel: PixelFormat
    /// Size of the stored frame in pixels, before any rotation.
    public let size: FrameSize
    /// The colour matrix and range of the frame.
    public let color: ColorDescription
    /// The start of exposure on the session clock, by the driver's time stamp. Never the time of arrival.
    public let capturedAt: ClockTime
    /// The device's own number of the frame. A jump is a loss by the driver or the bus.
    public let sequence: Int64
    /// Whether the frame can be decoded without its predecessors. Always true but for H.264.
    public let isKey: Bool
    /// The bytes of the frame: the whole compressed frame, or all planes of a raw one.
    public let memory: SharedBytes
    /// The place of each plane in `memory`, in the order of `pixel`. Empty for compressed frames.
    public let planes: [FramePlane]
    /// Whether the memory is the frame's own, so that holding it long keeps nobody waiting.
    public let isOwned: Bool
    /// The times in the camera's USB packet headers; `nil` unless they were asked for (`CameraSource.deliverHeaderClock`)
    /// and given.
    public let headerClock: UVCHeaderClock?
    /// The decoding that several outputs share, where they need all of the pixels; `nil` where each decodes what it needs.
    public let sharedDecoding: SharedDecoding?

    /// Makes a frame. `isOwned` is `false` for memory lent by a driver; the other arguments are the properties of the same
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

    /// The first byte of a plane of a raw frame; `index` is its place in `planes`. Valid as long as `memory` is.
    public func plane(_ index: Int) -> UnsafePointer<UInt8> {
        UnsafePointer((memory.start + planes[index].offset).assumingMemoryBound(to: UInt8.self))
    }
}
