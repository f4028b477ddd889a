internal import Media

/// The measured costs of work on this computer.
struct MachineCosts: StateFileContent {
    static let fileName = "costs.json"
    static let subject = "what this computer needs for the work"
    /// Version 2 added x264's `balanced`.
    static let currentSchema = 2

    var schema = MachineCosts.currentSchema
    /// The cost of each kind of work; `nil` until it is measured.
    var table: CostTable?
    /// Sustained write speed of each disk in bytes per second, by the identity of its file system.
    var disks: [String: Double]?
    /// Trial results of hardware encoders, one for each encoder ever tried.
    var encoders: [TriedEncoder]?

    init() {}

    /// Decodes stored costs.
    ///
    /// - Throws: `DecodingError` when a disk's speed is outside 1…10¹⁵ bytes per second: the file is damaged.
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

    /// Stores an encoder's trial, and removes an earlier one of the same encoder, whatever its driver.
    mutating func note(_ tried: TriedEncoder) {
        let others = (encoders ?? []).filter {
            $0.encoder.library != tried.encoder.library || $0.encoder.node != tried.encoder.node
        }
        encoders = others + [tried]
    }

    /// The trial results of the detected encoders with their present drivers, in the same order; untried ones are left out.
    func known(of detected: [HardwareEncoder]) -> [TriedEncoder] {
        detected.compactMap { found in encoders?.first { $0.encoder == found } }
    }
}
