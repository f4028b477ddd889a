internal import Media

/// A decoder that stays with one camera's thread for life.
///
/// H.264 pictures depend on each other, so each is decoded as it comes, wanted or not. One that is damaged gives
/// nothing, and the last good one stands until the next key picture.
final class StreamDecoder: @unchecked Sendable {
    // Only the camera's thread calls `decode`, one picture after the other.
    private let decoder: any PictureDecoding

    init(_ decoder: sending any PictureDecoding) {
        self.decoder = decoder
    }

    func decode(_ picture: CapturedPicture) -> DecodedPictures {
        do {
            return try decoder.decode(picture)
        } catch {
            return DecodedPictures(ready: [], isDamaged: true)
        }
    }
}
