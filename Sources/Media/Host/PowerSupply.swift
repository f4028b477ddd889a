/// Where the computer has its power from.
public struct PowerSupply: Sendable, Equatable {
    /// Whether a battery is being used up, although perhaps plugged in.
    public let isDischarging: Bool
    /// What the fullest battery holds, 0…1; `nil` where there is none, or none that says.
    public let charge: Double?
    /// Until all are empty at the present rate; `nil` where the batteries do not say.
    public let timeToEmpty: Nanoseconds?

    public init(isDischarging: Bool, charge: Double? = nil, timeToEmpty: Nanoseconds? = nil) {
        self.isDischarging = isDischarging
        self.charge = charge
        self.timeToEmpty = timeToEmpty
    }
}
