public import Media

/// Converts one H.264 frame from a stream's format to a file's format.
enum AccessUnit {
    /// Returns the frame with a four-byte length before each unit (ISO/IEC 14496-15), without delimiters and without
    /// the parameter sets that the sample description contains. Other parameter sets are kept, so a stream with
    /// changing parameter sets remains decodable.
    static func sample(of bytes: SharedBytes, configuration: DecoderConfiguration) -> SharedBytes {
        let source = bytes.bytes
        let kept = units(of: source, configuration: configuration).filter { unit in
            switch NetworkUnits.kind(ofFirstByte: source[unit.lowerBound]) {
            case NetworkUnits.Kind.accessUnitDelimiter: false
            case NetworkUnits.Kind.sequenceParameterSet, NetworkUnits.Kind.pictureParameterSet:
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

    /// Returns the configuration, extended by the parameter sets in the frame.
    static func configuration(_ known: DecoderConfiguration, with bytes: SharedBytes) -> DecoderConfiguration
    {
        var result = known
        for unit in units(of: bytes.bytes, configuration: known) { result.add(Array(bytes.bytes[unit])) }
        return result
    }

    /// Returns the byte ranges of the NAL units. A stream announced with `avcC` should have length prefixes, but some
    /// encoders send byte streams anyway.
    private static func units(
        of bytes: UnsafeRawBufferPointer, configuration: DecoderConfiguration
    ) -> [Range<Int>] {
        configuration.lengthSize.flatMap { NetworkUnits.lengthPrefixed(bytes, lengthSize: $0) }
            ?? NetworkUnits.byteStream(bytes)
    }
}

/// H.264 stream in the format that browser decoders and files require: separate parameter sets and a length before each
/// unit (ISO/IEC 14496-15), regardless of the encoder's format. Use each value on only one thread.
public struct PlainStream {
    private var configuration: DecoderConfiguration

    /// Creates a stream.
    ///
    /// - Parameter setup: The encoder's parameter sets, in Annex B or as an AVCDecoderConfigurationRecord.
    public init(setup: [UInt8]) { configuration = DecoderConfiguration(setup: setup) }

    /// The AVCDecoderConfigurationRecord (section 5.3.3); `nil` if parameter sets are missing.
    public var record: [UInt8]? {
        guard configuration.isComplete else { return nil }
        var buffer = BoxBuffer()
        configuration.write(into: &buffer)
        // The size and the type of the enclosing box are removed.
        return Array(buffer.bytes.dropFirst(8))
    }

    /// Returns an access unit with a four-byte length before each unit.
    ///
    /// - Parameter bytes: The encoder's packet.
    /// - Returns: The same units, without delimiters and without the parameter sets of `record`.
    public func sample(of bytes: SharedBytes) -> SharedBytes {
        AccessUnit.sample(of: bytes, configuration: configuration)
    }
}
