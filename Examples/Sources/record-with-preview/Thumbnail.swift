import MulticamKit

/// A frame as characters, the brighter the fuller: half as many rows as a square pixel would need, since characters are tall.
struct Thumbnail {
    let text: String

    private static let shades = Array(" .:-=+*#%@")

    /// - Parameters:
    ///   - frame: In I420, whose first plane is luma of the limited range (16…235) or the full one.
    ///   - columns: How many characters wide, at least 1.
    init(of frame: CapturedFrame, columns: Int) {
        let (luma, plane) = (frame.plane(0), frame.planes[0])
        let rows = max(1, columns * frame.size.height / frame.size.width / 2)
        let lines = (0..<rows).map { row in
            let y = row * frame.size.height / rows
            return String(
                (0..<columns).map { column in
                    let value = Int(luma[y * plane.stride + column * frame.size.width / columns])
                    return Self.shades[value * (Self.shades.count - 1) / 255]
                })
        }
        text = lines.joined(separator: "\n")
    }
}
