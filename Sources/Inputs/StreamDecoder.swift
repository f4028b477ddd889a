internal import Media

/// A decoder that serves one camera's thread for life.
///
/// H.264 frames depend on each other, so each is decoded as it comes, wanted or not. A damaged frame yields nothing,
/// and the last good one is shown until the next key frame.
final class StreamDecoder: @unchecked Sendable {
    // Only the camera's thread calls `decode`, one frame after the other.
    private let decoder: any VideoDecoding

    init(_ decoder: sending any VideoDecoding) {
        self.decoder = decoder
    }

    /// Decodes one frame; a damaged one yields no frames.
    func decode(_ frame: CapturedFrame) -> DecodedFrames {
        do {
            return try decoder.decode(frame)
        } catch {
            return DecodedFrames(ready: [], isDamaged: true)
        }
    }
}
