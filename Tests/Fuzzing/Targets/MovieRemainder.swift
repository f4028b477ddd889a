import MulticamMedia

@testable import MulticamContainers

/// Tests a movie that was left by a crash and is recovered by `recover`.
final class MovieRemainder: FuzzTarget {
    static let name = "movie-remains"
    static let limit = 16_384
    private let files: ScratchFiles

    init(folder: String) { files = ScratchFiles(folder: folder) }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        files.write("some.mp4", bytes)
        let path = files.path("some.mp4")
        // Existing damage in a finished movie remains, because its original content is unknown.
        var damage: String?
        do throws(FileError) {
            let remains = try MovieRecovery(path: path)
            if remains.isPlain { damage = FileVerification.fault(ofMovie: path) }
            for index in remains.tracks.indices { _ = try remains.duplicatedCount(ofTrack: index) }
            let summary = try remains.repair()
            guard summary.byteCount <= 64 * MovieRemainder.limit else {
                throw FileError(path: "", operation: "size", detail: "\(summary.byteCount)")
            }
        } catch {
            guard error.operation != "size" else {
                throw RuleViolation(
                    description: "a movie of \(bytes.count) bytes became one of \(error.detail)")
            }
            return try requireDisplayable(error.description)
        }
        // A recovered movie is complete, and recovering it again changes nothing.
        if let fault = FileVerification.fault(ofMovie: path), fault != damage {
            throw RuleViolation(description: "a movie that was made whole is not: \(fault)")
        }
        do throws(FileError) {
            let again = try MovieRecovery(path: path)
            guard again.isPlain else {
                throw FileError(path: path, operation: "again", detail: "it is not plain.")
            }
        } catch {
            throw RuleViolation(description: "a movie that was made whole is not read again: \(error)")
        }
    }
}
