/// What a synthetic camera's controls make of the scene.
struct FrameLook: Sendable, Equatable {
    /// By how much more light it catches than usual.
    var light = 1.0
    /// Added to the frame: 1 makes black white.
    var offset = 0.0
    /// Above 1 red is stronger and blue weaker: the camera believes in bluer light than there is.
    var warmth = 1.0

    static let usual = Self()

    /// Red, green and blue of 0…1 as the camera sees them.
    func seen(_ red: Double, _ green: Double, _ blue: Double) -> (red: Double, green: Double, blue: Double) {
        guard self != .usual else { return (red, green, blue) }
        let balance = warmth.squareRoot()
        func level(_ value: Double) -> Double { min(max(value * light + offset, 0), 1) }
        return (level(red * balance), level(green), level(blue / balance))
    }
}
