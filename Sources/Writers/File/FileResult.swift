package import Media

/// What a file on one disk holds, with its parts, once it is closed, or why it failed.
package struct FileResult<Content: SegmentedContent>: Sendable {
    /// The files after the first.
    package var parts: [Content.Part] = []
    /// All that could be finished.
    package var closed: [ClosedFile] = []
    /// Of each stream, in all parts: a movie's packets, or samples per channel.
    package var counts: [Int]
    /// Of each stream, what the disk was too slow for.
    package var shed: [[Content.Shed]]
    /// Where it was ended before the recording was, for want of room on the disk.
    package var conclusion: Content.Place?
    package var failure: FileError?
    /// Of a split, while the recording goes on: the next file could not be begun, so that it goes on in the one before it;
    /// or the one before could not be finished, and stays as it was.
    package var splitFailure: FileError?

    /// Of a file that nothing is known of yet.
    package init(streamCount: Int) {
        counts = Array(repeating: 0, count: streamCount)
        shed = Array(repeating: [], count: streamCount)
    }
}
