@testable import MulticamContainers

/// Tests a movie, as read back when it is closed and by `verify`.
final class MovieBytes: FuzzTarget {
    static let name = "movie"
    static let limit = 16_384
    private let files: ScratchFiles

    init(folder: String) { files = ScratchFiles(folder: folder) }

    func check(_ bytes: [UInt8]) throws(RuleViolation) {
        files.write("some.mp4", bytes)
        let path = files.path("some.mp4")
        let fault = FileVerification.fault(ofMovie: path)
        if let fault { try requireDisplayable(fault) }
        try require(FileVerification.fault(ofMovie: path) == fault, "one file is judged in two ways")
        // A different expected size must cause a fault.
        let expected = MovieSummary(tracks: [], byteCount: Int64(bytes.count) + 1, checksum: nil)
        try require(
            FileVerification.fault(ofMovie: path, expecting: expected) != nil,
            "a file of another size is what it should be")
    }
}
