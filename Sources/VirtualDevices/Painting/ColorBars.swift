import Media

/// The `bars` test frame: seven vertical 75 % colour bars.
enum ColorBars {
    /// The bars from left to right – white, yellow, cyan, green, magenta, red, blue – as red, green and blue of 0 or 1.
    private static let bars: [(red: Double, green: Double, blue: Double)] = [
        (1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1),
    ]
    private static let brightness = 0.75

    static func paint(
        on canvas: Canvas, turn: Turn, color: ColorDescription, look: FrameLook = .usual
    ) {
        let upright = turn.upright
        for (index, bar) in bars.enumerated() {
            // Even edges: chroma has half the resolution.
            let left = index * upright.width / bars.count / 2 * 2
            let right =
                index + 1 == bars.count ? upright.width : (index + 1) * upright.width / bars.count / 2 * 2
            let area = PixelRectangle(x: left, y: 0, width: right - left, height: upright.height)
            let color = PaintColor(
                look.seen(bar.red * brightness, bar.green * brightness, bar.blue * brightness), in: color)
            canvas.fill(turn.stored(area), color)
        }
    }
}
