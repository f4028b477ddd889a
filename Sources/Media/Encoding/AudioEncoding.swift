/// Encoder for audio at the session's rate, 48 kHz. The session creates the encoder, and only one thread uses
/// it afterwards.
package protocol AudioEncoding: AnyObject {
    /// Codec, time scale, setup bytes, and priming of the stream, for the file that receives the packets.
    var parameters: StreamParameters { get }

    /// Encodes the next samples: interleaved, full scale ± 1, any number per channel.
    ///
    /// - Returns: The finished packets, in order.
    /// - Throws: `EncodingError` if the codec fails.
    func encode(_ samples: [Float]) throws(EncodingError) -> [EncodedPacket]

    /// Ends the stream after encoding the remaining samples.
    ///
    /// - Returns: The last packets, in order.
    /// - Throws: `EncodingError` if the codec fails.
    func finish() throws(EncodingError) -> [EncodedPacket]
}

/// Converts a device's audio to the session's rate, 48 kHz, and corrects the drift of the device's clock. Use
/// each resampler from only one thread.
package protocol Resampling: AnyObject {
    /// Stretches subsequent audio by a correction in parts per million: values above 0 produce more samples.
    /// The correction applies until the next call.
    ///
    /// - Throws: `EncodingError` if the correction exceeds any plausible clock error.
    func correct(partsPerMillion: Double) throws(EncodingError)

    /// Converts interleaved samples from the device's rate to the session's rate. The output lags behind the
    /// input by `delay`.
    ///
    /// - Throws: `EncodingError` if the resampler fails.
    func convert(_ samples: [Float]) throws(EncodingError) -> [Float]

    /// Duration of the buffered input: how far the end of the output lags behind the end of the input.
    var delay: Nanoseconds { get }

    /// Flushes the buffered samples, padded with silence. More audio may be converted afterwards.
    ///
    /// - Throws: `EncodingError` if the resampler fails.
    func drain() throws(EncodingError) -> [Float]
}

/// Perceived loudness of audio, according to ITU-R BS.1770-4 and EBU R 128. Values that can't be measured are
/// `nil`.
package struct Loudness: Sendable, Equatable, Codable {
    /// Loudness over the last 400 ms, in LUFS.
    package var momentary: Double?
    /// Loudness over the last 3 s, in LUFS.
    package var shortTerm: Double?
    /// Integrated (gated) loudness since the start, in LUFS, accurate to 0.05.
    package var integrated: Double?
    /// Loudness range between the quiet and the loud parts, in LU (EBU Tech 3342).
    package var range: Double?
    /// Maximum true peak since the start in dBTP, including peaks between samples (4× oversampling).
    package var truePeak: Double?

    /// Creates a loudness value; omitted measurements are `nil`.
    package init(
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

/// Measures the loudness of audio. Use each meter from only one thread.
package protocol LoudnessMetering: AnyObject {
    /// Measures the next interleaved samples. Values beyond full scale (± 1) are clipped, as they are in the
    /// written file.
    ///
    /// - Throws: `EncodingError` if memory runs out.
    func add(_ samples: [Float]) throws(EncodingError)

    /// Loudness over the last 0.4 s in LUFS; `nil` if it can't be measured. Reading this property takes a few
    /// microseconds.
    var momentary: Double? { get }

    /// Loudness of all samples since the start. Reading this property takes a tenth of a millisecond
    /// regardless of the measured duration, and memory use is constant.
    var loudness: Loudness { get }
}
