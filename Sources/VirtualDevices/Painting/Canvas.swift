import Glibc
import Media

/// A raw frame that is being painted with rectangles, row by row. Used by one thread until its memory is lent out.
struct Canvas {
    let pixel: PixelFormat
    let size: FrameSize
    let memory: SharedBytes
    let planes: [FramePlane]

    /// Allocates a frame; its contents are undefined until painted.
    ///
    /// - Parameters:
    ///   - pixel: `yuyv`, `nv12`, `i420`, `i422` or `grey`.
    ///   - size: Width × height in pixels: the width even; the height even where chroma has half of it.
    init(_ pixel: PixelFormat, _ size: FrameSize) {
        precondition(
            [.yuyv, .nv12, .i420, .i422, .grey].contains(pixel), "a synthetic camera paints no \(pixel)")
        let (planes, byteCount) = FramePlane.packed(pixel, size)
        self.pixel = pixel
        self.size = size
        self.planes = planes
        memory = SharedBytes(count: byteCount)
    }

    /// A copy of the frame in memory of its own.
    func copy() -> Canvas {
        let copy = Canvas(pixel, size)
        copy.memory.start.copyMemory(from: memory.start, byteCount: memory.count)
        return copy
    }

    var everything: PixelRectangle { PixelRectangle(x: 0, y: 0, width: size.width, height: size.height) }

    func row(_ row: Int, of plane: Int) -> UnsafeMutablePointer<UInt8> {
        (memory.start + planes[plane].offset + row * planes[plane].stride).assumingMemoryBound(to: UInt8.self)
    }

    /// Paints the part of a rectangle that lies on the canvas. Neighbouring rectangles meet without gap or overlap, in
    /// chroma too.
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

    /// Fills packed Y0 Cb Y1 Cr of `yuyv`: whole pairs of pixels, and single pixels at odd edges.
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
            // At an odd left edge the pair's first pixel belongs to the neighbour; its chroma is this rectangle's, as in planes.
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

    /// Fills the canvas with grey noise, eight bytes at a time: luma 96…159, legal in either range.
    func fillWithNoise(from seed: UInt64) {
        var state = seed
        let isPacked = pixel == .yuyv
        let mask: UInt64 = isPacked ? 0x003F_003F_003F_003F : 0x3F3F_3F3F_3F3F_3F3F
        let base: UInt64 = isPacked ? 0x8060_8060_8060_8060 : 0x6060_6060_6060_6060
        let lumaCount = isPacked ? memory.count : planes[0].stride * size.height
        for offset in stride(from: 0, to: lumaCount, by: 8) {
            state = SeededChoices.advanced(state)
            // The last word may reach past the luma, into bytes that are painted afterwards or unused.
            let word = (SeededChoices.mixed(state) & mask) + base
            memory.start.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
        }
        if lumaCount < memory.count { memset(memory.start + lumaCount, 128, memory.count - lumaCount) }
    }
}

extension Range<Int> {
    /// The chroma columns or rows that belong to these luma columns or rows.
    fileprivate var halved: Range<Int> { lowerBound / 2..<upperBound / 2 }
}
