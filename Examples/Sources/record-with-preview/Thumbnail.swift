import MulticamKit

/// A frame as text, in which denser characters are brighter. A character is about twice as high as it is wide, so the text has
/// half as many rows as square pixels would require.
struct Thumbnail {
    let text: String

    private static let shades = Array(" .:-=+*#%@")

    /// - Parameters:
    ///   - frame: A frame in I420. The first plane contains luma in the limited range (16…235) or the full range.
    ///   - columns: Number of characters per row, at least 1.
    init(of frame: CapturedFrame, columns: Int) {
        guard let luma = frame.plane(0), let plane = frame.planes.first else {
            text = ""
            return
        }
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
