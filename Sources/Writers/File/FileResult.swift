package import Media

/// The outcome of one track's or movie's files on one disk: what the first file and its parts hold once they are closed, and
/// which failures they had.
package struct FileResult<Content: SegmentedContent>: Sendable {
    /// The files that continue the first one, in order.
    package var parts: [Content.Part] = []
    /// The files that were finished and verified, in order.
    package var closed: [ClosedFile] = []
    /// Number of packets (movie) or samples per channel (wave file) of each stream, summed over all files.
    package var counts: [Int]
    /// The stretches of each stream that were dropped because the disk was too slow.
    package var shed: [[Content.Shed]]
    /// Where writing ended before the recording did because the disk was full; `nil` when it went on to the recording's end.
    /// A movie gives a time since T0, a wave file a sample index since T0.
    package var conclusion: Content.Place?
    /// The first error that ended writing to the file, or `nil` when it was written to its end.
    package var failure: FileError?
    /// The first error of a split, after which the recording goes on; `nil` when all splits succeeded.
    ///
    /// Either the next file could not be created, so that writing continues in the file before it, or the file before it could
    /// not be finished and stays fragmented.
    package var splitFailure: FileError?

    /// Creates the result of a file that is still empty: all counts are 0.
    ///
    /// - Parameter streamCount: Number of streams in the file; 1 for a wave file.
    package init(streamCount: Int) {
        counts = Array(repeating: 0, count: streamCount)
        shed = Array(repeating: [], count: streamCount)
    }
}
