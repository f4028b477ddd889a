internal import CMedia
public import Media

/// Loads a still image: JPEG, PNG, and any other format that libavcodec reads.
public struct StillImage {
    /// Decodes an image into a packed I420 frame, full-range BT.601 as in a JPEG, scaled to fit with black bars beside
    /// it where the aspect ratios differ.
    ///
    /// - Parameters:
    ///   - path: Path of the image.
    ///   - size: Width × height of the frame in pixels, both even.
    /// - Returns: The Y, Cb and Cr planes, one after the other, without padding.
    /// - Throws: When the file cannot be read or decoded, holds no frame, or `size` has no room for one.
    public static func load(path: String, size: FrameSize) throws(EncodingError) -> SharedBytes {
        precondition(size.width % 2 == 0 && size.height % 2 == 0, "a frame of 4:2:0 has even sides")
        let decoder = try FileDecoder(DemuxedStream(path: path, type: AVMEDIA_TYPE_VIDEO))
        guard let frame = try decoder.next() else {
            throw EncodingError(subject: path, operation: "decoding", reason: "there is no frame in it")
        }
        defer { withExtendedLifetime(decoder) {} }  // The frame is the decoder's.
        let facts = frame.pointee
        let own = FrameSize(width: Int(facts.width), height: Int(facts.height))
        let everything = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
        let memory = SharedBytes(count: FramePlane.packed(.i420, size).byteCount)
        let planes = Planes(i420: memory, size: size)
        planes.fill(.black(in: .jpeg))
        guard let place = Placement(of: own, crop: nil, rotation: .none, filling: .fit, into: everything)
        else {
            throw EncodingError(
                subject: path, operation: "scaling", reason: "\(size) has no room for a frame")
        }
        let isRGB = media_is_rgb(facts.format) != 0
        let color = ColorDescription(
            matrix: facts.colorspace, range: facts.color_range, pixel: AVPixelFormat(facts.format),
            height: own.height)
        try FrameScaler(path).scale(
            frame, of: isRGB ? .jpeg : color, to: planes.part(place.target), as: .jpeg)
        return memory
    }
}
