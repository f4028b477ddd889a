/// Measures how loud audio is. Used by one thread alone.
public protocol LoudnessMetering: AnyObject {
    /// Measures the next samples, interleaved. Values above full scale (± 1) count as full scale, as they are written.
    ///
    /// - Throws: `EncodingError` when memory is short.
    func add(_ samples: [Float]) throws(EncodingError)

    /// Loudness of the last 0.4 s in LUFS; `nil` where nothing can be measured. Takes some microseconds.
    var momentary: Double? { get }

    /// Loudness of all samples so far. Takes a tenth of a millisecond however long it has measured, and memory does not
    /// grow.
    var loudness: Loudness { get }
}
