/// The values from which each level holds, for a figure that is worse the higher it is.
struct LevelSteps: Sendable {
    let fair: Double
    var serious = Double.infinity
    var critical = Double.infinity
    var shutdown = Double.infinity

    func level(of value: Double) -> PressureLevel {
        if value >= shutdown { return .shutdown }
        if value >= critical { return .critical }
        if value >= serious { return .serious }
        return value >= fair ? .fair : .nominal
    }

    /// The level of a figure that is worse the lower it is, whose steps are given with their signs turned.
    func level(ofRemaining value: Double) -> PressureLevel { level(of: -value) }
}
