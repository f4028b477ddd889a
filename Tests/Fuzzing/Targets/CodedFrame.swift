import Media

@testable import Containers

/// H.264 as a camera sends it: parameter sets and frames on their way into a file.
final class CodedFrame: FuzzTarget {
    static let name = "h264"
    static let limit = 2048

    init(folder: String) {}

    /// The first byte says where parameter sets end and the frame begins.
    func check(_ bytes: [UInt8]) throws(BrokenRule) {
        let turn = min(Int(bytes.first ?? 0), max(0, bytes.count - 1))
        let setup = Array(bytes.dropFirst().prefix(turn))
        let frame = SharedBytes(Array(bytes.dropFirst(1 + turn)))
        let known = DecoderConfiguration(setup: setup)
        let configuration = AccessUnit.configuration(known, with: frame)
        try hold(
            configuration.sequenceSets.count <= 31 && configuration.frameSets.count <= 255,
            "more parameter sets than a record has room for")
        if configuration.isComplete { try checkRecord(of: configuration) }
        let sample = AccessUnit.sample(of: frame, configuration: configuration)
        // Each unit in place of a start code of three bytes has a length of four; a shorter length becomes four as well.
        try hold(
            sample.count <= 5 * frame.count, "a frame of \(frame.count) bytes became \(sample.count)")
        guard let units = NetworkUnits.lengthPrefixed(sample.bytes, lengthSize: 4) else {
            throw BrokenRule(description: "the lengths of a frame's units do not add up")
        }
        try hold(units.reduce(0) { $0 + $1.count + 4 } == sample.count, "units do not fill their frame")
    }

    /// What a file says of the stream is read again as it was.
    private func checkRecord(of configuration: DecoderConfiguration) throws(BrokenRule) {
        var buffer = BoxBuffer()
        configuration.write(into: &buffer)
        let again = DecoderConfiguration(setup: Array(buffer.bytes.dropFirst(8)))
        try hold(
            again.sequenceSets == configuration.sequenceSets
                && again.frameSets == configuration.frameSets,
            "parameter sets are not read as they are written")
    }
}
