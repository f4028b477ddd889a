public import Media

/// An H.264 stream as decoders of browsers and files take it: parameter sets apart, a length before each unit (ISO/IEC 14496-15),
/// whatever form the encoder gives. A value; used by one thread.
public struct PlainStream {
    private var configuration: DecoderConfiguration

    /// Creates a stream.
    ///
    /// - Parameter setup: The encoder's parameter sets, in Annex B or as an AVCDecoderConfigurationRecord.
    public init(setup: [UInt8]) { configuration = DecoderConfiguration(setup: setup) }

    /// The AVCDecoderConfigurationRecord (section 5.3.3); `nil` while parameter sets are missing.
    public var record: [UInt8]? {
        guard configuration.isComplete else { return nil }
        var buffer = BoxBuffer()
        configuration.write(into: &buffer)
        // Without the size and the name of the box around it.
        return Array(buffer.bytes.dropFirst(8))
    }

    /// An access unit with a length of four bytes before each unit.
    ///
    /// - Parameter bytes: The encoder's packet.
    /// - Returns: The same units, without delimiters and without the parameter sets of `record`.
    public func sample(of bytes: SharedBytes) -> SharedBytes {
        AccessUnit.sample(of: bytes, configuration: configuration)
    }
}
