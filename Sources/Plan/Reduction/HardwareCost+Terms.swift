extension HardwareCost {
    /// A cost of terms that something else than a plan and a machine tells.
    init(terms: [Term], unknown: [String]) {
        self.terms = terms.sorted { ($1.used, $0.resource) < ($0.used, $1.resource) }
        self.unknown = unknown
    }
}
