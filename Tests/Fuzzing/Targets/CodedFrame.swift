import MulticamMedia

@testable import MulticamContainers

/// Tests H.264 from a camera: parameter sets and frames as they are written to a file.
final class CodedFrame: FuzzTarget {
    static let name = "h264"
    static let limit = 2048

    init(folder: String) {}

    /// Checks an input whose first byte is the offset that separates parameter sets from the frame.
    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        let turn = min(Int(bytes.first ?? 0), max(0, bytes.count - 1))
        let setup = Array(bytes.dropFirst().prefix(turn))
        let frame = SharedBytes(Array(bytes.dropFirst(1 + turn)))
        let known = DecoderConfiguration(setup: setup)
        let configuration = AccessUnit.configuration(known, with: frame)
        try require(
            configuration.sequenceParameterSets.count <= 31
                && configuration.pictureParameterSets.count <= 255,
            "more parameter sets than a record has room for")
        if configuration.isComplete { try checkRecord(of: configuration) }
        let sample = AccessUnit.sample(of: frame, configuration: configuration)
        // A four-byte length replaces each three-byte start code or shorter length.
        try require(
            sample.count <= 5 * frame.count, "a frame of \(frame.count) bytes became \(sample.count)")
        guard let units = NALUnits.lengthPrefixed(sample.bytes, lengthSize: 4) else {
            throw RuleViolation(description: "the lengths of a frame's units do not add up")
        }
        try require(units.reduce(0) { $0 + $1.count + 4 } == sample.count, "units do not fill their frame")
    }

    /// Checks that the stream description written to a file is read back unchanged.
    private func checkRecord(of configuration: DecoderConfiguration) throws(RuleViolation) {
        var buffer = BoxBuffer()
        configuration.write(into: &buffer)
        let again = DecoderConfiguration(setup: Array(buffer.bytes.dropFirst(8)))
        try require(
            again.sequenceParameterSets == configuration.sequenceParameterSets
                && again.pictureParameterSets == configuration.pictureParameterSets,
            "parameter sets are not read as they are written")
    }
}
