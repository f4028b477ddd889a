/// A frame as delivered by the camera.
///
/// A compressed frame contains exactly the camera's bytes. A raw frame may borrow the driver's memory:
/// release such a frame immediately after use, and copy it if it may have to be shown again.
public final class CapturedFrame: Sendable {
    /// Pixel format of the frame.
    public let pixel: PixelFormat
    /// Size of the stored frame in pixels, before any rotation.
    public let size: FrameSize
    /// Color matrix and range of the frame.
    public let color: ColorDescription
    /// Start of exposure on the session clock, derived from the driver's timestamp and not from the frame's
    /// arrival.
    public let capturedAt: ClockTime
    /// Frame number assigned by the device. A gap in the numbers indicates frames lost in the driver or on
    /// the bus.
    public let sequence: Int64
    /// Whether the frame can be decoded without preceding frames. The value is always `true` except for
    /// H.264.
    public let isKey: Bool
    /// Data of the frame: the complete compressed frame, or all planes of a raw frame.
    public let memory: SharedBytes
    /// Location of each plane in `memory`, in the order that `pixel` defines. The array is empty for
    /// compressed frames.
    public let planes: [FramePlane]
    /// Whether the frame owns its memory, so that holding it for a long time doesn't block other components.
    public let isOwned: Bool
    /// Times from the camera's USB packet headers; `nil` if the times weren't requested
    /// (`CameraSource.requestHeaderClock`) or aren't available.
    package let headerClock: UVCHeaderClock?
    /// Decoded frame shared by several outputs that need all pixels; `nil` if each output decodes only the
    /// pixels that it needs.
    package let sharedDecoding: SharedDecoding?

    /// Creates a frame. `isOwned` is `false` for memory lent by a driver; the other arguments set the
    /// properties of the same name.
    public convenience init(
        pixel: PixelFormat, size: FrameSize, color: ColorDescription, capturedAt: ClockTime,
        sequence: Int64, isKey: Bool = true, memory: SharedBytes, planes: [FramePlane] = [],
        isOwned: Bool = false
    ) {
        self.init(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence,
            isKey: isKey, memory: memory, planes: planes, isOwned: isOwned, headerClock: nil)
    }

    /// Creates a frame with the camera's clock and the decoded frame that several outputs share.
    package init(
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

    /// Returns the first byte of a plane; `index` is its position in `planes`. The pointer is valid for the
    /// lifetime of `memory`.
    ///
    /// - Returns: The first byte; `nil` if the frame has no such plane. A compressed frame has no planes.
    public func plane(_ index: Int) -> UnsafePointer<UInt8>? {
        planes.indices.contains(index) ? startOfPlane(index) : nil
    }

    /// Returns the first byte of a plane that the frame is known to have.
    package func startOfPlane(_ index: Int) -> UnsafePointer<UInt8> {
        UnsafePointer((memory.start + planes[index].offset).assumingMemoryBound(to: UInt8.self))
    }
}

extension CapturedFrame {
    /// Returns a frame that owns its memory, for long-term storage. Compressed frames already own their
    /// memory and are returned unchanged.
    public func ownedCopy() -> CapturedFrame {
        guard !planes.isEmpty, !isOwned else { return self }
        return CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: SharedBytes(copying: memory.bytes), planes: planes, isOwned: true,
            headerClock: headerClock)
    }

    /// Returns a copy of the frame with a different capture time. Both frames share the same memory.
    package func withCaptureTime(_ time: ClockTime) -> CapturedFrame {
        CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: time, sequence: sequence, isKey: isKey,
            memory: memory, planes: planes, isOwned: isOwned, headerClock: headerClock,
            sharedDecoding: sharedDecoding)
    }

    /// Returns the frame, marked so that it is decoded only once for all outputs. Only JPEGs are marked: raw
    /// frames don't need decoding, and H.264 is decoded as a stream.
    package func sharingDecoding() -> CapturedFrame {
        guard pixel == .mjpeg else { return self }
        return CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: capturedAt, sequence: sequence, isKey: isKey,
            memory: memory, planes: planes, isOwned: isOwned, headerClock: headerClock,
            sharedDecoding: SharedDecoding())
    }
}

/// Location of one plane of a raw frame in the frame's memory.
public struct FramePlane: Sendable, Hashable {
    /// Offset in bytes from the start of the memory to the plane's first pixel.
    public let offset: Int
    /// Distance in bytes between rows, at least the size of a row's pixels.
    public let stride: Int

    /// Creates a frame plane from an offset and a stride in bytes.
    public init(offset: Int, stride: Int) {
        self.offset = offset
        self.stride = stride
    }

    /// Returns the planes of a tightly packed raw frame and their total size in bytes. For compressed
    /// formats, the result has no planes and a size of 0.
    public static func packed(_ pixel: PixelFormat, _ size: FrameSize) -> (planes: [Self], byteCount: Int) {
        let (width, height) = (size.width, size.height)
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        let sides: [(stride: Int, rows: Int)] =
            switch pixel {
            case .mjpeg, .h264: []
            case .yuyv, .uyvy: [(halfWidth * 4, height)]
            case .bgra: [(width * 4, height)]
            case .grey: [(width, height)]
            case .nv12: [(width, height), (halfWidth * 2, halfHeight)]
            case .i420, .converted: [(width, height), (halfWidth, halfHeight), (halfWidth, halfHeight)]
            case .i422: [(width, height), (halfWidth, height), (halfWidth, height)]
            }
        var offset = 0
        let planes = sides.map { side in
            defer { offset += side.stride * side.rows }
            return Self(offset: offset, stride: side.stride)
        }
        return (planes, offset)
    }
}

/// Shared decoding of a frame that several outputs need. The first output decodes the frame, and the other
/// outputs use the result.
///
/// This object and the decoded frame have the same lifetime as the encoded frame.
package final class SharedDecoding: Sendable {
    /// Result of decoding the frame.
    package enum Outcome: Sendable {
        /// The decoded raw frame, with the size and chroma subsampling of the encoded frame.
        case decoded(CapturedFrame)
        /// The frame could not be decoded.
        case damaged
    }

    private enum State {
        case notStarted
        case inProgress
        case done(Outcome)
    }

    private let state = ConditionLock(State.notStarted)

    /// Creates a shared decoding that hasn't started yet.
    package init() {}

    /// Returns the decoded frame, which the first caller decodes. This method can be called from any thread,
    /// and may block while another thread is decoding.
    ///
    /// - Parameter decode: Decodes the frame. Only the first caller's closure runs, on that caller's thread;
    ///   other callers wait until it returns.
    /// - Returns: The result of the first caller's closure, which all callers receive.
    package func outcome(_ decode: () -> Outcome) -> Outcome {
        let known: Outcome?? = state.wait { state in
            switch state {
            case .notStarted:
                state = .inProgress
                return .some(nil)
            case .inProgress: return nil
            case .done(let outcome): return .some(outcome)
            }
        }
        if let outcome = known ?? nil { return outcome }
        let outcome = decode()
        state.broadcast { $0 = .done(outcome) }
        return outcome
    }
}

/// Times from the header of a frame's first USB packet. The header relates the clocks of the camera, the bus,
/// and the computer at one instant. The header also contains the camera's clock at the start of exposure (UVC
/// 1.5, 2.4.3.3; `struct uvc_meta_buf` in linux/uvcvideo.h).
///
/// Fields that the camera omits are `nil`.
package struct UVCHeaderClock: Sendable, Hashable {
    /// PTS: the camera's clock at the start of the frame's exposure. The clock counts at the rate in the
    /// device's descriptor (`dwClockFrequency`) and wraps at 2³².
    package let presentationTime: UInt32?
    /// STC from the SCR field: the camera's clock when it sent the packet, from the same counter as
    /// `presentationTime`.
    package let sourceClock: UInt32?
    /// SOF from the SCR field: the bus frame number (1 kHz, 0…2047) when the camera sent the packet.
    package let busFrame: UInt16?
    /// Time at which the driver received the packet, in nanoseconds on its timestamp clock: `CLOCK_MONOTONIC`
    /// unless the driver's parameter `clock` specifies another clock.
    package let hostTime: ClockTime
    /// Bus frame number of the computer's controller at `hostTime`, with as many bits as the controller
    /// provides.
    package let hostFrame: UInt16

    /// Creates a header clock from the fields of a packet header.
    package init(
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
