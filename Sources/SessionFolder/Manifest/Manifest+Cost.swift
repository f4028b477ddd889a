package import MulticamMedia
package import MulticamMonitoring
package import MulticamPlan

extension Manifest {
    /// Predicted resource requirements and measured cost of the recording. Times and memory are `nil` in simulated
    /// time.
    package struct Cost: Sendable, Equatable, Codable {
        /// Predicted use of the scarcest resource by the final plan; 1 is full capacity. The value is `nil` if no cost
        /// was computed.
        package var hardware: Double?
        /// Predicted use of each resource, scarcest first; `nil` if no cost was computed.
        package var terms: [CostTerm]?
        /// Data that was unavailable for the prediction, one sentence each; `nil` if no cost was computed.
        package var unknown: [String]?
        /// Quality reductions made to the plan before the recording started, in order; `nil` if no cost was
        /// computed.
        package var reductions: [Reduction]?
        /// CPU time of the process in nanoseconds, without the threads that simulate hardware.
        package var cpu_ns: Int64?
        /// Peak memory use of the process in bytes (`ru_maxrss` of getrusage(2)).
        package var peak_memory_bytes: Int64?
        /// System pressure during the recording; `nil` if it was not monitored.
        package var pressure: Pressure?

        package init(
            hardware: Double? = nil, terms: [CostTerm]? = nil, unknown: [String]? = nil,
            reductions: [Reduction]? = nil, cpu_ns: Int64? = nil, peak_memory_bytes: Int64? = nil,
            pressure: Pressure? = nil
        ) {
            self.hardware = hardware
            self.terms = terms
            self.unknown = unknown
            self.reductions = reductions
            self.cpu_ns = cpu_ns
            self.peak_memory_bytes = peak_memory_bytes
            self.pressure = pressure
        }
    }

    /// Predicted use of one resource.
    package struct CostTerm: Sendable, Equatable, Codable {
        /// Name of the resource.
        package var resource: String
        /// Fraction of the resource that the plan uses; 1 is full capacity.
        package var used: Double
        /// Human-readable derivation of the fraction.
        package var explanation: String
        /// Fractions used by the program and by each role.
        package var parts: [CostPart]
    }

    /// Fraction of one resource that the program or one role uses.
    package struct CostPart: Sendable, Equatable, Codable {
        /// What uses the resource: `program`, or the role of a device.
        package var owner: String
        /// Fraction of the resource; 1 is full capacity.
        package var used: Double
    }

    /// A quality reduction made to the plan before the recording started.
    package struct Reduction: Sendable, Equatable, Codable {
        /// Human-readable description, for example `face size 1280x720 → 960x540`.
        package var step: String
        /// Reason for this step, as a sentence.
        package var reason: String
        /// Hardware cost before the reduction; 1 is the full capacity of the scarcest resource.
        package var before: Double
        /// Hardware cost after the reduction; 1 is the full capacity of the scarcest resource.
        package var after: Double
    }
}

extension Manifest.Cost {
    /// Creates the predicted cost of a plan before the start; `nil` if no cost was computed.
    package init?(_ reduction: PlanReduction?) {
        guard let reduction else { return nil }
        hardware = Self.rounded(reduction.cost.total)
        terms = reduction.cost.terms.map { term in
            Manifest.CostTerm(
                resource: term.resource, used: Self.rounded(term.used), explanation: term.explanation,
                parts: term.parts.map { Manifest.CostPart(owner: $0.owner, used: Self.rounded($0.used)) })
        }
        unknown = reduction.cost.unknown
        reductions = reduction.steps.map {
            Manifest.Reduction(
                step: $0.step, reason: $0.reason, before: Self.rounded($0.before.total),
                after: Self.rounded($0.after.total))
        }
    }

    /// Rounds a cost to 0.0001, which is finer than the precision of any prediction, and limits it to 10⁹. The cost of
    /// an unavailable resource is infinite, and JSON cannot represent infinity.
    package static func rounded(_ value: Double) -> Double {
        Manifest.Clock.rounded(min(value, 1e9), 10_000)
    }
}

extension Manifest {
    /// System pressure during the recording.
    package struct Pressure: Sendable, Equatable, Codable {
        /// Highest level of system pressure.
        package var peak: PressureLevel
        /// Peak value of the system pressure. Below 1, the computer could have continued recording
        /// indefinitely; above 3, only briefly.
        package var peak_cost: Double
        /// The worst factor of each cause, with the time when its level was first reached.
        package var factors: [PressureFactor]
        /// Measurements that the computer did not provide.
        package var missing: [MissingSource]
        /// CPU time used to monitor system pressure, in nanoseconds; `nil` in simulated time.
        package var watch_cpu_ns: Int64?
        /// Maximum lag of the files behind real time, in nanoseconds; `nil` in simulated time.
        package var files_behind_ns: Int64?

        package init(
            peak: PressureLevel, peak_cost: Double, factors: [PressureFactor], missing: [MissingSource],
            watch_cpu_ns: Int64? = nil, files_behind_ns: Int64? = nil
        ) {
            self.peak = peak
            self.peak_cost = peak_cost
            self.factors = factors
            self.missing = missing
            self.watch_cpu_ns = watch_cpu_ns
            self.files_behind_ns = files_behind_ns
        }
    }

    /// The worst contribution of one cause to system pressure.
    package struct PressureFactor: Sendable, Equatable, Codable {
        /// Cause of the pressure, in one word.
        package var what: String
        /// Highest level that this cause reached.
        package var level: PressureLevel
        /// Human-readable explanation of the factor.
        package var text: String
        /// Time at which the level was first reached, in nanoseconds since T0.
        package var at_ns: Int64

        package init(what: String, level: PressureLevel, text: String, at_ns: Int64) {
            self.what = what
            self.level = level
            self.text = text
            self.at_ns = at_ns
        }
    }
}
