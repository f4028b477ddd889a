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

    init() {}

    /// - Throws: When a disk is slower than any: nothing could be reckoned with a file that somebody has damaged.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        schema = try values.decode(Int.self, forKey: .schema)
        table = try values.decodeIfPresent(CostTable.self, forKey: .table)
        disks = try values.decodeIfPresent([String: Double].self, forKey: .disks)
        encoders = try values.decodeIfPresent([TriedEncoder].self, forKey: .encoders)
        guard disks?.values.allSatisfy({ (1...1e15).contains($0) }) ?? true else {
            throw DecodingError.dataCorruptedError(
                forKey: .disks, in: values,
                debugDescription: "no disk writes so few bytes a second, or so many")
        }
    }

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
