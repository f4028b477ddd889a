import MulticamMedia

@testable import MulticamContainers

/// Tests a Broadcast Wave file that was left by a crash and is recovered by `recover`.
final class WaveRemainder: FuzzTarget {
    static let name = "wave-remains"
    static let limit = 8192
    private let files: ScratchFiles

    init(folder: String) { files = ScratchFiles(folder: folder) }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        files.write("some.wav", bytes)
        let path = files.path("some.wav")
        do throws(FileError) {
            let remains = try WaveRecovery(path: path)
            try remains.repair()
        } catch {
            return try requireDisplayable(error.description)
        }
        if let fault = FileVerification.fault(ofWave: path, allowsTrailingBytes: true) {
            throw RuleViolation(description: "a sound file that was made whole is not: \(fault)")
        }
    }
}
