/// Measures how loud sound is. Used by one thread alone.
public protocol LoudnessMetering: AnyObject {
    /// Takes the next samples, interleaved. What is above full scale counts as full scale, as it is written.
    ///
    /// - Throws: When memory is short.
    func add(_ samples: [Float]) throws(EncodingError)

    /// Of all samples so far. Takes some microseconds, whatever has been added: its memory does not grow either.
    var loudness: Loudness { get }
}
