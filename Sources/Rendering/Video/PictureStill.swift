internal import Encoding
internal import Interchange
internal import Media

/// Makes JPEGs of a rendered picture at single instants. Used by one thread alone.
final class PictureStill {
    private let source: PictureSource
    private let composer: any FrameComposing
    private let encoder = PreviewEncoder()
    private let picture: RenderedPicture

    /// Makes a composer for the picture.
    ///
    /// - Throws: When memory is short.
    init(_ picture: RenderedPicture) throws(EncodingError) {
        self.picture = picture
        source = PictureSource(picture)
        composer = try Codecs().makeComposer(size: picture.size, color: .jpeg, name: "a still")
    }

    /// The size of a small copy of frames: their shape, both sides even.
    static func size(_ size: FrameSize, width: Int) -> FrameSize {
        let small = PreviewEncoder.size(size, atMost: width)
        return FrameSize(width: max(2, small.width & ~1), height: max(2, small.height & ~1))
    }

    /// Makes the JPEG of a tick.
    ///
    /// - Parameters:
    ///   - tick: A tick of the recording, counted from T0 at its rate.
    ///   - width: The most columns that are wanted.
    /// - Returns: The JPEG.
    /// - Throws: When composing or encoding fails.
    func jpeg(at tick: Int64, width: Int) throws(EncodingError) -> SharedBytes {
        let frame = try composer.compose(
            source.layers(at: tick),
            at: ClockTime(nanoseconds: picture.session.rate.time(ofTick: tick).nanoseconds),
            sequence: tick)
        return try encoder.jpeg(of: frame, atMost: width)
    }
}
