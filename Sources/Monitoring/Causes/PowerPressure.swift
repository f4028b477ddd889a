internal import Media

/// The pressure of running on a battery.
enum PowerPressure {
    /// UPower's steps, at which desktops warn, warn again, and switch off (UPower.conf: `PercentageLow` 20, `PercentageCritical`
    /// 5, `PercentageAction` 2). Any discharging battery is fair.
    private static let charge = LevelSteps(fair: -1, serious: -0.2, critical: -0.05, shutdown: -0.02)

    static func factor(_ power: PowerSupply?) -> PressureFactor? {
        guard let power, power.isDischarging else { return nil }
        guard let rest = power.charge else {
            return PressureFactor(
                .power, .fair, "the computer runs on a battery, which does not say how full it is")
        }
        let time = power.timeToEmpty.map { ", enough for \($0.count / 60_000_000_000) min" } ?? ""
        return PressureFactor(
            .power, charge.level(ofRemaining: rest),
            "the computer runs on a battery, which is \(Int(rounding: rest * 100)) % full\(time)")
    }

    static func deadline(_ power: PowerSupply?) -> PressureCost.Deadline? {
        guard let power, power.isDischarging, let time = power.timeToEmpty else { return nil }
        return PressureCost.Deadline(limit: "the battery is empty", timeLeft: time)
    }
}
