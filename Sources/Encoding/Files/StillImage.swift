internal import CMulticamMedia
package import MulticamMedia

/// Loads a still image in JPEG, PNG, or any other format that libavcodec supports.
package struct StillImage {
    /// Decodes an image into a packed I420 frame, full-range BT.601 as in a JPEG. The image is scaled to fit, with
    /// black bars if the aspect ratios differ.
    ///
    /// - Parameters:
    ///   - path: Path of the image.
    ///   - size: Width × height of the frame in pixels, both even.
    /// - Returns: The Y, Cb, and Cr planes, one after another, without padding.
    /// - Throws: An error if the file can't be read or decoded, contains no frame, or `size` is too small.
    package static func load(path: String, size: FrameSize) throws(EncodingError) -> SharedBytes {
        precondition(
            size.width % 2 == 0 && size.height % 2 == 0, "a 4:2:0 frame must have an even width and height")
        let stream = try DemuxedStream(path: path, type: AVMEDIA_TYPE_VIDEO)
        let decoder = try FileDecoder(stream)
        guard let frame = try decoder.nextFrame() else {
            throw EncodingError(
                subject: path, operation: "decoding", reason: "the file does not contain a frame")
        }
        defer { withExtendedLifetime(decoder) {} }  // the decoder owns the frame
        let facts = frame.pointee
        let own = FrameSize(width: Int(facts.width), height: Int(facts.height))
        let everything = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
        let memory = SharedBytes(count: FramePlane.packed(.i420, size).byteCount)
        let planes = Planes(i420: memory, size: size)
        planes.fill(.black(in: .jpeg))
        let orientation = stream.orientation(of: frame)
        guard
            let place = Placement(
                of: own, crop: nil, rotation: orientation.rotation, fit: .contain, into: everything)
        else {
            throw EncodingError(
                subject: path, operation: "scaling", reason: "the size \(size) is too small for a frame")
        }
        let isRGB = media_is_rgb(facts.format) != 0
        let color = ColorDescription(
            matrix: facts.colorspace, range: facts.color_range, pixel: AVPixelFormat(facts.format),
            height: own.height)
        // The image is scaled in its stored orientation and then rotated.
        let stored = orientation.rotation.swapsSides ? place.target.size.transposed : place.target.size
        let scaled = SharedBytes(count: FramePlane.packed(.i420, stored).byteCount)
        try FrameScaler(path).scale(
            frame, of: isRGB ? .jpeg : color, to: Planes(i420: scaled, size: stored), as: .jpeg)
        try Planes(i420: scaled, size: stored).draw(
            orientation, on: planes.part(place.target), subject: path)
        return memory
    }
}

extension Planes {
    /// Rotates and mirrors a stored 4:2:0 frame into 4:2:0 planes that have the size of the upright frame.
    fileprivate func draw(
        _ orientation: FrameOrientation, on target: Planes, subject: String
    ) throws(EncodingError) {
        let mode: RotationMode =
            switch orientation.rotation {
            case .none: kRotate0
            case .quarter: kRotate90
            case .half: kRotate180
            case .threeQuarters: kRotate270
            }
        let memory = SharedBytes(count: FramePlane.packed(.i420, size).byteCount)
        let source = Planes(i420: memory, size: size)
        let (width, height) = (Int32(size.width), Int32(size.height))
        let arrange = orientation.isMirrored ? I420Mirror : I420Copy
        var result = arrange(
            y, Int32(yStride), u, Int32(uStride), v, Int32(vStride), source.y, Int32(source.yStride),
            source.u,
            Int32(source.uStride), source.v, Int32(source.vStride), width, height)
        if result == 0 {
            result = I420Rotate(
                source.y, Int32(source.yStride), source.u, Int32(source.uStride), source.v,
                Int32(source.vStride),
                target.y, Int32(target.yStride), target.u, Int32(target.uStride), target.v,
                Int32(target.vStride),
                width, height, mode)
        }
        guard result == 0 else {
            throw EncodingError(
                subject: subject, operation: "I420Rotate", reason: "libyuv rejected the frame")
        }
    }
}
