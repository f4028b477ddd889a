package import Media

/// The thread that alone touches one file of a recording, and its later parts, in one folder, and the queue before it.
///
/// Nobody waits for the disk: the queue is bounded in bytes, and what finds no room is left out. A file that fails ends; what
/// follows for it is thrown away and the others go on. Any thread.
package final class FileWriter<Content: SegmentedContent>: Sendable {
    struct Shared {
        var intake: Content.Intake
        var end: Content.Place?
        /// From the request for a new part until all streams have come to it.
        var isSplitting = false
        /// Nothing is written any more, since every stream has ended.
        var isOver = false
        /// What finishing it would write.
        var finishingBytes: Int64 = 0
        var result: FileResult<Content>

        /// Whether it can go on in a new file: it has not failed, nor has every one of its streams ended.
        var isOpen: Bool { !isOver && result.failure == nil && result.conclusion == nil }
    }

    let streamCount: Int
    let queue: WriteQueue<Content.Item>
    let shared: ConditionLock<Shared>
    private let thread: MediaThread
    private let finishing: PartFinishing

    /// Makes the file and starts its thread.
    ///
    /// A safety copy's file is made by its thread, when its disk has time: nobody waits for that, and one that cannot be made
    /// is this file's failure.
    ///
    /// - Parameters:
    ///   - disk: Whose folder it is made in.
    ///   - content: The file, which is not made yet.
    ///   - streamCount: How many streams it has.
    ///   - intake: What is known of what is left out: nothing.
    ///   - finishing: Which the content leaves files to.
    /// - Throws: When the file cannot be made.
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

    func order(_ item: Content.Item) { _ = queue.offer(item, bytes: 0, as: .order) }

    var isSplitting: Bool { shared.withLock { $0.isSplitting && $0.isOpen } }
    var isOpen: Bool { shared.withLock { $0.isOpen } }

    /// How long the next item has waited: the disk's backlog.
    var backlog: Nanoseconds { queue.age }
    package var failure: FileError? { shared.withLock { $0.result.failure } }
    /// What went wrong at a split.
    package var splitFailure: FileError? { shared.withLock { $0.result.splitFailure } ?? finishing.failure }

    /// What is still to be written if the recording ended now, in bytes.
    package var finishingByteCount: Int64 {
        shared.withLock { $0.finishingBytes } + finishing.byteCount + Int64(queue.byteCount)
    }

    /// Tells where all streams end, before the last of them is finished. Of several ends the earliest holds.
    func setEnd(_ end: Content.Place) { shared.withLock { $0.end = $0.end.map { min($0, end) } ?? end } }

    /// Waits until the file is closed.
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
        while !content.isComplete, let item = queue.next() {
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
