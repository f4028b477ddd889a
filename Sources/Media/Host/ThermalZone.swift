/// A place in the computer whose temperature the kernel watches, and the temperatures at which it acts.
public struct ThermalZone: Sendable, Equatable {
    /// The kernel's folder and the driver's word: `thermal_zone0 x86_pkg_temp`. Printable.
    public let name: String
    public let temperature: Temperature
    /// From here on the kernel slows the machine down.
    public let passive: Temperature?
    /// From here on it warns of damage.
    public let hot: Temperature?
    /// From here on it switches the machine off.
    public let critical: Temperature?

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
