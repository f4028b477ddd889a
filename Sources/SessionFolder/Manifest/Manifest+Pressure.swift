public import Media
public import Monitoring

extension Manifest {
    /// System pressure during the recording.
    public struct Pressure: Sendable, Equatable, Codable {
        /// Highest level of system pressure.
        public var peak: PressureLevel
        /// Highest system pressure cost: below 1 the machine could have continued for ever, above 3 only briefly.
        public var peak_cost: Double
        /// Worst factor of each cause, with the time at which it was first that bad.
        public var factors: [PressureFactor]
        /// Figures that the computer did not tell.
        public var missing: [MissingSource]
        /// Processor time that watching system pressure took, in nanoseconds; `nil` in simulated time.
        public var watch_cpu_ns: Int64?

        package init(
            peak: PressureLevel, peak_cost: Double, factors: [PressureFactor], missing: [MissingSource],
            watch_cpu_ns: Int64? = nil
        ) {
            self.peak = peak
            self.peak_cost = peak_cost
            self.factors = factors
            self.missing = missing
            self.watch_cpu_ns = watch_cpu_ns
        }
    }

    /// The worst contribution of one cause to system pressure.
    public struct PressureFactor: Sendable, Equatable, Codable {
        /// Cause, in one word.
        public var what: String
        /// Level that this cause reached.
        public var level: PressureLevel
        /// Explanation of the factor, for people.
        public var text: String
        /// Time at which the level was first reached, in nanoseconds since T0.
        public var at_ns: Int64

        package init(what: String, level: PressureLevel, text: String, at_ns: Int64) {
            self.what = what
            self.level = level
            self.text = text
            self.at_ns = at_ns
        }
    }
}
