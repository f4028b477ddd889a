/// Parameter sets of an H.264 stream, as stored in its sample description (`avcC`, ISO/IEC 14496-15, 5.3.3).
struct DecoderConfiguration: Equatable {
    private(set) var sequenceParameterSets: [[UInt8]] = []
    private(set) var pictureParameterSets: [[UInt8]] = []
    /// Size in bytes of the NAL unit length prefixes in the encoder's packets; `nil` for byte streams with
    /// start codes.
    private(set) var lengthSize: Int?

    /// Reads parameter sets from a byte stream or an `avcC` record. The configuration is empty if `setup`
    /// doesn't contain parameter sets.
    init(setup: [UInt8]) {
        if setup.first == 1 {
            readRecord(setup)
        } else {
            add(fromByteStream: setup)
        }
    }

    /// Whether a decoder can start with these parameter sets.
    var isComplete: Bool { (sequenceParameterSets.first?.count ?? 0) >= 4 && !pictureParameterSets.isEmpty }

    func contains(parameterSet unit: UnsafeRawBufferPointer) -> Bool {
        sequenceParameterSets.contains { unit.elementsEqual($0) }
            || pictureParameterSets.contains { unit.elementsEqual($0) }
    }

    mutating func add(fromByteStream bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            for unit in NALUnits.byteStream(bytes) { add(Array(bytes[unit])) }
        }
    }

    /// Adds a NAL unit if it is a new parameter set.
    mutating func add(_ unit: [UInt8]) {
        guard let first = unit.first, unit.count < 65536 else { return }
        switch NALUnits.kind(ofFirstByte: first) {
        case NALUnits.Kind.sequenceParameterSet
        where !sequenceParameterSets.contains(unit) && sequenceParameterSets.count < 31:
            sequenceParameterSets.append(unit)
        case NALUnits.Kind.pictureParameterSet
        where !pictureParameterSets.contains(unit) && pictureParameterSets.count < 255:
            pictureParameterSets.append(unit)
        default: break
        }
    }

    /// Writes the `avcC` box for packets with four-byte length prefixes.
    func write(into buffer: inout BoxBuffer) {
        buffer.box("avcC") { box in
            let first = sequenceParameterSets.first ?? []
            box.put8(1)
            box.put(first.dropFirst().prefix(3))  // profile, constraints, level
            box.put8(0b1111_1100 | 3)
            box.put8(0b1110_0000 | UInt8(sequenceParameterSets.count))
            for set in sequenceParameterSets {
                box.put16(UInt16(set.count))
                box.put(set)
            }
            box.put8(UInt8(pictureParameterSets.count))
            for set in pictureParameterSets {
                box.put16(UInt16(set.count))
                box.put(set)
            }
            guard let format = SampleFormat(sequenceSet: first) else { return }
            box.put8(0b1111_1100 | format.chroma)
            box.put8(0b1111_1000 | format.lumaDepthLess8)
            box.put8(0b1111_1000 | format.chromaDepthLess8)
            box.put8(0)  // no extension sets
        }
    }

    private mutating func readRecord(_ record: [UInt8]) {
        guard record.count >= 7 else { return }
        lengthSize = Int(record[4] & 3) + 1
        var position = 5
        for mask in [0x1F, 0xFF] as [UInt8] {
            guard position < record.count else { return }
            let setCount = record[position] & mask
            position += 1
            for _ in 0..<setCount {
                guard position + 2 <= record.count else { return }
                let length = Int(record[position]) << 8 | Int(record[position + 1])
                position += 2
                guard position + length <= record.count else { return }
                add(Array(record[position..<position + length]))
                position += length
            }
        }
    }
}

extension DecoderConfiguration {
    /// Fields that the `avcC` record contains only for High profiles (ISO/IEC 14496-15, 5.3.3.1.2). The
    /// values come from the sequence parameter set.
    private struct SampleFormat {
        var chroma: UInt8 = 1
        var lumaDepthLess8: UInt8 = 0
        var chromaDepthLess8: UInt8 = 0

        /// Reads the fields from a sequence parameter set; `nil` for other profiles, and for a damaged
        /// parameter set.
        init?(sequenceSet: [UInt8]) {
            guard sequenceSet.count > 4, [100, 110, 122, 144].contains(sequenceSet[1]) else { return nil }
            var bits = BitReader(sequenceSet.dropFirst(4))
            guard bits.readNumber() != nil, let chroma = bits.readNumber(), chroma <= 3 else { return nil }
            if chroma == 3 { bits.skip(1) }  // separate_color_plane_flag
            guard let luma = bits.readNumber(), let chromaDepth = bits.readNumber(), luma <= 6,
                chromaDepth <= 6
            else { return nil }
            self.chroma = UInt8(chroma)
            lumaDepthLess8 = UInt8(luma)
            chromaDepthLess8 = UInt8(chromaDepth)
        }
    }

    /// Reads Exp-Golomb-coded numbers (ITU-T H.264, 9.1), skipping emulation prevention bytes.
    private struct BitReader {
        private var bytes: [UInt8] = []
        private var position = 0

        init(_ payload: some Sequence<UInt8>) {
            var zeros = 0
            for byte in payload {
                if zeros >= 2, byte == 3 {
                    zeros = 0
                    continue
                }
                zeros = byte == 0 ? zeros + 1 : 0
                bytes.append(byte)
            }
        }

        mutating func skip(_ count: Int) {
            position += count
        }

        mutating func readBit() -> UInt32? {
            guard position < bytes.count * 8 else { return nil }
            defer { position += 1 }
            return UInt32(bytes[position / 8] >> (7 - position % 8) & 1)
        }

        mutating func readNumber() -> UInt32? {
            var zeros = 0
            while let bit = readBit(), bit == 0 { zeros += 1 }
            guard zeros < 32 else { return nil }
            var value: UInt32 = 1
            for _ in 0..<zeros {
                guard let bit = readBit() else { return nil }
                value = value << 1 | bit
            }
            return value - 1
        }
    }
}
