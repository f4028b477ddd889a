/// A place in the computer whose temperature the kernel watches, and the temperatures at which the kernel acts.
public struct ThermalZone: Sendable, Equatable {
    /// The kernel's folder and the driver's word: `thermal_zone0 x86_pkg_temp`. Printable.
    public let name: String
    /// The present temperature of the zone.
    public let temperature: Temperature
    /// The temperature from which on the kernel slows the machine down; `nil` where the zone has none.
    public let passive: Temperature?
    /// The temperature from which on the kernel warns of damage; `nil` where the zone has none.
    public let hot: Temperature?
    /// The temperature from which on the kernel switches the machine off; `nil` where the zone has none.
    public let critical: Temperature?

    /// Makes a value, and replaces what is not printable in `name`.
    public init(
        name: String, temperature: Temperature, passive: Temperature? = nil, hot: Temperature? = nil,
        critical: Temperature? = nil
    ) {
        self.name = name.printable(limit: 60)
        self.temperature = temperature
        self.passive = passive
        self.hot = hot
        self.critical = critical
    }
}
