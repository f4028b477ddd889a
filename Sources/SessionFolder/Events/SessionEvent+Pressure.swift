package import Media
package import Monitoring

extension SessionEvent {
    /// Makes the event that reports a new level of system pressure. Where either level is `serious` or above, it has a sentence
    /// for people.
    package init(_ pressure: SystemPressure, was: PressureLevel, at time: MediaTime) {
        let factors = pressure.factors.map { factor in
            JSONValue.object([
                "what": .string(factor.cause.rawValue), "level": .string(factor.level.rawValue),
                "text": .string(factor.text),
            ])
        }
        var fields: [String: JSONValue] = [
            "level": .string(pressure.level.rawValue), "was": .string(was.rawValue),
            "factors": .array(factors),
            "cost": .number((pressure.cost.value * 100).rounded() / 100),
        ]
        if max(pressure.level, was) >= .serious { fields["text"] = .string(pressure.text) }
        self.init(.pressure, at: time, fields)
    }
}
