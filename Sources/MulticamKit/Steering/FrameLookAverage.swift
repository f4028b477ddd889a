internal import Media

/// How bright and how warm a frame is in the mean.
struct FrameLookAverage: Equatable {
    /// Mean luma: 0 black, 1 white.
    let brightness: Double
    /// Mean of red less blue, as shares of the range of chroma: 0 is neutral, above 0 warm.
    let warmth: Double

    /// Takes values as they are.
    init(brightness: Double, warmth: Double) { (self.brightness, self.warmth) = (brightness, warmth) }

    /// Measures an I420 frame; `nil` for another one, or one whose planes do not lie in its memory.
    init?(_ frame: CapturedFrame) {
        guard frame.pixel == .i420, frame.planes.count == 3 else { return nil }
        let (columns, rows) = (frame.size.width, frame.size.height)
        // A camera's own frames may say anything of their planes.
        let isInside = frame.planes.enumerated().allSatisfy { index, plane in
            let (width, height) = index == 0 ? (columns, rows) : (columns / 2, rows / 2)
            return plane.offset >= 0 && plane.stride >= width && width > 0 && height > 0
                && plane.offset + plane.stride * (height - 1) + width <= frame.memory.count
        }
        guard isInside else { return nil }
        func mean(_ plane: Int, _ width: Int, _ height: Int) -> Double {
            let (start, stride) = (frame.plane(plane), frame.planes[plane].stride)
            var sum = 0
            for row in 0..<height {
                for column in 0..<width { sum += Int(start[row * stride + column]) }
            }
            return Double(sum) / Double(max(width * height, 1))
        }
        let isFull = frame.color.range == .full
        // ITU-R BT.601 and BT.709: black is 16, white 235, and chroma goes from 16 to 240.
        let luma = mean(0, columns, rows)
        let chroma = mean(2, columns / 2, rows / 2) - mean(1, columns / 2, rows / 2)
        withExtendedLifetime(frame) {}
        brightness = isFull ? luma / 255 : (luma - 16) / 219
        warmth = chroma / (isFull ? 255 : 224)
    }

    /// The median of brightness and that of warmth: a flash in one of the frames does not count.
    static func median(of looks: [FrameLookAverage]) -> FrameLookAverage? {
        guard !looks.isEmpty else { return nil }
        func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        return FrameLookAverage(
            brightness: middle(looks.map(\.brightness)), warmth: middle(looks.map(\.warmth)))
    }
}
