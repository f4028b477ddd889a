/// The loudness of audio as people hear it, by ITU-R BS.1770-4 and EBU R 128. Values are `nil` where nothing can be
/// measured.
public struct Loudness: Sendable, Equatable, Codable {
    /// Loudness of the last 400 ms, in LUFS.
    public var momentary: Double?
    /// Loudness of the last 3 s, in LUFS.
    public var shortTerm: Double?
    /// Loudness of everything so far, without what is below the gates, in LUFS: exact to 0.05.
    public var integrated: Double?
    /// Loudness range between the quiet and the loud parts, in LU (EBU Tech 3342).
    public var range: Double?
    /// The highest true peak so far, between samples too, in dBTP: oversampled four times.
    public var truePeak: Double?

    /// Makes a value; every measure that is left out is `nil`.
    public init(
        momentary: Double? = nil, shortTerm: Double? = nil, integrated: Double? = nil, range: Double? = nil,
        truePeak: Double? = nil
    ) {
        self.momentary = momentary
        self.shortTerm = shortTerm
        self.integrated = integrated
        self.range = range
        self.truePeak = truePeak
    }
}
