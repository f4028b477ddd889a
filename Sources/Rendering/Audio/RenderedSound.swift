/// What a rendered file lets hear: the microphones of a recording, mixed, mastered and encoded. A value.
public struct RenderedSound: Sendable {
    /// Gains in decibels by role in place of those that the program had; `nil` for the program's.
    public var gains: [String: Double]?
    /// Integrated loudness in LUFS; `nil` leaves the mix as loud as it is.
    public var loudness: Double?
    /// Bits per second.
    public var bitrate: Int

    /// Describes audio; by default the program's mix as it was.
    public init(gains: [String: Double]? = nil, loudness: Double? = nil, bitrate: Int = 160_000) {
        self.gains = gains
        self.loudness = loudness
        self.bitrate = bitrate
    }
}
