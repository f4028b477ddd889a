internal import Media

/// The pressure of temperatures, by the points at which the kernel acts (Documentation/driver-api/thermal/sysfs-api.rst): from
/// `passive` on it slows the machine down, from `hot` on it warns, at `critical` it switches the machine off.
struct HeatPressure: Sendable {
    /// The distances in degrees at which a point counts as near. Sensors are accurate to a degree or so, and a small computer
    /// under load gains one in a second or two: two degrees are the last moment in which files can be closed.
    private static let near = (fair: 5.0, critical: 5.0, shutdown: 2.0)
    /// The levels where no point says from when the machine is slowed down, which is well before it is switched off.
    private static let unsaid = LevelSteps(fair: -20, serious: -10)
    /// The smallest rise in degrees over the window that counts as a trend.
    private static let leastRise = 2.0
    private static let leastSpan = Nanoseconds.seconds(20)

    private var trends: [String: RecentSamples] = [:]

    mutating func factor(_ zones: [ThermalZone], readAt time: ClockTime) -> PressureFactor? {
        trends = trends.filter { name, _ in zones.contains { $0.name == name } }
        for zone in zones {
            trends[zone.name, default: RecentSamples(window: .seconds(60))]
                .add(zone.temperature.degrees, at: time)
        }
        return zones.map(Self.factor).max { $0.level < $1.level }
    }

    /// The time until each zone that becomes hotter reaches the next of its points.
    func deadlines(_ zones: [ThermalZone]) -> [PressureCost.Deadline] {
        zones.compactMap { zone in
            guard let trend = trends[zone.name], trend.span >= Self.leastSpan, let slope = trend.slope,
                slope * trend.span.inSeconds >= Self.leastRise
            else { return nil }
            let points = [
                (zone.passive, "\(zone.name) is hot enough to be slowed down"),
                (zone.hot, "\(zone.name) is hot enough for damage"),
                (zone.critical, "\(zone.name) is hot enough to be switched off"),
            ]
            let ahead = points.compactMap { point, text in point.map { ($0, text) } }
                .filter { $0.0 > zone.temperature }
            guard let next = ahead.min(by: { $0.0 < $1.0 }) else { return nil }
            let seconds = (next.0.degrees - zone.temperature.degrees) / slope
            // A time beyond a day is no forecast.
            guard seconds < 86_400 else { return nil }
            return PressureCost.Deadline(limit: next.1, timeLeft: .seconds(rounding: seconds))
        }
    }

    private static func factor(_ zone: ThermalZone) -> PressureFactor {
        let degrees = zone.temperature.degrees
        var (level, point) = (PressureLevel.nominal, "")
        func note(_ new: PressureLevel, _ text: String) {
            if new > level { (level, point) = (new, text) }
        }
        if let passive = zone.passive {
            if degrees >= passive.degrees {
                note(.serious, "from \(passive) on it is slowed down")
            } else if degrees >= passive.degrees - near.fair {
                note(.fair, "from \(passive) on it is slowed down")
            }
        } else if let end = [zone.hot, zone.critical].compactMap(\.self).min() {
            note(unsaid.level(ofRemaining: end.degrees - degrees), "\(end) is its limit")
        }
        if let hot = zone.hot, degrees >= hot.degrees { note(.critical, "from \(hot) on it takes damage") }
        if let critical = zone.critical {
            let text = "at \(critical) the computer switches itself off"
            if degrees >= critical.degrees - near.shutdown {
                note(.shutdown, text)
            } else if degrees >= critical.degrees - near.critical {
                note(.critical, text)
            }
        }
        return PressureFactor(.temperature, level, "\(zone.name) is at \(zone.temperature); \(point)")
    }
}
