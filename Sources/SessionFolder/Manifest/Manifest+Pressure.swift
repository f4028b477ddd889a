public import Media
public import Monitoring

extension Manifest {
    /// System pressure in the course of the recording.
    public struct Pressure: Sendable, Equatable, Codable {
        public var peak: PressureLevel
        /// The highest system pressure cost: how short a time it could have gone on.
        public var peak_cost: Double
        /// The worst of each cause, when it first was so.
        public var factors: [PressureFactor]
        /// What the computer did not tell.
        public var missing: [MissingSource]
        /// What reading it took of a processor. Left out in simulated time.
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

    public struct PressureFactor: Sendable, Equatable, Codable {
        public var what: String
        public var level: PressureLevel
        public var text: String
        public var at_ns: Int64

        package init(what: String, level: PressureLevel, text: String, at_ns: Int64) {
            self.what = what
            self.level = level
            self.text = text
            self.at_ns = at_ns
        }
    }
}
