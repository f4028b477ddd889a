import MulticamContainers

/// Tests a Broadcast Wave file, as read back when it is closed and by `verify`, and its checksum.
final class WaveBytes: FuzzTarget {
    static let name = "wave"
    static let limit = 8192
    private let files: ScratchFiles

    init(folder: String) { files = ScratchFiles(folder: folder) }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        files.write("some.wav", bytes)
        let path = files.path("some.wav")
        if let fault = FileVerification.fault(ofWave: path) {
            try requireDisplayable(fault)
        } else {
            try require(bytes.count >= 20, "\(bytes.count) bytes are a Wave file")
        }
        do {
            let turn = Int64(bytes.first ?? 0)
            let whole = try FileVerification.checksum(of: path, from: turn)
            try require(
                whole.byteCount == Int64(bytes.count), "a file of \(bytes.count) bytes has \(whole.byteCount)"
            )
            try require(whole.checksum.value.utf8.count == 32, "a checksum of 128 bits is 32 digits")
        } catch {
            throw RuleViolation(description: "a file that is there has no checksum: \(error)")
        }
    }
}
