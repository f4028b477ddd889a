package import Containers
package import Media

/// Turns queued items into a file in one folder, and into the parts that continue that file after splits.
///
/// Only the thread of its `FileWriter` uses it; but the first file in the recording's own folder is created before that thread
/// starts.
package protocol SegmentedContent: AnyObject, SendableMetatype {
    /// An item of the file's queue: packets, samples or an order.
    associatedtype Item: Sendable
    /// A file that continues the one before it.
    associatedtype Part: Sendable
    /// A position in the recording: a time since T0 for movies, a sample index since T0 for wave files.
    associatedtype Place: Sendable, Comparable
    /// The record, kept on the queueing side, of packets or samples that were dropped before the queue.
    associatedtype Intake: Sendable
    /// A stretch of a stream that was dropped because the disk was too slow.
    associatedtype Shed: Sendable

    /// Creates the first file. When that fails, all later items are discarded.
    ///
    /// - Throws: `FileError` when the file cannot be created.
    func makeFirst() throws(FileError)

    /// Carries out an item of the queue, or discards it after a failure.
    ///
    /// - Returns: Whether the item ends a split: all streams have reached the next file, or no next file was created.
    /// - Throws: `FileError` when nothing more can be written; the caller then calls `fail`.
    func carryOut(_ item: Item) throws(FileError) -> Bool

    /// Gives the file up after an error: later items are discarded.
    func fail()

    /// Whether every stream has ended, so that the thread stops taking items before the queue ends.
    var isComplete: Bool { get }
    /// The files that continue the first one, in order.
    var parts: [Part] { get }
    /// The first error in creating a part, after which the file before it goes on; `nil` when there was none.
    var splitFailure: FileError? { get }
    /// When the open file writes next; `nil` where that is not known.
    var rhythm: WriteRhythm? { get }
    /// Number of bytes that finishing the open files would write now.
    var finishingByteCount: Int64 { get }
    /// Number of packets of each stream that are in files given up by `fail`.
    var abandonedCounts: [Int] { get }

    /// Writes all pending packets or samples to the disk, so that a crash before `close` loses nothing.
    ///
    /// - Parameter end: Where every stream ends; `nil` for the end of its last packet or sample.
    /// - Throws: `FileError` when the file cannot be written; the file then stays as it is.
    func writeRest(until end: Place?) throws(FileError)

    /// Finishes the last file and verifies it.
    ///
    /// - Returns: The outcome for that file, or `nil` when no file is open.
    func close() -> PartFinishing.Outcome?

    /// Returns the stretches of each stream that were dropped because the disk was too slow.
    static func shed(_ intake: Intake) -> [[Shed]]

    /// Ends all streams of a file, so that its thread closes it.
    static func end(_ file: FileWriter<Self>)
}
