internal import Containers
internal import Media

/// A track's first file with the files that continue it.
struct FileChain {
    /// A file of which nothing can be read.
    struct Unreadable {
        let name: String
        let start: MediaTime
        let failure: FileError
        /// Whether nothing was written to it yet: it has no bytes, only zeros, or only a header.
        let isEmpty: Bool
    }

    /// The first file's name, from the folder.
    let base: String
    var files: [RemainingFile] = []
    var unreadable: [Unreadable] = []

    /// When its last file begins, of those that can be read.
    var lastStart: MediaTime? { files.last?.start }

    /// A file begins at most so long after all that is known to have been recorded before it, and a file that goes on to the next
    /// key frame ends at most so long after a split.
    private static let longestStep: Int64 = 10_000_000_000

    /// When a person had ended the track before the crash; `nil` where the file tells of another end.
    ///
    /// - Parameter tracks: What the manifest says.
    /// - Returns: Since T0.
    func askedEnd(_ tracks: [Manifest.Track]) -> MediaTime? {
        guard let asked = tracks.first(where: { $0.file == base })?.ended_ns, let last = files.last,
            let end = last.streams.indices.map({ last.end(ofStream: $0).nanoseconds }).max(),
            asked >= 0, abs(asked - end) <= Self.longestStep
        else { return nil }
        return MediaTime(nanoseconds: asked)
    }

    /// Corrects the starts of files that manifest and events tell otherwise than the files can be: these may have been edited.
    static func correctStarts(_ chains: inout [FileChain]) {
        for index in chains.indices {
            for later in chains[index].files.indices.dropFirst() {
                let end = chains[index].files[later - 1].end
                if abs(chains[index].files[later].start.nanoseconds - end.nanoseconds) > longestStep {
                    chains[index].files[later].start = end
                }
            }
        }
        let places = chains.indices.flatMap { chain in chains[chain].files.indices.map { (chain, $0) } }
        var reached = MediaTime.zero
        for (chain, file) in places.sorted(by: {
            chains[$0.0].files[$0.1].start < chains[$1.0].files[$1.1].start
        }) {
            if chains[chain].files[file].start.nanoseconds > reached.nanoseconds + longestStep {
                chains[chain].files[file].start = reached
            }
            reached = max(reached, chains[chain].files[file].end)
        }
    }
}
