internal import Containers
internal import Media

/// The first file of a track with the files that continue it.
struct FileChain {
    /// A file of which nothing can be read.
    struct Unreadable {
        let name: String
        let start: MediaTime
        let failure: FileError
        /// Whether nothing was written to the file yet: it has no bytes, only zeros, or only a header.
        let isEmpty: Bool
    }

    /// Name of the first file, relative to the session folder.
    let base: String
    var files: [RemainingFile] = []
    var unreadable: [Unreadable] = []

    /// Start of the last readable file, since T0; `nil` where no file can be read.
    var lastStart: MediaTime? { files.last?.start }

    /// Largest plausible distance in nanoseconds between the start of a file and the end of what was recorded before it. A file
    /// that continues until the next key frame ends at most so long after a split.
    private static let longestStep: Int64 = 10_000_000_000

    /// The time at which a person ended the track before the crash; `nil` where nobody did, or where the file ends elsewhere.
    ///
    /// - Parameter tracks: Tracks of the manifest.
    /// - Returns: The end, since T0.
    func askedEnd(_ tracks: [Manifest.Track]) -> MediaTime? {
        guard let asked = tracks.first(where: { $0.file == base })?.ended_ns, let last = files.last,
            let end = last.streams.indices.map({ last.end(ofStream: $0).nanoseconds }).max(),
            asked >= 0, abs(asked - end) <= Self.longestStep
        else { return nil }
        return MediaTime(nanoseconds: asked)
    }

    /// Corrects starts of files that are implausible, since manifest and events may have been edited: each file then begins near
    /// the end of what was recorded before it.
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
