/// Measures how loud audio is. Used by one thread alone.
public protocol LoudnessMetering: AnyObject {
    /// Takes the next samples, interleaved. What is above full scale counts as full scale, as it is written.
    ///
    /// - Throws: When memory is short.
    func add(_ samples: [Float]) throws(EncodingError)

    /// Of the last 0.4 s, in LUFS. Takes some microseconds.
    var momentary: Double? { get }

    /// Of all samples so far. Takes a tenth of a millisecond, whatever has been added: its memory does not grow either.
    var loudness: Loudness { get }
}
