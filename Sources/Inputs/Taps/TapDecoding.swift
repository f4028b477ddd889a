internal import Media

/// Decodes an H.264 stream for one tap, on the tap's thread, so that the recording never waits for it. Used by one thread alone.
final class TapDecoding {
    private let role: String
    private let codecs: any CodecFactory
    private var decoder: (any VideoDecoding)?

    init(role: String, codecs: any CodecFactory) {
        self.role = role
        self.codecs = codecs
    }

    /// The frames that become ready with the next one of the stream; none before its first key frame.
    ///
    /// - Throws: `EncodingError` when there is no decoder, or memory is short.
    func frames(of frame: CapturedFrame) throws(EncodingError) -> [CapturedFrame] {
        if decoder == nil {
            guard frame.isKey else { return [] }
            decoder = try codecs.makeVideoDecoder(name: role)
        }
        return try decoder?.decode(frame).ready ?? []
    }
}
