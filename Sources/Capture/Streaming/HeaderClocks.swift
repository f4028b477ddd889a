internal import CLinux
internal import FileSystem
import Glibc
import Media

/// Reads the headers of each frame's packets from the metadata node of a camera's stream. Used by the camera's thread
/// alone; closed with the generation of the stream that it belongs to.
///
/// `poll` does not wait for the node: uvcvideo finishes a frame's metadata before the frame itself, so that it is there
/// when the frame is. Its buffers have room for the headers of 465 packets (UVC_METADATA_BUF_SIZE, Linux 6.1): a frame
/// with more packets, as raw ones in large sizes have, comes without header clock.
final class HeaderClocks {
    private let buffers: CaptureBuffers
    /// Clocks of frames that have not been asked for, in the driver's order.
    private var waiting: [(sequence: UInt32, clock: UVCHeaderClock)] = []

    /// Number of buffers: as many as the frames' node has, and some for frames that are asked for late.
    private static let bufferCount = 12

    /// Opens the node and starts its stream, which delivers nothing before the frames' stream does.
    ///
    /// - Parameter camera: The camera's capture node.
    /// - Throws: `DeviceError` when the camera has no metadata node, or it cannot be opened or does not deliver
    ///   headers.
    init(startingFor camera: String) throws(DeviceError) {
        guard let path = MetadataNode.path(of: camera) else { throw Self.lacking(camera) }
        do throws(DeviceError) {
            let node = try V4L2Device(path: path, bufferType: V4L2_BUF_TYPE_META_CAPTURE.rawValue)
            guard try node.capability().isMetadata else { throw Self.lacking(camera) }
            guard linux_give_uvc_headers(node.descriptor.number) == 0 else {
                throw DeviceError(
                    device: path, operation: "VIDIOC_S_FMT",
                    reason: .other("it gives no headers of packets (\(String(cString: strerror(errno))))."))
            }
            buffers = try CaptureBuffers(of: node, count: Self.bufferCount)
            try buffers.startStreaming()
        } catch {
            throw error.explained(node: path)
        }
    }

    private static func lacking(_ node: String) -> DeviceError {
        DeviceError(
            device: node, operation: "looking for its metadata node",
            reason: .other("its driver makes none; only uvcvideo does."))
    }

    func start() throws(DeviceError) {
        waiting = []
        try buffers.startStreaming()
    }

    func stop() {
        buffers.stopStreaming()
    }

    /// The header clock of the frame with the driver's number `sequence`; `nil` where the camera delivered none.
    func clock(ofSequence sequence: UInt32) -> UVCHeaderClock? {
        takeAll()
        // Earlier clocks belong to frames that were lost. The driver's count wraps.
        waiting.removeAll { Int32(bitPattern: $0.sequence &- sequence) < 0 }
        guard let first = waiting.first, first.sequence == sequence else { return nil }
        waiting.removeFirst()
        return first.clock
    }

    private func takeAll() {
        // At most one pass over the buffers, so that a faulty driver cannot keep this loop busy.
        for _ in 0..<buffers.count {
            do {
                guard let filled = try buffers.dequeue() else { return }
                if let clock = UVCHeaderClock(firstOf: buffers.bytes(of: filled)) {
                    waiting.append((filled.sequence, clock))
                }
                buffers.giveBack(filled.index)
            } catch {
                // The cable was pulled, which the frames' node reports.
                return
            }
        }
    }
}
