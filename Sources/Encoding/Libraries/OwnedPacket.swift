internal import CMedia
import Media

/// An `AVPacket` with exactly one owner.
struct OwnedPacket: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init(_ subject: String) throws(EncodingError) {
        guard let packet = av_packet_alloc() else { throw .outOfMemory(subject, "av_packet_alloc") }
        pointer = packet
    }

    /// Takes the packet's bytes without a copy. The packet is empty afterwards; the bytes hold the library's memory.
    func takeBytes(_ subject: String) throws(EncodingError) -> SharedBytes {
        guard let kept = av_packet_alloc() else { throw .outOfMemory(subject, "av_packet_alloc") }
        // A packet that is not counted by reference is copied here, so that the memory outlives its owner.
        let result = av_packet_make_refcounted(pointer)
        guard result >= 0, let data = pointer.pointee.data else {
            var unused: UnsafeMutablePointer<AVPacket>? = kept
            av_packet_free(&unused)
            throw EncodingError(
                subject, "av_packet_make_refcounted", code: min(result, ff_error_from_errno(22)))
        }
        av_packet_move_ref(kept, pointer)
        nonisolated(unsafe) let held = kept  // Only the release closure touches it again.
        return SharedBytes(start: data, count: Int(kept.pointee.size)) {
            var packet: UnsafeMutablePointer<AVPacket>? = held
            av_packet_free(&packet)
        }
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&packet)
    }
}
