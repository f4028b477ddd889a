internal import CMulticamMedia
package import MulticamMedia

/// Encodes Y, Cb, and Cr planes as baseline JPEGs. All JPEGs contain the same Huffman tables: the standard
/// tables of ITU-T T.81, annex K.3. Not thread-safe: use it from one thread only.
package final class JPEGEncoder {
    private let handle: tjhandle?
    private let quality: Int
    private var scratch = SharedBytes(count: 0)

    /// Creates an encoder.
    ///
    /// - Parameter quality: JPEG quality on libjpeg's scale, 1…100.
    package init(quality: Int = 90) {
        precondition((1...100).contains(quality), "the JPEG quality must be in 1…100")
        handle = tjInitCompress()
        self.quality = quality
    }

    deinit {
        if let handle { tjDestroy(handle) }
    }

    /// Encodes a full-range BT.601 frame (JFIF) in one pass.
    ///
    /// - Parameters:
    ///   - y: Pointer to the first luma sample, one byte per pixel.
    ///   - yStride: Bytes from one row of `y` to the next.
    ///   - u: Pointer to the first Cb sample. `chroma` determines the plane's resolution; odd widths and
    ///     heights are rounded up.
    ///   - uStride: Bytes from one row of `u` to the next.
    ///   - v: Pointer to the first Cr sample. The Cr plane has the resolution of `u`.
    ///   - vStride: Bytes from one row of `v` to the next.
    ///   - size: Width × height of the luma plane in pixels.
    ///   - chroma: Resolution of `u` and `v`.
    /// - Returns: A complete JPEG.
    /// - Throws: An error with libjpeg-turbo's reason if it rejects the frame.
    package func encode(
        planes y: UnsafePointer<UInt8>, yStride: Int, u: UnsafePointer<UInt8>, uStride: Int,
        v: UnsafePointer<UInt8>,
        vStride: Int, size: FrameSize, chroma: ChromaSampling
    ) throws(EncodingError) -> SharedBytes {
        try encode([y, u, v], strides: [yStride, uStride, vStride], size: size, sampling: chroma.turboJPEG)
    }

    /// Encodes screen pixels as a full-range BT.601 frame (JFIF) with 4:2:0 chroma subsampling.
    ///
    /// - Parameters:
    ///   - pixels: Pointer to the first pixel. Each pixel consists of B, G, R, and an unused byte.
    ///   - stride: Bytes from one row to the next.
    ///   - size: Width × height in pixels.
    /// - Returns: A complete JPEG.
    /// - Throws: An error with libjpeg-turbo's reason if it rejects the frame.
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

    /// Encodes planes of any chroma subsampling.
    ///
    /// - Parameters:
    ///   - planes: Pointers to the first samples of Y, Cb, and Cr. A grayscale image needs only Y.
    ///   - strides: Bytes from one row to the next, for each plane.
    ///   - size: Width × height of the luma plane in pixels.
    ///   - sampling: A `TJSAMP` value of turbojpeg.
    /// - Returns: A complete JPEG.
    /// - Throws: An error with libjpeg-turbo's reason if it rejects the frame.
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

    /// Compresses with libjpeg-turbo into a sufficiently large buffer, and copies the output.
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

/// Creates small JPEGs from frames for remote viewers. Not thread-safe: use it from one thread at a time.
package final class PreviewEncoder {
    private let encoder = JPEGEncoder(quality: PreviewEncoder.quality)
    private let painter = FramePainter()
    /// Memory for the scaled frame, used only by this encoder.
    private var memory = SharedBytes(count: 0)

    /// JPEG quality on libjpeg's scale, 1…100. At this quality, a JPEG has half the file size of a camera's
    /// own frame, and block artifacts aren't visible at arm's length.
    private static let quality = 75

    /// Creates an encoder.
    package init() {}

    /// Returns the size of a preview, with the frame's aspect ratio and even width and height.
    ///
    /// - Parameters:
    ///   - size: Width × height of the original frame in pixels.
    ///   - width: Maximum width in pixels, at least 2.
    /// - Returns: The preview size. This is `size` itself if the frame isn't wider than `width`.
    package static func size(_ size: FrameSize, atMost width: Int) -> FrameSize {
        guard size.width > width else { return size }
        let height = Int64(size.height).rescaled(from: Int64(size.width), to: Int64(width))
        return FrameSize(width: max(width / 2 * 2, 2), height: max(Int(height) / 2 * 2, 2))
    }

    /// Creates a JPEG from a frame. A camera's JPEG that is small enough is returned unchanged.
    ///
    /// - Parameters:
    ///   - frame: A JPEG or raw frame. H.264 must be decoded first.
    ///   - width: Maximum width in pixels, at least 2.
    /// - Returns: A complete JPEG, at most `width` pixels wide.
    /// - Throws: An error if the frame is damaged.
    package func jpeg(of frame: CapturedFrame, atMost width: Int) throws(EncodingError) -> SharedBytes {
        if frame.pixel == .mjpeg, frame.size.width <= width { return frame.memory }
        let size = Self.size(frame.size, atMost: width)
        let even = FrameSize(width: max(size.width / 2 * 2, 2), height: max(size.height / 2 * 2, 2))
        let byteCount = FramePlane.packed(.i420, even).byteCount
        if memory.count != byteCount { memory = SharedBytes(count: byteCount) }
        let planes = Planes(i420: memory, size: even)
        let everything = PixelRectangle(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
        guard painter.paint(frame, everything, into: planes) else {
            throw EncodingError(
                subject: "a \(frame.pixel.rawValue) frame of \(frame.size)", operation: "creating a preview",
                reason: "the frame is damaged, or contains compressed video that must be decoded first")
        }
        ColorMap(from: FramePainter.paintedColor(of: frame), to: .jpeg)?.convert(planes)
        return try encoder.encode(
            planes: planes.y, yStride: planes.yStride, u: planes.u, uStride: planes.uStride, v: planes.v,
            vStride: planes.vStride, size: even, chroma: .c420)
    }
}

/// Creates a high-quality JPEG from a frame in another format. Size and chroma subsampling don't change. The
/// samples are converted to full-range BT.601 (JFIF).
enum StillJPEG {
    /// JPEG quality on libjpeg's scale, 1…100. At this quality, no loss is visible compared to the camera's
    /// own frames.
    private static let quality = 95

    static func bytes(of frame: CapturedFrame) throws(EncodingError) -> SharedBytes {
        if frame.pixel == .mjpeg { return frame.memory }
        let keeps422 = [.yuyv, .uyvy, .i422].contains(frame.pixel)
        let (layout, byteCount) = FramePlane.packed(keeps422 ? .i422 : .i420, frame.size)
        let memory = SharedBytes(count: byteCount)
        // `planes` only points to the memory and doesn't keep it alive.
        defer { withExtendedLifetime(memory) {} }
        let start = memory.start.assumingMemoryBound(to: UInt8.self)
        let planes = Planes(
            y: start, u: start + layout[1].offset, v: start + layout[2].offset, yStride: layout[0].stride,
            uStride: layout[1].stride, vStride: layout[2].stride, size: frame.size, horizontalShift: 1,
            verticalShift: keeps422 ? 0 : 1)
        let everything = PixelRectangle(x: 0, y: 0, width: frame.size.width, height: frame.size.height)
        let isWhole =
            keeps422
            ? unpack(frame, into: planes) : FramePainter().paint(frame, everything, into: planes)
        guard isWhole else {
            throw EncodingError(
                subject: "a \(frame.pixel.rawValue) frame of \(frame.size)",
                operation: "creating a still",
                reason: "the frame is damaged, or contains compressed video that must be decoded first")
        }
        ColorMap(from: FramePainter.paintedColor(of: frame), to: .jpeg)?.convert(planes)
        return try JPEGEncoder(quality: quality).encode(
            planes: planes.y, yStride: planes.yStride, u: planes.u, uStride: planes.uStride, v: planes.v,
            vStride: planes.vStride, size: frame.size, chroma: keeps422 ? .c422 : .c420)
    }

    /// Converts packed 4:2:2 formats to planar 4:2:2, which preserves all chroma samples.
    private static func unpack(_ frame: CapturedFrame, into target: Planes) -> Bool {
        guard frame.hasValidPlanes else { return false }
        let (width, height) = (Int32(frame.size.width), Int32(frame.size.height))
        let (y, u, v) = (Int32(target.yStride), Int32(target.uStride), Int32(target.vStride))
        let stride = Int32(frame.planes[0].stride)
        switch frame.pixel {
        case .yuyv:
            return YUY2ToI422(
                frame.startOfPlane(0), stride, target.y, y, target.u, u, target.v, v, width, height)
                == 0
        case .uyvy:
            return UYVYToI422(
                frame.startOfPlane(0), stride, target.y, y, target.u, u, target.v, v, width, height)
                == 0
        default:
            return I422Copy(
                frame.startOfPlane(0), stride, frame.startOfPlane(1), Int32(frame.planes[1].stride),
                frame.startOfPlane(2),
                Int32(frame.planes[2].stride), target.y, y, target.u, u, target.v, v, width, height) == 0
        }
    }
}
