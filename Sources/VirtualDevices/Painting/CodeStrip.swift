package import MulticamMedia

/// The code strip of a test frame, which encodes the frame number and the start time of the frame's exposure.
///
/// The strip is the top sixteenth of the upright frame. The strip consists of 64 equal cells from left to right. Black
/// is 0, white is 1, and the most significant bit of each number comes first. The strip contains the 8 bits 10101100, a
/// 24-bit frame number, a 24-bit time, and an 8-bit sum of the six bytes of both numbers.
package struct CodeStrip: Sendable, Hashable {
    /// Frame number modulo 2²⁴.
    package let frame: UInt32
    /// Start of the exposure on CLOCK_MONOTONIC, in units of 0.1 ms rounded to the nearest, modulo 2²⁴ (28 minutes).
    package let time: UInt32

    static let cellCount = 64
    private static let mark: UInt64 = 0b1010_1100
    private static let modulus: Int64 = 1 << 24

    /// Creates the strip of a frame. Both values are reduced modulo 2²⁴.
    ///
    /// - Parameters:
    ///   - frame: Number of the frame.
    ///   - time: Start of the exposure.
    package init(frame: Int64, time: ClockTime) {
        self.frame = UInt32(Self.remainder(frame))
        self.time = UInt32(Self.remainder((time.nanoseconds + 50_000).floorDivided(by: 100_000)))
    }

    /// Decodes the strip from its 64 cells. Returns `nil` if the sync pattern or the checksum is wrong.
    package init?(bits: UInt64) {
        frame = UInt32(bits >> 32) & 0xFF_FFFF
        time = UInt32(bits >> 8 & 0xFF_FFFF)
        guard self.bits == bits else { return nil }
    }

    /// All 64 cells as one number, with the leftmost cell in the most significant bit.
    package var bits: UInt64 {
        var sum: UInt64 = 0
        for shift in [0, 8, 16] { sum += UInt64(frame >> shift & 0xFF) + UInt64(time >> shift & 0xFF) }
        return Self.mark << 56 | UInt64(frame) << 32 | UInt64(time) << 8 | sum & 0xFF
    }

    /// Reads the strip from the luma of a stored frame in full or limited range. Returns `nil` if the frame
    /// doesn't contain a readable strip.
    ///
    /// The value of each cell is determined by one sample at its center, with a threshold of 127. The strip is readable
    /// in frames of at least 320×180 pixels, even after scaling and encoding.
    ///
    /// - Parameters:
    ///   - luma: The first sample of the first row.
    ///   - rowStep: Number of bytes from one row to the next.
    ///   - columnStep: Number of bytes from one sample to the next. The value is 1, or 2 if luma is packed with chroma.
    ///   - size: Width × height of the stored frame in pixels.
    ///   - rotation: The clockwise rotation that turns the stored frame upright.
    package init?(
        luma: UnsafePointer<UInt8>, rowStep: Int, columnStep: Int = 1, size: FrameSize,
        rotation: Rotation = .none
    ) {
        let turn = Turn(stored: size, rotation: rotation)
        var bits: UInt64 = 0
        for cell in 0..<Self.cellCount {
            let area = turn.stored(Self.cell(cell, of: turn.upright))
            let sample = luma[(area.y + area.height / 2) * rowStep + (area.x + area.width / 2) * columnStep]
            bits = bits << 1 | (sample > 127 ? 1 : 0)
        }
        self.init(bits: bits)
    }

    /// Returns the height of the strip in an upright frame, in rows.
    static func height(in upright: FrameSize) -> Int { max(1, (upright.height + 8) / 16) }

    /// Returns the rectangle of a cell in an upright frame. Cells are counted from the left.
    static func cell(_ index: Int, of upright: FrameSize) -> PixelRectangle {
        let left = index * upright.width / cellCount
        let right = (index + 1) * upright.width / cellCount
        return PixelRectangle(x: left, y: 0, width: right - left, height: height(in: upright))
    }

    private static func remainder(_ number: Int64) -> Int64 {
        number - number.floorDivided(by: modulus) * modulus
    }
}
