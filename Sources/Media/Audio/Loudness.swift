/// How loud audio is to people, by ITU-R BS.1770-4 and EBU R 128. `nil` where there is nothing that could be measured.
public struct Loudness: Sendable, Equatable, Codable {
    /// Of the last 400 ms, in LUFS.
    public var momentary: Double?
    /// Of the last 3 s, in LUFS.
    public var shortTerm: Double?
    /// Of everything so far, without what is below the gates, in LUFS: exact to 0.05.
    public var integrated: Double?
    /// Between its quiet and its loud parts, in LU (EBU Tech 3342).
    public var range: Double?
    /// The highest value so far that the audio has between its samples too, in dBTP: oversampled four times.
    public var truePeak: Double?

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
