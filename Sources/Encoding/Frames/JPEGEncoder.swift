internal import CMedia
public import Media

/// Encodes planes of Y, Cb and Cr as baseline JPEGs with the standard Huffman tables (ITU-T T.81, annex K.3), so that
/// all JPEGs have the same tables. Used by one thread alone.
public final class JPEGEncoder {
    private let handle: tjhandle?
    private let quality: Int
    private var scratch = SharedBytes(count: 0)

    /// Makes an encoder.
    ///
    /// - Parameter quality: JPEG quality of 1…100, as libjpeg counts.
    public init(quality: Int = 90) {
        precondition((1...100).contains(quality), "JPEG quality is 1…100")
        handle = tjInitCompress()
        self.quality = quality
    }

    deinit {
        if let handle { tjDestroy(handle) }
    }

    /// Encodes a full-range BT.601 frame (JFIF) in one pass.
    ///
    /// - Parameters:
    ///   - y: The first luma sample, one byte per pixel.
    ///   - yStride: Bytes from one row of `y` to the next.
    ///   - u: The first Cb sample, in the resolution that `chroma` says, odd sides rounded up.
    ///   - uStride: Bytes from one row of `u` to the next.
    ///   - v: The first Cr sample, in the resolution of `u`.
    ///   - vStride: Bytes from one row of `v` to the next.
    ///   - size: Width × height of the luma plane in pixels.
    ///   - chroma: Resolution of `u` and `v`.
    /// - Returns: A whole JPEG.
    /// - Throws: When libjpeg-turbo refuses the frame, with its reason.
    public func encode(
        planes y: UnsafePointer<UInt8>, yStride: Int, u: UnsafePointer<UInt8>, uStride: Int,
        v: UnsafePointer<UInt8>,
        vStride: Int, size: FrameSize, chroma: ChromaSampling
    ) throws(EncodingError) -> SharedBytes {
        try encode([y, u, v], strides: [yStride, uStride, vStride], size: size, sampling: chroma.turboJPEG)
    }

    /// Encodes the pixels of a screen as a full-range BT.601 frame (JFIF) with half the resolution of colours (4:2:0).
    ///
    /// - Parameters:
    ///   - pixels: The first pixel; each is B, G, R and an unused byte.
    ///   - stride: Bytes from one row to the next.
    ///   - size: Width × height in pixels.
    /// - Returns: A whole JPEG.
    /// - Throws: When libjpeg-turbo refuses the frame, with its reason.
    package func encode(
        bgrx pixels: UnsafePointer<UInt8>, stride: Int, size: FrameSize
    ) throws(EncodingError) -> SharedBytes {
        let sampling = ChromaSampling.c420.turboJPEG
        let (width, height) = (Int32(size.width), Int32(size.height))
        return try compressed(size, sampling, "tjCompress2") { start, count in
            tjCompress2(
                handle, pixels, width, Int32(stride), height, Int32(TJPF_BGRX.rawValue), &start, &count,
                sampling,
                Int32(quality), TJFLAG_NOREALLOC)
        }
    }

    /// Encodes planes of any sampling.
    ///
    /// - Parameters:
    ///   - planes: The first samples of Y, Cb and Cr; grey needs Y only.
    ///   - strides: Bytes from one row to the next, for each plane.
    ///   - size: Width × height of the luma plane in pixels.
    ///   - sampling: A value of turbojpeg's `TJSAMP`.
    /// - Returns: A whole JPEG.
    /// - Throws: When libjpeg-turbo refuses the frame, with its reason.
    func encode(
        _ planes: [UnsafePointer<UInt8>], strides: [Int], size: FrameSize, sampling: Int32
    ) throws(EncodingError) -> SharedBytes {
        let (width, height) = (Int32(size.width), Int32(size.height))
        var sources = planes.map { Optional($0) }
        let strides = strides.map { Int32($0) }
        return try compressed(size, sampling, "tjCompressFromYUVPlanes") { start, count in
            tjCompressFromYUVPlanes(
                handle, &sources, width, strides, height, sampling, &start, &count, Int32(quality),
                TJFLAG_NOREALLOC)
        }
    }

    /// Has libjpeg-turbo write into memory that is large enough, and copies what it wrote.
    private func compressed(
        _ size: FrameSize, _ sampling: Int32, _ operation: String,
        by compress: (inout UnsafeMutablePointer<UInt8>?, inout UInt) -> Int32
    ) throws(EncodingError) -> SharedBytes {
        let needed = Int(tjBufSize(Int32(size.width), Int32(size.height), sampling))
        if scratch.count < needed { scratch = SharedBytes(count: needed) }
        var start: UnsafeMutablePointer<UInt8>? = scratch.start.assumingMemoryBound(to: UInt8.self)
        var count = UInt(scratch.count)
        guard compress(&start, &count) == 0 else {
            throw EncodingError(
                subject: "a JPEG of \(size)", operation: operation,
                reason: String(cString: tjGetErrorStr2(handle)))
        }
        return SharedBytes(copying: UnsafeRawBufferPointer(start: scratch.start, count: Int(count)))
    }
}
