internal import CMedia
import Media

/// An `AVFrame` with exactly one owner.
struct OwnedFrame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init(_ subject: String) throws(EncodingError) {
        guard let frame = av_frame_alloc() else { throw .outOfMemory(subject, "av_frame_alloc") }
        pointer = frame
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&frame)
    }
}
