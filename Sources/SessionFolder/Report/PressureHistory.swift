package import Media
package import Monitoring

/// System pressure over a whole recording: the worst factor of each cause, and the figures that were missing.
package struct PressureHistory: Sendable {
    private var peak = PressureLevel.nominal
    private var peakCost = 0.0
    private var worst: [PressureFactor.Cause: (factor: PressureFactor, at: MediaTime)] = [:]
    private var missing: [MissingSource] = []
    private var cpuTime: Nanoseconds?
    private var isEmpty = true

    /// Largest number of missing figures that are kept: more would not help a reader, and a sensor that says something else each
    /// time must not fill the manifest.
    private static let mostMissing = 40

    package init() {}

    /// Takes an assessment at a time since T0; `cpuTime` is the processor time that watching has taken so far, `nil` in
    /// simulated time.
    package mutating func note(_ pressure: SystemPressure, at time: MediaTime, cpuTime: Nanoseconds?) {
        isEmpty = false
        self.cpuTime = cpuTime
        peak = max(peak, pressure.level)
        peakCost = max(peakCost, pressure.cost.value)
        for factor in pressure.factors where factor.level > worst[factor.cause]?.factor.level ?? .nominal {
            worst[factor.cause] = (factor, time)
        }
        for source in pressure.missing where missing.count < Self.mostMissing {
            let isKnown = missing.contains { $0.source == source.source && $0.part == source.part }
            if !isKnown { missing.append(source) }
        }
    }

    /// Summary for the manifest; `nil` where nothing was ever assessed.
    package var summary: Manifest.Pressure? {
        guard !isEmpty else { return nil }
        let factors = PressureFactor.Cause.allCases.compactMap { worst[$0] }.map {
            Manifest.PressureFactor(
                what: $0.factor.cause.rawValue, level: $0.factor.level, text: $0.factor.text,
                at_ns: $0.at.nanoseconds)
        }
        return Manifest.Pressure(
            peak: peak, peak_cost: (peakCost * 100).rounded() / 100, factors: factors, missing: missing,
            watch_cpu_ns: cpuTime?.count)
    }
}
