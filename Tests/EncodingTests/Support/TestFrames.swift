import MulticamEncoding
import MulticamMedia

/// Small synthetic frames.
enum TestFrames {
    /// Returns a lossless frame of the given format, whose pixels are computed from their position.
    static func raw(
        _ pixel: PixelFormat, _ width: Int, _ height: Int, color: ColorDescription = .jpeg,
        _ paint: (Int, Int) -> [Int]
    ) -> CapturedFrame {
        let size = FrameSize(width: width, height: height)
        let (planes, byteCount) = FramePlane.packed(pixel, size)
        let memory = SharedBytes(count: byteCount)
        let bytes = memory.start.assumingMemoryBound(to: UInt8.self)
        for y in 0..<height {
            for x in 0..<width {
                let code = paint(x, y).map { UInt8($0) }
                setPixel(code, at: x, y, in: bytes, planes, pixel)
            }
        }
        return CapturedFrame(
            pixel: pixel, size: size, color: color, capturedAt: ClockTime(nanoseconds: 7), sequence: 3,
            memory: memory,
            planes: planes)
    }

    private static func setPixel(
        _ code: [UInt8], at x: Int, _ y: Int, in bytes: UnsafeMutablePointer<UInt8>, _ planes: [FramePlane],
        _ pixel: PixelFormat
    ) {
        let row = planes[0].offset + y * planes[0].stride
        switch pixel {
        case .yuyv:
            bytes[row + 2 * x] = code[0]
            bytes[row + x / 2 * 4 + 1] = code[1]
            bytes[row + x / 2 * 4 + 3] = code[2]
        case .uyvy:
            bytes[row + 2 * x + 1] = code[0]
            bytes[row + x / 2 * 4] = code[1]
            bytes[row + x / 2 * 4 + 2] = code[2]
        case .nv12:
            bytes[row + x] = code[0]
            let color = planes[1].offset + y / 2 * planes[1].stride + x / 2 * 2
            bytes[color] = code[1]
            bytes[color + 1] = code[2]
        case .bgra:
            for part in 0..<4 { bytes[row + 4 * x + part] = part == 3 ? 255 : code[part] }
        case .grey: bytes[row + x] = code[0]
        default:
            let line = pixel == .i422 ? y : y / 2
            bytes[row + x] = code[0]
            bytes[planes[1].offset + line * planes[1].stride + x / 2] = code[1]
            bytes[planes[2].offset + line * planes[2].stride + x / 2] = code[2]
        }
    }

    /// Returns a JPEG whose pixels are computed from their position.
    static func jpeg(
        _ width: Int, _ height: Int, chroma: ChromaSampling = .c422, quality: Int = 98,
        _ paint: (Int, Int) -> [Int]
    ) throws -> CapturedFrame {
        let (across, down) =
            switch chroma {
            case .c420: (2, 2)
            case .c422: (2, 1)
            case .c444: (1, 1)
            }
        var y: [UInt8] = []
        for row in 0..<height { for x in 0..<width { y.append(UInt8(paint(x, row)[0])) } }
        var (u, v): ([UInt8], [UInt8]) = ([], [])
        for row in stride(from: 0, to: height, by: down) {
            for x in stride(from: 0, to: width, by: across) {
                let code = paint(x, row)
                u.append(UInt8(code[1]))
                v.append(UInt8(code[2]))
            }
        }
        let colorWidth = (width + across - 1) / across
        let bytes = try JPEGEncoder(quality: quality).encode(
            planes: y, yStride: width, u: u, uStride: colorWidth, v: v, vStride: colorWidth,
            size: FrameSize(width: width, height: height), chroma: chroma)
        return jpeg(bytes, width, height)
    }

    static func jpeg(_ bytes: SharedBytes, _ width: Int, _ height: Int) -> CapturedFrame {
        CapturedFrame(
            pixel: .mjpeg, size: FrameSize(width: width, height: height), color: .jpeg,
            capturedAt: ClockTime(nanoseconds: 7), sequence: 3, memory: bytes)
    }

    /// Returns a frame of a single color.
    static func plain(_ width: Int, _ height: Int, _ code: [Int]) throws -> CapturedFrame {
        try jpeg(width, height) { _, _ in code }
    }

    /// Returns the JPEG, truncated to a fraction of its bytes.
    static func truncated(_ frame: CapturedFrame, keeping share: Double = 0.75) -> CapturedFrame {
        let kept = Int(Double(frame.memory.count) * share)
        return jpeg(SharedBytes(frame.memory.bytes.prefix(kept)), frame.size.width, frame.size.height)
    }

    /// Red, green, and blue of the seven 75 % bars, from left to right.
    static let bars: [[Double]] = [
        [0.75, 0.75, 0.75], [0.75, 0.75, 0], [0, 0.75, 0.75], [0, 0.75, 0], [0.75, 0, 0.75], [0.75, 0, 0],
        [0, 0, 0.75],
    ]

    /// Returns the codes of a color according to the defining equations, without rounding.
    static func exactCodes(_ rgb: [Double], _ color: ColorDescription) -> [Double] {
        let (red, blue) = color.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let luma = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2]
        let cb = (rgb[2] - luma) / (2 * (1 - blue))
        let cr = (rgb[0] - luma) / (2 * (1 - red))
        if color.range == .full { return [255 * luma, 128 + 255 * cb, 128 + 255 * cr] }
        return [16 + 219 * luma, 128 + 224 * cb, 128 + 224 * cr]
    }

    static func codes(_ rgb: [Double], _ color: ColorDescription) -> [Int] {
        exactCodes(rgb, color).map { Int(max(0, min(255, $0.rounded()))) }
    }
}

extension FrameLayer {
    /// A layer at the given position.
    init(
        _ frame: CapturedFrame?, at x: Int, _ y: Int, _ width: Int, _ height: Int,
        fit: FrameFit = .contain,
        rotation: Rotation = .none, isMirrored: Bool = false, crop: PixelRectangle? = nil, border: Int = 0
    ) {
        self.init(
            frame: frame,
            LayerShape(
                PixelRectangle(x: x, y: y, width: width, height: height), fit: fit, rotation: rotation,
                isMirrored: isMirrored, crop: crop, border: border))
    }
}

extension SharedBytes {
    /// A copy of the bytes. Unlike `bytes`, it may outlive its owner, which Swift releases after the last
    /// use.
    var array: [UInt8] { withExtendedLifetime(self) { Array(bytes) } }
}

extension CapturedFrame {
    /// Returns one sample of a plane.
    func code(_ index: Int, _ x: Int, _ y: Int) -> Int {
        withExtendedLifetime(self) { Int(startOfPlane(index)[y * planes[index].stride + x]) }
    }
}
