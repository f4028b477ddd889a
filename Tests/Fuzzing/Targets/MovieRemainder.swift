import Media

@testable import Containers

/// A movie as a crash left it, made whole by `recover`.
final class MovieRemainder: FuzzTarget {
    static let name = "movie-remains"
    static let limit = 16_384
    private let files: ScratchFiles

    init(folder: String) { files = ScratchFiles(folder: folder) }

    func check(_ bytes: [UInt8]) throws(BrokenRule) {
        files.write("some.mp4", bytes)
        let path = files.path("some.mp4")
        // What was damaged in a movie that is finished already stays so: nothing says what it was.
        var damage: String?
        do throws(FileError) {
            let remains = try MovieRecovery(path: path)
            if remains.isPlain { damage = FileVerification.fault(ofMovie: path) }
            for index in remains.tracks.indices { _ = try remains.repeatedCount(ofTrack: index) }
            let summary = try remains.makeWhole()
            guard summary.byteCount <= 64 * MovieRemainder.limit else {
                throw FileError(path: "", operation: "size", detail: "\(summary.byteCount)")
            }
        } catch {
            guard error.operation != "size" else {
                throw BrokenRule(description: "a movie of \(bytes.count) bytes became one of \(error.detail)")
            }
            return try holdShown(error.description)
        }
        // What was made whole is whole, and stays as it is.
        if let fault = FileVerification.fault(ofMovie: path), fault != damage {
            throw BrokenRule(description: "a movie that was made whole is not: \(fault)")
        }
        do throws(FileError) {
            let again = try MovieRecovery(path: path)
            guard again.isPlain else {
                throw FileError(path: path, operation: "again", detail: "it is not plain.")
            }
        } catch {
            throw BrokenRule(description: "a movie that was made whole is not read again: \(error)")
        }
    }
}
