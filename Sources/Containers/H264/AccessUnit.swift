import Media

/// Converts one H.264 frame from a stream's form into a file's.
enum AccessUnit {
    /// The frame with a four-byte length before each unit (ISO/IEC 14496-15), without delimiters and without the parameter sets
    /// that the sample description holds. Other parameter sets stay, so that a stream that changes them remains decodable.
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

    /// The configuration extended by the parameter sets in the frame.
    static func configuration(_ known: DecoderConfiguration, with bytes: SharedBytes) -> DecoderConfiguration
    {
        var result = known
        for unit in units(of: bytes.bytes, configuration: known) { result.add(Array(bytes.bytes[unit])) }
        return result
    }

    /// Byte ranges of the units. A stream announced by `avcC` should have lengths, but some encoders send byte streams all the
    /// same.
    private static func units(
        of bytes: UnsafeRawBufferPointer, configuration: DecoderConfiguration
    ) -> [Range<Int>] {
        configuration.lengthSize.flatMap { NetworkUnits.lengthPrefixed(bytes, lengthSize: $0) }
            ?? NetworkUnits.byteStream(bytes)
    }
}
