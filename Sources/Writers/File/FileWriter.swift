package import Media

/// Writes one file of a recording, and the parts that continue it, into one folder on a thread of its own.
///
/// Callers never wait for the disk: the queue before the thread is bounded in bytes, and items that find no room are dropped.
/// After a write error the file ends, later items for it are discarded, and other files go on. Callable from any thread.
package final class FileWriter<Content: SegmentedContent>: Sendable {
    /// State that the file's thread and the callers share.
    struct Shared {
        var intake: Content.Intake
        var end: Content.Place?
        /// Whether a new part was requested that not all streams have reached yet.
        var isSplitting = false
        /// Whether every stream has ended, so that nothing more is written.
        var isOver = false
        /// Number of bytes that finishing the open files would write now.
        var finishingBytes: Int64 = 0
        var result: FileResult<Content>

        /// Whether the recording can continue in a new file: no write failed, a full disk did not end the file, and a stream
        /// is still open.
        var isOpen: Bool { !isOver && result.failure == nil && result.conclusion == nil }
    }

    let streamCount: Int
    let queue: WriteQueue<Content.Item>
    let shared: ConditionLock<Shared>
    private let thread: MediaThread
    private let finishing: PartFinishing

    /// Creates the file and starts its thread.
    ///
    /// The file of a safety copy is created on that thread, so that the caller does not wait for the second disk; an error there
    /// becomes `failure`.
    ///
    /// - Parameters:
    ///   - disk: The disk whose session folder gets the file.
    ///   - content: Writes the file; its first file does not exist yet.
    ///   - streamCount: Number of streams in the file.
    ///   - intake: The record of dropped packets or samples, still empty.
    ///   - finishing: Finishes the files that `content` has left after a split.
    /// - Throws: `FileError` when the recording's own file cannot be created.
    init(
        _ disk: RecordingDisk, _ content: sending Content, streamCount: Int, intake: Content.Intake,
        finishing: PartFinishing
    ) throws(FileError) {
        self.streamCount = streamCount
        let isCopy = disk.isCopy
        if !isCopy { try content.makeFirst() }
        let made = Carried(content)
        let shared = ConditionLock(Shared(intake: intake, result: FileResult(streamCount: streamCount)))
        self.shared = shared
        let queue: WriteQueue<Content.Item> = disk.queue()
        self.queue = queue
        self.finishing = finishing
        let gate = disk.gate
        gate.enter()
        thread = MediaThread(name: "write:\(finishing.file)") {
            let content = made.value
            do throws(FileError) {
                if isCopy { try content.makeFirst() }
            } catch {
                shared.withLock { $0.result.failure = error }
            }
            Self.run(content, queue: queue, shared: shared)
            Self.close(content, queue: queue, shared: shared, finishing: finishing, gate: gate)
        }
    }

    /// Queues an item that takes no room in memory, so that it is never dropped.
    func order(_ item: Content.Item) { _ = queue.offer(item, bytes: 0, as: .order) }

    /// Whether a new part was requested that not all streams have reached, while the file is still open.
    var isSplitting: Bool { shared.withLock { $0.isSplitting && $0.isOpen } }
    /// Whether the recording can continue in a new file on this disk: no write failed, a full disk did not end the file, and a
    /// stream is still open.
    var isOpen: Bool { shared.withLock { $0.isOpen } }

    /// How long the oldest queued item has waited for the disk, beyond the time for which items are gathered.
    var backlog: Nanoseconds { queue.age }
    /// The first error that ended writing so far, or `nil` when there was none.
    package var failure: FileError? { shared.withLock { $0.result.failure } }
    /// The first error so far in beginning a part or finishing the file before it, or `nil` when there was none.
    package var splitFailure: FileError? { shared.withLock { $0.result.splitFailure } ?? finishing.failure }

    /// Number of bytes still to be written if the recording ended now: queued items, unfinished parts and the files' indexes.
    package var finishingByteCount: Int64 {
        shared.withLock { $0.finishingBytes } + finishing.byteCount + Int64(queue.byteCount)
    }

    /// Sets where all streams end; of several calls the earliest end holds. To be called before the last stream is finished.
    ///
    /// - Parameter end: A movie's end since T0, or a wave file's end as a sample index.
    func setEnd(_ end: Content.Place) { shared.withLock { $0.end = $0.end.map { min($0, end) } ?? end } }

    /// Waits until the file's thread has closed all files.
    ///
    /// - Returns: What the files hold, and their failures.
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
                hasSplit = try content.carryOut(item)
            } catch {
                content.fail()
                shared.withLock { $0.result.failure = $0.result.failure ?? error }
            }
            let (finishingBytes, splitFailure) = (content.finishingByteCount, content.splitFailure)
            shared.withLock { shared in
                shared.finishingBytes = finishingBytes
                shared.result.splitFailure = splitFailure
                if hasSplit { shared.isSplitting = false }
            }
        }
        let isOver = content.isComplete
        shared.withLock { $0.isOver = isOver }
    }

    private static func close(
        _ content: Content, queue: WriteQueue<Content.Item>, shared: ConditionLock<Shared>,
        finishing: PartFinishing, gate: FinalizeBarrier
    ) {
        queue.finish()
        var restFailure: FileError?
        do throws(FileError) {
            try content.writeRest(until: shared.withLock { $0.end })
        } catch {
            restFailure = error
        }
        gate.pass()
        var last = content.close()
        if let restFailure {
            last?.closed = nil
            last?.failure = restFailure
        }
        let outcomes = finishing.join() + [last].compactMap(\.self)
        let counts = outcomes.map(\.sampleCounts).reduce(content.abandonedCounts) { zip($0, $1).map(+) }
        let (parts, failure) = (content.parts, last?.failure)
        shared.withLock { shared in
            shared.result.parts = parts
            shared.result.counts = counts
            shared.result.closed = outcomes.compactMap(\.closed)
            shared.result.failure = shared.result.failure ?? failure
            shared.result.splitFailure = shared.result.splitFailure ?? finishing.failure
        }
    }
}
