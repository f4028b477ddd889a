internal import CMedia
import Media

/// An `AVFrame` with exactly one owner.
struct OwnedFrame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init(_ subject: String) throws(EncodingError) {
        guard let frame = av_frame_alloc() else { throw .outOfMemory(subject, "av_frame_alloc") }
        pointer = frame
    }

    /// Views a packed I420 frame; `memory` must outlive this value.
    init(_ memory: SharedBytes, _ size: FrameSize, _ subject: String) throws(EncodingError) {
        try self.init(subject)
        let planes = Planes(i420: memory, size: size)
        pointer.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        pointer.pointee.width = Int32(size.width)
        pointer.pointee.height = Int32(size.height)
        pointer.pointee.data.0 = planes.y
        pointer.pointee.data.1 = planes.u
        pointer.pointee.data.2 = planes.v
        pointer.pointee.linesize.0 = Int32(planes.yStride)
        pointer.pointee.linesize.1 = Int32(planes.uStride)
        pointer.pointee.linesize.2 = Int32(planes.vStride)
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }
}
