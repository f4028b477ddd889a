internal import CMedia
import Media

/// An encoded stream of frames: frames in, packets with the times of a frame rate's ticks out. Used by one thread alone.
protocol VideoStream: AnyObject {
    var parameters: StreamParameters { get }

    /// Encodes one frame, whose pixels may be painted over afterwards.
    ///
    /// - Parameters:
    ///   - frame: I420 of the stream's size. `nil` flushes: the stream takes no more afterwards.
    ///   - tick: Higher than the last.
    ///   - asKey: Whether it shall be an IDR frame.
    /// - Returns: What is ready, in decoding order.
    /// - Throws: When the encoder fails.
    func encode(
        _ frame: UnsafeMutablePointer<AVFrame>?, tick: Int64, asKey: Bool
    ) throws(EncodingError) -> [EncodedPacket]
}
