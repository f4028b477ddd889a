internal import Media

/// What work costs on this computer, as it was measured.
struct MachineCosts: StateFileContent {
    static let fileName = "costs.json"
    static let subject = "what this computer needs for the work"
    static let currentSchema = 1

    var schema = MachineCosts.currentSchema
    /// `nil` before it was measured.
    var table: CostTable?
    /// How many bytes a second disks take, by their file systems' identity.
    var disks: [String: Double]?
}
