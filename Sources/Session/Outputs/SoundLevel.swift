/// The level of a microphone: for the status line and the silence alarm.
struct SoundLevel: Sendable {
    /// The highest magnitude of the last slices, falling slowly; 1 is full scale.
    private(set) var peak: Float = 0
    /// Samples since one was last above `silence`.
    private(set) var silentSamples: Int64 = 0

    /// −60 dB of full scale: below any room with a person in it, above the noise of a muted converter.
    static let silence: Float = 0.001

    mutating func take(_ samples: [Float], channels: Int) {
        var highest: Float = 0
        for sample in samples { highest = max(highest, abs(sample)) }
        peak = max(highest, peak * 0.9)
        silentSamples = highest > Self.silence ? 0 : silentSamples + Int64(samples.count / max(channels, 1))
    }
}
