/// Where the computer's power comes from.
public struct PowerSupply: Sendable, Equatable {
    /// Whether a battery loses charge, even if the computer is plugged in.
    public let isDischarging: Bool
    /// Charge of the fullest battery, 0…1; `nil` without a battery, or where none reports it.
    public let charge: Double?
    /// Time until all batteries are empty at the present rate; `nil` where the batteries do not report it.
    public let timeToEmpty: Nanoseconds?

    /// Makes a value from the batteries' figures.
    public init(isDischarging: Bool, charge: Double? = nil, timeToEmpty: Nanoseconds? = nil) {
        self.isDischarging = isDischarging
        self.charge = charge
        self.timeToEmpty = timeToEmpty
    }
}
