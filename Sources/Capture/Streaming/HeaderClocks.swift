internal import CMulticamLinux
import Glibc
import MulticamMedia
internal import MulticamSystem

/// Reads the UVC payload headers of each frame from the camera's metadata node. Use only on the camera's
/// thread. The metadata node is closed together with the camera's capture node.
///
/// `poll` doesn't wait for this node: uvcvideo completes a frame's metadata before the frame, so the metadata is
/// available before the frame. The buffers hold the headers of 465 packets (UVC_METADATA_BUF_SIZE, Linux 6.1). Frames
/// with more packets, such as large raw frames, have no header clock.
final class HeaderClocks {
    private let buffers: CaptureBuffers
    /// Header clocks that haven't been requested yet, in driver order.
    private var waiting: [(sequence: UInt32, clock: UVCHeaderClock)] = []

    /// Number of buffers: as many as the capture node has, plus a few for clocks that are requested late.
    private static let bufferCount = 12

    /// Opens the node and starts its stream. The metadata stream doesn't deliver headers until the capture
    /// stream starts.
    ///
    /// - Parameter camera: The camera's capture node.
    /// - Throws: `DeviceError` if the camera has no metadata node, or if the node can't be opened or doesn't deliver
    ///   headers.
    init(startingFor camera: String) throws(DeviceError) {
        guard let path = MetadataNode.path(of: camera) else { throw Self.missingNode(camera) }
        do throws(DeviceError) {
            let node = try V4L2Device(path: path, bufferType: V4L2_BUF_TYPE_META_CAPTURE.rawValue)
            guard try node.capability().isMetadata else { throw Self.missingNode(camera) }
            guard linux_give_uvc_headers(node.descriptor.number) == 0 else {
                throw DeviceError(
                    device: path, operation: "VIDIOC_S_FMT",
                    reason: .other(
                        "the camera provides no UVC packet headers (\(String(cString: strerror(errno))))."))
            }
            buffers = try CaptureBuffers(of: node, count: Self.bufferCount)
            try buffers.startStreaming()
        } catch {
            throw error.explained(node: path)
        }
    }

    private static func missingNode(_ node: String) -> DeviceError {
        DeviceError(
            device: node, operation: "finding the metadata node",
            reason: .other("the driver did not create a metadata node. Only the uvcvideo driver creates one.")
        )
    }

    func start() throws(DeviceError) {
        waiting = []
        try buffers.startStreaming()
    }

    func stop() {
        buffers.stopStreaming()
    }

    /// Returns the header clock of the frame with the driver sequence number `sequence`; `nil` if the camera
    /// didn't deliver a header clock.
    func clock(ofSequence sequence: UInt32) -> UVCHeaderClock? {
        dequeueAll()
        // Earlier clocks belong to lost frames. The driver's sequence number wraps.
        waiting.removeAll { Int32(bitPattern: $0.sequence &- sequence) < 0 }
        guard let first = waiting.first, first.sequence == sequence else { return nil }
        waiting.removeFirst()
        return first.clock
    }

    private func dequeueAll() {
        // Each buffer is visited at most once, so that a faulty driver can't cause an endless loop.
        for _ in 0..<buffers.count {
            do {
                guard let filled = try buffers.dequeue() else { return }
                if let clock = UVCHeaderClock(firstOf: buffers.bytes(of: filled)) {
                    waiting.append((filled.sequence, clock))
                }
                buffers.release(filled.index)
            } catch {
                // The camera was unplugged. The capture node reports the error.
                return
            }
        }
    }
}

/// Finds the metadata node of a camera.
enum MetadataNode {
    /// Returns the next node after the camera's node in the same function. uvcvideo creates both nodes consecutively
    /// for each stream. Whether the node delivers metadata is known only after opening it.
    ///
    /// - Parameters:
    ///   - camera: The camera's node, such as `/dev/video0`, or a link to it.
    ///   - tree: The sysfs that contains the node.
    /// - Returns: Path of the metadata node, in the directory of the camera's node; `nil` if none.
    static func path(of camera: String, in tree: SysfsTree = SysfsTree()) -> String? {
        let node = Paths.resolved(camera) ?? camera
        guard let folder = tree.folder(ofVideoNode: Paths.name(node)), let own = index(of: folder, in: tree)
        else { return nil }
        let function = Paths.parent(folder)
        for name in Paths.entries(of: function) {
            let other = "\(function)/\(name)"
            guard index(of: other, in: tree) == own + 1 else { continue }
            return "\(Paths.parent(node))/\(tree.ueventValue("DEVNAME", of: other) ?? name)"
        }
        return nil
    }

    private static func index(of folder: String, in tree: SysfsTree) -> Int? {
        tree.attribute("index", of: folder).flatMap { Int($0) }
    }
}

extension UVCHeaderClock {
    /// Number of bytes before a header in a metadata buffer: the driver's clock and the controller's frame number
    /// (`struct uvc_meta_buf` in linux/uvcvideo.h, packed).
    private static let prefix = 10
    /// Header flag for a presentation timestamp (UVC 1.5, table 2-5).
    private static let hasPresentationTime: UInt8 = 1 << 2
    /// Header flag for a source clock reference (UVC 1.5, table 2-5).
    private static let hasSourceClock: UInt8 = 1 << 3

    /// Reads the first header of a UVCH buffer, which belongs to the frame's first packet. Later headers repeat the
    /// presentation time of the first header with different clocks.
    ///
    /// - Returns: `nil` if the buffer doesn't contain a complete header.
    init?(firstOf buffer: UnsafeRawBufferPointer) {
        guard buffer.count >= Self.prefix + 2 else { return nil }
        // The length field describes the header that the camera sent. The driver copies only the fields that
        // the flags announce.
        let (length, flags) = (Int(buffer[10]), buffer[11])
        let fields = UnsafeRawBufferPointer(rebasing: buffer[(Self.prefix + 2)...])
        var position = 0
        func nextField(_ count: Int) -> Int? {
            guard position + count <= fields.count, 2 + position + count <= length else { return nil }
            defer { position += count }
            return position
        }
        var presentationTime: UInt32?
        if flags & Self.hasPresentationTime != 0 {
            guard let at = nextField(4) else { return nil }
            presentationTime = UInt32(littleEndian: fields.loadUnaligned(fromByteOffset: at, as: UInt32.self))
        }
        var sourceClock: UInt32?
        var busFrame: UInt16?
        if flags & Self.hasSourceClock != 0 {
            guard let at = nextField(6) else { return nil }
            sourceClock = UInt32(littleEndian: fields.loadUnaligned(fromByteOffset: at, as: UInt32.self))
            // The frame number has 11 bits; the other bits are reserved.
            busFrame =
                UInt16(littleEndian: fields.loadUnaligned(fromByteOffset: at + 4, as: UInt16.self)) & 0x7FF
        }
        // The fields written by the driver are in native byte order.
        self.init(
            presentationTime: presentationTime, sourceClock: sourceClock, busFrame: busFrame,
            hostTime: ClockTime(
                nanoseconds: Int64(bitPattern: buffer.loadUnaligned(fromByteOffset: 0, as: UInt64.self))),
            hostFrame: buffer.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
    }
}
