internal import Media

/// What work costs on this computer, as it was measured.
struct MachineCosts: StateFileContent {
    static let fileName = "costs.json"
    static let subject = "what this computer needs for the work"
    /// 2: with x264's `balanced`.
    static let currentSchema = 2

    var schema = MachineCosts.currentSchema
    /// `nil` before it was measured.
    var table: CostTable?
    /// How many bytes a second disks take, by their file systems' identity.
    var disks: [String: Double]?
    /// What trials of hardware encoders found, one for each that was ever tried.
    var encoders: [TriedEncoder]?

    /// What came of an encoder's trial; what was known of the same one, perhaps with another driver, is forgotten.
    mutating func note(_ tried: TriedEncoder) {
        let others = (encoders ?? []).filter {
            $0.encoder.library != tried.encoder.library || $0.encoder.node != tried.encoder.node
        }
        encoders = others + [tried]
    }

    /// What is known of the encoders that are there, as they are now, in the same order.
    func known(of detected: [HardwareEncoder]) -> [TriedEncoder] {
        detected.compactMap { found in encoders?.first { $0.encoder == found } }
    }
}
