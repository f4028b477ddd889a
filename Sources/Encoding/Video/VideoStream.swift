internal import CMedia
import Media

/// An encoded stream of frames: frames in, packets with the times of a frame rate's ticks out. Used by one thread
/// alone.
protocol VideoStream: AnyObject {
    var parameters: StreamParameters { get }

    /// Encodes one frame, whose pixels may be painted over afterwards.
    ///
    /// - Parameters:
    ///   - frame: I420 frame of the stream's size; `nil` flushes, and the stream takes no more afterwards.
    ///   - tick: Tick of the frame, higher than the last one's.
    ///   - asKey: Whether the frame must become an IDR frame.
    /// - Returns: The packets that are ready, in decoding order.
    /// - Throws: When the encoder fails.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, tick: Int64, asKey: Bool
    ) throws(EncodingError) -> [EncodedPacket]
}
