import Glibc
import MulticamEncoding
import MulticamMedia

/// A raw frame on which rectangles are painted row by row. A canvas is used by one thread until its memory is shared.
struct Canvas {
    let pixel: PixelFormat
    let size: FrameSize
    let memory: SharedBytes
    let planes: [FramePlane]

    /// Allocates a frame, whose contents are undefined until it is painted.
    ///
    /// - Parameters:
    ///   - pixel: `yuyv`, `nv12`, `i420`, `i422`, or `grey`.
    ///   - size: Width × height in pixels. The width must be even. The height must be even if chroma has half the
    ///     height.
    init(_ pixel: PixelFormat, _ size: FrameSize) {
        precondition(
            [.yuyv, .nv12, .i420, .i422, .grey].contains(pixel),
            "synthetic cameras don't support the pixel format \(pixel)")
        let (planes, byteCount) = FramePlane.packed(pixel, size)
        self.pixel = pixel
        self.size = size
        self.planes = planes
        memory = SharedBytes(count: byteCount)
    }

    /// Returns a copy of the frame in separate memory.
    func copy() -> Canvas {
        let copy = Canvas(pixel, size)
        copy.memory.start.copyMemory(from: memory.start, byteCount: memory.count)
        return copy
    }

    var bounds: PixelRectangle { PixelRectangle(x: 0, y: 0, width: size.width, height: size.height) }

    func row(_ row: Int, of plane: Int) -> UnsafeMutablePointer<UInt8> {
        (memory.start + planes[plane].offset + row * planes[plane].stride).assumingMemoryBound(to: UInt8.self)
    }

    /// Paints the part of a rectangle that is on the canvas. Adjacent rectangles have no gap or overlap between them,
    /// including in chroma.
    func fill(_ area: PixelRectangle, _ color: PaintColor) {
        let columns = max(area.x, 0)..<max(max(area.x, 0), min(area.x + area.width, size.width))
        let rows = max(area.y, 0)..<max(max(area.y, 0), min(area.y + area.height, size.height))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        switch pixel {
        case .yuyv:
            fillPacked(columns, rows, color)
        case .grey:
            fill(plane: 0, columns, rows, color.y)
        case .nv12:
            fill(plane: 0, columns, rows, color.y)
            fillPairs(columns, rows, color)
        case .i420:
            fill(plane: 0, columns, rows, color.y)
            fill(plane: 1, columns.halved, rows.halved, color.cb)
            fill(plane: 2, columns.halved, rows.halved, color.cr)
        default:
            fill(plane: 0, columns, rows, color.y)
            fill(plane: 1, columns.halved, rows, color.cb)
            fill(plane: 2, columns.halved, rows, color.cr)
        }
    }

    /// Copies the part of another canvas that is on this canvas.
    ///
    /// - Parameters:
    ///   - other: A canvas with the same pixel format.
    ///   - x: Column of the other canvas's left edge. It must be even.
    ///   - y: Row of the other canvas's upper edge. It must be even if chroma has half the height.
    func paint(_ other: Canvas, x: Int, y: Int) {
        let columns = max(x, 0)..<max(max(x, 0), min(x + other.size.width, size.width))
        let rows = max(y, 0)..<max(max(y, 0), min(y + other.size.height, size.height))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        for plane in planes.indices {
            // Bytes per pair of columns, and rows per pair of rows.
            let (pair, rowsEach) =
                switch (pixel, plane) {
                case (.yuyv, _): (4, 2)
                case (_, 0): (2, 2)
                case (.nv12, _): (2, 1)
                case (.i420, _): (1, 1)
                default: (1, 2)
                }
            for row in rows.lowerBound * rowsEach / 2..<rows.upperBound * rowsEach / 2 {
                memcpy(
                    self.row(row, of: plane) + columns.lowerBound * pair / 2,
                    other.row(row - y * rowsEach / 2, of: plane) + (columns.lowerBound - x) * pair / 2,
                    columns.count * pair / 2)
            }
        }
    }

    private func fill(plane: Int, _ columns: Range<Int>, _ rows: Range<Int>, _ code: UInt8) {
        for row in rows { memset(self.row(row, of: plane) + columns.lowerBound, Int32(code), columns.count) }
    }

    /// Fills the interleaved Cb Cr plane of `nv12`.
    private func fillPairs(_ columns: Range<Int>, _ rows: Range<Int>, _ color: PaintColor) {
        let (columns, rows) = (columns.halved, rows.halved)
        guard let first = rows.first, !columns.isEmpty else { return }
        let start = row(first, of: 1) + columns.lowerBound * 2
        for pair in 0..<columns.count {
            start[pair * 2] = color.cb
            start[pair * 2 + 1] = color.cr
        }
        for row in rows.dropFirst() {
            memcpy(self.row(row, of: 1) + columns.lowerBound * 2, start, columns.count * 2)
        }
    }

    /// Fills the packed Y0 Cb Y1 Cr samples of `yuyv`. Whole pixel pairs are filled at once; at odd edges, single
    /// pixels are filled.
    private func fillPacked(_ columns: Range<Int>, _ rows: Range<Int>, _ color: PaintColor) {
        let pairs = columns.halved
        let whole = (columns.lowerBound + 1) / 2..<max((columns.lowerBound + 1) / 2, pairs.upperBound)
        let first = row(rows.lowerBound, of: 0) + whole.lowerBound * 4
        for pair in 0..<whole.count {
            first[pair * 4] = color.y
            first[pair * 4 + 1] = color.cb
            first[pair * 4 + 2] = color.y
            first[pair * 4 + 3] = color.cr
        }
        for row in rows {
            let start = self.row(row, of: 0)
            if row > rows.lowerBound { memcpy(start + whole.lowerBound * 4, first, whole.count * 4) }
            // At an odd left edge, the pair's first pixel belongs to the adjacent rectangle. The chroma belongs to this
            // rectangle, as in planar formats.
            if columns.lowerBound % 2 == 1 {
                start[columns.lowerBound * 2] = color.y
                if !pairs.isEmpty {
                    start[pairs.lowerBound * 4 + 1] = color.cb
                    start[pairs.lowerBound * 4 + 3] = color.cr
                }
            }
            if columns.upperBound % 2 == 1 { start[(columns.upperBound - 1) * 2] = color.y }
        }
    }

    /// Fills the canvas with gray noise, eight bytes at a time. Luma values are 96…159, which are valid in
    /// limited range and in full range.
    func fillWithNoise(from seed: UInt64) {
        var state = seed
        let isPacked = pixel == .yuyv
        let mask: UInt64 = isPacked ? 0x003F_003F_003F_003F : 0x3F3F_3F3F_3F3F_3F3F
        let base: UInt64 = isPacked ? 0x8060_8060_8060_8060 : 0x6060_6060_6060_6060
        let lumaCount = isPacked ? memory.count : planes[0].stride * size.height
        for offset in stride(from: 0, to: lumaCount, by: 8) {
            state = SeededChoices.advanced(state)
            // The last word can extend beyond the luma samples, into bytes that are painted later or unused.
            let word = (SeededChoices.mixed(state) & mask) + base
            memory.start.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        }
        if lumaCount < memory.count { memset(memory.start + lumaCount, 128, memory.count - lumaCount) }
    }
}

extension Range<Int> {
    /// The range of chroma columns or rows that corresponds to this range of luma columns or rows.
    fileprivate var halved: Range<Int> { lowerBound / 2..<upperBound / 2 }
}

extension Canvas {
    /// Encodes some rows of an `i422` canvas as a separate JPEG.
    func encode(by encoder: JPEGEncoder, rows: Range<Int>) throws(EncodingError) -> SharedBytes {
        precondition(pixel == .i422, "a webcam's JPEG frames must be 4:2:2")
        return try withExtendedLifetime(memory) { () throws(EncodingError) in
            try encoder.encode(
                planes: row(rows.lowerBound, of: 0), yStride: planes[0].stride,
                u: row(rows.lowerBound, of: 1),
                uStride: planes[1].stride, v: row(rows.lowerBound, of: 2), vStride: planes[2].stride,
                size: FrameSize(width: size.width, height: rows.count), chroma: .c422)
        }
    }
}

/// A color as 8-bit Y, Cb, and Cr values for a given matrix and range.
struct PaintColor: Sendable, Equatable {
    let y: UInt8
    let cb: UInt8
    let cr: UInt8

    /// Converts gamma-corrected red, green, and blue values of 0…1 (ITU-R BT.601 and BT.709, section 3; T.871
    /// for full range).
    init(red: Double, green: Double, blue: Double, in color: ColorDescription) {
        let (kr, kb) = color.matrix == .bt601 ? (0.299, 0.114) : (0.2126, 0.0722)
        let luma = kr * red + (1 - kr - kb) * green + kb * blue
        let blueDifference = (blue - luma) / (2 * (1 - kb))
        let redDifference = (red - luma) / (2 * (1 - kr))
        let isFull = color.range == .full
        y = Self.code(isFull ? 255 * luma : 16 + 219 * luma)
        cb = Self.code(128 + (isFull ? 255 : 224) * blueDifference)
        cr = Self.code(128 + (isFull ? 255 : 224) * redDifference)
    }

    init(_ light: (red: Double, green: Double, blue: Double), in color: ColorDescription) {
        self.init(red: light.red, green: light.green, blue: light.blue, in: color)
    }

    /// Creates a shade of gray, where 0 is black and 1 is white.
    init(grey: Double, in color: ColorDescription) {
        self.init(red: grey, green: grey, blue: grey, in: color)
    }

    private static func code(_ value: Double) -> UInt8 { UInt8(rounding: value) }
}
