import Media

/// The matrix that turns a stored frame for display (`tkhd`, ISO/IEC 14496-12, 8.3.2): nine numbers, by rows, with which row
/// vectors are multiplied.
enum DisplayMatrix {
    /// Writes a matrix that turns clockwise and moves the result back to positive x and y, as telephones do.
    static func write(_ rotation: Rotation, size: FrameSize, into buffer: inout BoxBuffer) {
        let (a, b, c, d, x, y) =
            switch rotation {
            case .none: (1, 0, 0, 1, 0, 0)
            case .quarter: (0, 1, -1, 0, size.height, 0)
            case .half: (-1, 0, 0, -1, size.width, size.height)
            case .threeQuarters: (0, -1, 1, 0, 0, size.width)
            }
        buffer.putFixed(a)
        buffer.putFixed(b)
        buffer.put32(0)
        buffer.putFixed(c)
        buffer.putFixed(d)
        buffer.put32(0)
        buffer.putFixed(x)
        buffer.putFixed(y)
        buffer.put32(1 << 30)  // 1 in 2.30 fixed point
    }
}
