/// How a synthetic camera's controls change the colours of the scene.
struct FrameLook: Sendable, Equatable {
    /// Factor on the light that the camera catches; 1 is usual.
    var light = 1.0
    /// Brightness added to every component; 1 makes black white.
    var offset = 0.0
    /// Ratio of red to blue gain; above 1 red is stronger and blue weaker, as with a white balance set for bluer light.
    var warmth = 1.0

    static let usual = Self()

    /// Converts red, green and blue of 0…1 in the scene to what the camera sees, clamped to 0…1.
    func seen(_ red: Double, _ green: Double, _ blue: Double) -> (red: Double, green: Double, blue: Double) {
        guard self != .usual else { return (red, green, blue) }
        let balance = warmth.squareRoot()
        func level(_ value: Double) -> Double { min(max(value * light + offset, 0), 1) }
        return (level(red * balance), level(green), level(blue / balance))
    }
}
