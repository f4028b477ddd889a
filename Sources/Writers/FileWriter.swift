package import MulticamContainers
package import MulticamMedia

/// Writes one file of a recording and its continuation files into one folder, on a separate thread.
///
/// Callers never wait for the disk: the queue has a limit in bytes, and items that don't fit are dropped.
/// After a write error, the file ends and its later items are discarded, while other files continue.
/// Thread-safe.
package final class FileWriter<Content: SegmentedContent>: Sendable {
    /// State shared by the file's thread and the callers.
    struct Shared {
        var intake: Content.Intake
        var end: Content.Place?
        /// Whether a new part was requested that at least one stream hasn't reached yet.
        var isSplitting = false
        /// Whether all streams have ended, so that no more data is written.
        var hasEnded = false
        /// Time up to which all streams are in the file, relative to T0; `nil` before the first item.
        var writtenEnd: MediaTime?
        /// Number of bytes needed to finalize the open files now.
        var finishingBytes: Int64 = 0
        var result: FileResult<Content>

        /// Whether the recording can continue in a new file. The recording can continue if no write failed,
        /// the disk is not full, and at least one stream is still open.
        var isOpen: Bool { !hasEnded && result.failure == nil && result.conclusion == nil }
    }

    let streamCount: Int
    let queue: WriteQueue<Content.Item>
    let shared: ConditionLock<Shared>
    private let thread: MediaThread
    private let finishing: PartFinalizer

    /// Creates the file and starts its thread.
    ///
    /// A file in the backup is created on the file's thread, so that the caller doesn't wait for the backup's
    /// disk. If the file can't be created, the error is stored in `failure`.
    ///
    /// - Parameters:
    ///   - disk: The disk with the session folder for the file.
    ///   - content: Writes the file and its parts. The first file doesn't exist yet.
    ///   - streamCount: Number of streams in the file.
    ///   - intake: The initially empty record of dropped packets or samples.
    ///   - finishing: Finalizes the files that `content` has completed at splits.
    /// - Throws: `FileError` if the recording's own file cannot be created.
    init(
        _ disk: RecordingDisk, _ content: sending Content, streamCount: Int, intake: Content.Intake,
        finishing: PartFinalizer
    ) throws(FileError) {
        self.streamCount = streamCount
        let isBackup = disk.isBackup
        if !isBackup { try content.makeFirst() }
        let made = Carried(content)
        let shared = ConditionLock(Shared(intake: intake, result: FileResult(streamCount: streamCount)))
        self.shared = shared
        let queue: WriteQueue<Content.Item> = disk.queue()
        self.queue = queue
        self.finishing = finishing
        let barrier = disk.finalizeBarrier
        barrier.register()
        do throws(ThreadError) {
            thread = try MediaThread(name: "write:\(finishing.file)") {
                let content = made.value
                do throws(FileError) {
                    if isBackup { try content.makeFirst() }
                } catch {
                    shared.withLock { $0.result.failure = error }
                }
                Self.run(content, queue: queue, shared: shared)
                Self.close(content, queue: queue, shared: shared, finishing: finishing, barrier: barrier)
            }
        } catch {
            barrier.unregister()
            throw FileError(path: finishing.file, error)
        }
    }

    /// Enqueues an item that doesn't count against the memory limit and is therefore never dropped.
    func enqueueCommand(_ item: Content.Item) { _ = queue.offer(item, bytes: 0, as: .command) }

    /// Whether the file is still open and a new part was requested that at least one stream hasn't reached
    /// yet.
    var isSplitting: Bool { shared.withLock { $0.isSplitting && $0.isOpen } }
    /// Whether the recording can continue in a new file on this disk. The recording can continue if no write
    /// failed, the disk is not full, and at least one stream is still open.
    var isOpen: Bool { shared.withLock { $0.isOpen } }

    /// Time for which the oldest queued item has waited for the disk, not including the batching time.
    var backlog: Nanoseconds { queue.age }
    /// The first error that ended writing; `nil` if no error has occurred.
    package var failure: FileError? { shared.withLock { $0.result.failure } }
    /// The first error that occurred while a part was created or the previous file was finalized; `nil` if no
    /// error has occurred.
    package var splitFailure: FileError? { shared.withLock { $0.result.splitFailure } ?? finishing.failure }

    /// Time, relative to T0, up to which the file contains all streams. Data before this time survives a
    /// crash. The value is `nil` before the first item and after the last write.
    package var writtenEnd: MediaTime? { shared.withLock { $0.isOpen ? $0.writtenEnd : nil } }

    /// Number of bytes that would still have to be written if the recording ended now: queued items, unfinished parts,
    /// and the indexes of the files.
    package var finishingByteCount: Int64 {
        shared.withLock { $0.finishingBytes } + finishing.byteCount + Int64(queue.byteCount)
    }

    /// Sets the end of all streams. If this method is called several times, the earliest end applies. This method must
    /// be called before the last stream is finished.
    ///
    /// - Parameter end: For a movie, the end as a time relative to T0; for a WAV file, the end as a sample
    ///   index.
    func setEnd(_ end: Content.Place) { shared.withLock { $0.end = $0.end.map { min($0, end) } ?? end } }

    /// Waits until the file's thread has closed all files.
    ///
    /// - Returns: The content of the files and their errors.
    package func join() -> FileResult<Content> {
        thread.join()
        return shared.withLock { shared in
            var result = shared.result
            result.shed = Content.shed(shared.intake)
            return result
        }
    }

    private static func run(
        _ content: Content, queue: WriteQueue<Content.Item>, shared: ConditionLock<Shared>
    ) {
        while !content.isComplete, let item = queue.next({ content.rhythm }) {
            var hasSplit = false
            do throws(FileError) {
                hasSplit = try content.process(item)
            } catch {
                content.fail()
                shared.withLock { $0.result.failure = $0.result.failure ?? error }
            }
            let (finishingBytes, splitFailure) = (content.finishingByteCount, content.splitFailure)
            let writtenEnd = content.writtenEnd
            shared.withLock { shared in
                shared.writtenEnd = writtenEnd
                shared.finishingBytes = finishingBytes
                shared.result.splitFailure = splitFailure
                if hasSplit { shared.isSplitting = false }
            }
        }
        let isOver = content.isComplete
        shared.withLock { $0.hasEnded = isOver }
    }

    private static func close(
        _ content: Content, queue: WriteQueue<Content.Item>, shared: ConditionLock<Shared>,
        finishing: PartFinalizer, barrier: FinalizeBarrier
    ) {
        queue.finish()
        var restFailure: FileError?
        do throws(FileError) {
            try content.writeRest(until: shared.withLock { $0.end })
        } catch {
            restFailure = error
        }
        barrier.arriveAndWait()
        var last = content.close()
        if let restFailure {
            last?.closed = nil
            last?.failure = restFailure
        }
        let outcomes = finishing.join() + [last].compactMap(\.self)
        let counts = outcomes.map(\.sampleCounts).reduce(content.abandonedCounts) { zip($0, $1).map(+) }
        let (parts, failure, unwritten) = (content.parts, last?.failure, content.ledgers)
        shared.withLock { shared in
            shared.result.parts = parts
            for part in [unwritten] + outcomes.map(\.ledgers) {
                for (stream, ledger) in part.enumerated() { shared.result.ledgers[stream].add(ledger) }
            }
            shared.result.counts = counts
            shared.result.closed = outcomes.compactMap(\.closed)
            shared.result.failure = shared.result.failure ?? failure
            shared.result.splitFailure = shared.result.splitFailure ?? finishing.failure
        }
    }
}

/// Writes queued items to a file in one folder, and to its continuation files after splits.
///
/// Use this type only on the thread of its `FileWriter`. The first file in the recording's own folder is
/// created before that thread starts.
package protocol SegmentedContent: AnyObject, SendableMetatype {
    /// An item of the file's queue, which contains packets, samples, or a command.
    associatedtype Item: Sendable
    /// A file that continues the previous one.
    associatedtype Part: Sendable
    /// A position in the recording, which is a time relative to T0 for movies, and a sample index counted from T0 for
    /// WAV files.
    associatedtype Place: Sendable, Comparable
    /// The record of packets or samples that were dropped before they reached the queue. The enqueuing thread
    /// maintains this record.
    associatedtype Intake: Sendable
    /// A range of a stream that was dropped because the disk was too slow.
    associatedtype Shed: Sendable

    /// Creates the first file. If the file can't be created, all later items are discarded.
    ///
    /// - Throws: `FileError` if the file cannot be created.
    func makeFirst() throws(FileError)

    /// Processes an item of the queue. After a failure, items are discarded.
    ///
    /// - Returns: Whether the item completes a split, because all streams have reached the next file or no next file
    ///   was created.
    /// - Throws: `FileError` if nothing more can be written. After this error, the caller calls `fail`.
    func process(_ item: Item) throws(FileError) -> Bool

    /// Abandons the file after an error. Later items are discarded.
    func fail()

    /// Whether all streams have ended. If all streams have ended, the thread stops dequeuing items before the
    /// queue ends.
    var isComplete: Bool { get }
    /// The continuation files, in order.
    var parts: [Part] { get }
    /// The first error that occurred while a part was created; `nil` if no error has occurred. After the
    /// error, the previous file continues.
    var splitFailure: FileError? { get }
    /// The expected next write of the open file; `nil` if the next write can't be predicted.
    var rhythm: WriteSchedule? { get }
    /// Number of bytes needed to finalize the open files now.
    var finishingByteCount: Int64 { get }
    /// Time up to which all streams are in the open file, relative to T0; `nil` if no file is open.
    var writtenEnd: MediaTime? { get }
    /// Number of packets of each stream in the files that `fail` abandoned.
    var abandonedCounts: [Int] { get }
    /// Ledgers of each stream's content in the files that `fail` abandoned, and of the discarded content.
    var ledgers: [StreamLedger] { get }

    /// Writes all pending packets or samples to disk, so that a crash before `close` doesn't lose any of them.
    ///
    /// - Parameter end: End of all streams. If the value is `nil`, each stream ends with its last packet or sample.
    /// - Throws: `FileError` if the file cannot be written. If this error is thrown, the file stays
    ///   unchanged.
    func writeRest(until end: Place?) throws(FileError)

    /// Finalizes the last file and verifies it.
    ///
    /// - Returns: The outcome of finalizing the last file; `nil` if no file is open.
    func close() -> PartFinalizer.Outcome?

    /// Returns the ranges of each stream that were dropped because the disk was too slow.
    static func shed(_ intake: Intake) -> [[Shed]]

    /// Ends all streams of a file, so that the file's thread closes the file.
    static func end(_ file: FileWriter<Self>)
}
