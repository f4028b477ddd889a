package import Media

/// What a file's thread makes of what comes for it: a file in one folder, and those that continue it. That thread alone touches
/// it; but the recording's own first file is made before the thread begins.
package protocol SegmentedContent: AnyObject, SendableMetatype {
    /// What comes for it, in order.
    associatedtype Item: Sendable
    /// A file that continues the one before it.
    associatedtype Part: Sendable
    /// Where something is in the recording.
    associatedtype Place: Sendable, Comparable
    /// What those who bring packets or samples know of what was left out.
    associatedtype Intake: Sendable
    /// A stretch of a stream that the disk was too slow for.
    associatedtype Shed: Sendable

    /// Makes the first file. Where that fails, what comes is thrown away.
    ///
    /// - Throws: When the file cannot be made.
    func makeFirst() throws(FileError)

    /// Does what an item says. What comes after a failure it throws away.
    ///
    /// - Returns: Whether that ends a split: all streams have come to the next file, or there is none.
    /// - Throws: Why nothing more can be written: `fail` follows.
    func carryOut(_ item: Item) throws(FileError) -> Bool

    /// Writes no more of what comes.
    func fail()

    /// Whether nothing more comes.
    var isComplete: Bool { get }
    /// The files after the first.
    var parts: [Part] { get }
    /// Why the next file could not be begun, so that the one before it goes on.
    var splitFailure: FileError? { get }
    /// What finishing the files now would write, in bytes.
    var finishingByteCount: Int64 { get }
    /// Of each stream, what is in files that were given up.
    var abandonedCounts: [Int] { get }

    /// Writes what is left, so that nothing is lost from here on.
    ///
    /// - Parameter end: Where every stream ends; `nil` for the end of what came.
    /// - Throws: When the file fails, or has failed: it then stays as it is.
    func writeRest(until end: Place?) throws(FileError)

    /// Finishes the last file and reads it again.
    ///
    /// - Returns: What became of it; `nil` where there is none.
    func close() -> PartFinishing.Outcome?

    /// Of each stream, what the disk was too slow for.
    static func shed(_ intake: Intake) -> [[Shed]]

    /// Tells a file that nothing more comes for any stream.
    static func end(_ file: FileWriter<Self>)
}
