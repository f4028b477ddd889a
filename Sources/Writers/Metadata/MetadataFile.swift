package import Media
package import SessionFolder

/// The thread that alone writes one `cameras/ROLE.ndjson`. Nobody waits for it: lines that find no room in its queue
/// are dropped, and a disk that fails ends this file alone.
package final class MetadataFile: Sendable {
    private let queue = BoundedQueue<CameraMetadata>(capacity: 4096)
    private let failure = ConditionLock<FileError?>(nil)
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Starts the thread with an open file.
    ///
    /// - Parameters:
    ///   - file: The file, which nobody else writes.
    ///   - role: The camera's role.
    ///   - waitsForRoom: Whether `append` blocks when the queue is full, as in simulated time, which would outrun the
    ///     disk; else it drops the line.
    package convenience init(_ file: LineFile, role: String, waitsForRoom: Bool) {
        self.init(role: role, waitsForRoom: waitsForRoom) { () throws(FileError) in file }
    }

    /// Starts the thread, which makes the file itself when its disk has time. `waitsForRoom` makes `append` block
    /// when the queue is full.
    package init(
        role: String, waitsForRoom: Bool, making make: @escaping @Sendable () throws(FileError) -> LineFile
    ) {
        self.waitsForRoom = waitsForRoom
        let (queue, failure) = (queue, failure)
        thread = MediaThread(name: "write:\(role).ndjson") {
            var file: LineFile?
            do throws(FileError) { file = try make() } catch { failure.withLock { $0 = error } }
            while let metadata = queue.next() {
                do throws(FileError) {
                    // After a failure the queue is still emptied, since a caller may wait for room.
                    if failure.withLock({ $0 == nil }) { try file?.append(metadata.line) }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
    }

    /// Queues a line.
    ///
    /// - Returns: Whether the queue had room for it.
    package func append(_ metadata: CameraMetadata) -> Bool {
        guard waitsForRoom else { return queue.offer(metadata) }
        queue.put(metadata)
        return true
    }

    /// Why the file ended early, or `nil` when it did not.
    package var failureSoFar: FileError? { failure.withLock { $0 } }

    /// Ends the file once the queue is empty: no line follows.
    package func finish() { queue.finish() }

    /// Waits until the thread has ended.
    package func join() { thread.join() }
}
