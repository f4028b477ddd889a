package import MulticamMedia

/// Converts H.264 frames from the format of the stream to the format that files require.
enum AccessUnit {
    /// Returns the frame with a four-byte length before each NAL unit (ISO/IEC 14496-15). Access unit
    /// delimiters and parameter sets that are in the sample description are removed. Other parameter sets are
    /// kept, so a stream with changing parameter sets remains decodable.
    static func sample(of bytes: SharedBytes, configuration: DecoderConfiguration) -> SharedBytes {
        let source = bytes.bytes
        let kept = units(of: source, configuration: configuration).filter { unit in
            switch NALUnits.kind(ofFirstByte: source[unit.lowerBound]) {
            case NALUnits.Kind.accessUnitDelimiter: false
            case NALUnits.Kind.sequenceParameterSet, NALUnits.Kind.pictureParameterSet:
                !configuration.contains(parameterSet: UnsafeRawBufferPointer(rebasing: source[unit]))
            default: true
            }
        }
        let result = SharedBytes(count: kept.reduce(0) { $0 + 4 + $1.count })
        var place = result.start
        for unit in kept {
            place.storeBytes(of: UInt32(unit.count).bigEndian, as: UInt32.self)
            place += 4
            if let base = source.baseAddress {
                place.copyMemory(from: base + unit.lowerBound, byteCount: unit.count)
            }
            place += unit.count
        }
        return result
    }

    /// Returns the decoder configuration, extended by the parameter sets in a frame.
    static func configuration(_ known: DecoderConfiguration, with bytes: SharedBytes) -> DecoderConfiguration
    {
        var result = known
        for unit in units(of: bytes.bytes, configuration: known) { result.add(Array(bytes.bytes[unit])) }
        return result
    }

    /// Returns the byte ranges of the NAL units. A stream with an `avcC` record should use length prefixes,
    /// but some encoders send byte streams with start codes instead.
    private static func units(
        of bytes: UnsafeRawBufferPointer, configuration: DecoderConfiguration
    ) -> [Range<Int>] {
        configuration.lengthSize.flatMap { NALUnits.lengthPrefixed(bytes, lengthSize: $0) }
            ?? NALUnits.byteStream(bytes)
    }
}

/// Converts an H.264 stream to the format that browser decoders and files require: separate parameter sets,
/// and a length before each NAL unit (ISO/IEC 14496-15). The encoder may use any format. Use each value on
/// only one thread.
package struct AVCStreamConverter {
    private var configuration: DecoderConfiguration

    /// Creates a converter for one stream.
    ///
    /// - Parameter setup: The encoder's parameter sets, as an Annex B byte stream or an
    ///   AVCDecoderConfigurationRecord.
    package init(setup: [UInt8]) { configuration = DecoderConfiguration(setup: setup) }

    /// The AVCDecoderConfigurationRecord of the stream (ISO/IEC 14496-15, 5.3.3); `nil` if parameter sets are
    /// missing.
    package var configurationRecord: [UInt8]? {
        guard configuration.isComplete else { return nil }
        var buffer = BoxBuffer()
        configuration.write(into: &buffer)
        // The first 8 bytes are the size and type of the enclosing `avcC` box.
        return Array(buffer.bytes.dropFirst(8))
    }

    /// Returns an access unit with a four-byte length before each NAL unit.
    ///
    /// - Parameter bytes: The encoder's packet.
    /// - Returns: The NAL units of the packet without access unit delimiters and without the parameter sets
    ///   in `configurationRecord`.
    package func sample(of bytes: SharedBytes) -> SharedBytes {
        AccessUnit.sample(of: bytes, configuration: configuration)
    }
}
