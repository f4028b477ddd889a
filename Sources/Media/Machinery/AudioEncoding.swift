/// Encodes audio at the session's rate. Made by the session, then used by one thread alone.
public protocol AudioEncoding: AnyObject {
    var parameters: StreamParameters { get }

    /// Encodes the next samples: interleaved, any number.
    func encode(_ samples: [Float]) throws(EncodingError) -> [EncodedPacket]

    /// Encodes what is still inside.
    func finish() throws(EncodingError) -> [EncodedPacket]
}

/// Converts a device's audio to the session's rate while its clock is corrected. Used by one thread alone.
public protocol Resampling: AnyObject {
    /// Changes the length of what comes by parts per million until the next call: above 0 stretches (more samples come out).
    func correct(partsPerMillion: Double) throws(EncodingError)

    /// Converts interleaved samples of the device's rate; the session's come out, with a delay.
    func convert(_ samples: [Float]) throws(EncodingError) -> [Float]

    /// What is inside, in seconds of input: the output ends that much before the input.
    var delay: Nanoseconds { get }

    /// Empties it: what is inside comes out, padded with silence.
    func drain() throws(EncodingError) -> [Float]
}
