/// An encoder of audio at the session's rate, 48 kHz. Made by the session, then used by one thread alone.
public protocol AudioEncoding: AnyObject {
    /// The stream's codec, time scale, setup bytes and priming, for the file that takes the packets.
    var parameters: StreamParameters { get }

    /// Encodes the next samples: interleaved, full scale ± 1, any number per channel.
    ///
    /// - Returns: The packets that are ready, in order.
    /// - Throws: `EncodingError` when the codec fails.
    func encode(_ samples: [Float]) throws(EncodingError) -> [EncodedPacket]

    /// Ends the stream, and encodes the samples that are still inside.
    ///
    /// - Returns: The last packets, in order.
    /// - Throws: `EncodingError` when the codec fails.
    func finish() throws(EncodingError) -> [EncodedPacket]
}

/// Converts a device's audio to the session's rate, 48 kHz, and corrects for the drift of the device's clock. Used by one
/// thread alone.
public protocol Resampling: AnyObject {
    /// Stretches what is converted from now on by parts per million: above 0 more samples come out. Holds until the next
    /// call.
    ///
    /// - Throws: `EncodingError` when the correction is larger than any clock is off.
    func correct(partsPerMillion: Double) throws(EncodingError)

    /// Converts interleaved samples at the device's rate to interleaved samples at the session's rate, which come out with
    /// a delay.
    ///
    /// - Throws: `EncodingError` when the resampler fails.
    func convert(_ samples: [Float]) throws(EncodingError) -> [Float]

    /// The length of the input that is still inside: how far the output's end lies before the input's.
    var delay: Nanoseconds { get }

    /// Empties the resampler: what is inside comes out, padded with silence. Further audio may follow.
    ///
    /// - Throws: `EncodingError` when the resampler fails.
    func drain() throws(EncodingError) -> [Float]
}
