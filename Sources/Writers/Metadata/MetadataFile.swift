package import Media
package import SessionFolder

/// The thread that alone writes `cameras/ROLE.ndjson`. Nobody waits for it: what its queue has no room for is left out, and
/// a disk that fails ends this file alone.
package final class MetadataFile: Sendable {
    private let queue = BoundedQueue<CameraMetadata>(capacity: 4096)
    private let failure = ConditionLock<FileError?>(nil)
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// - Parameters:
    ///   - file: That nobody else writes to.
    ///   - role: The camera's.
    ///   - waitsForRoom: Whether nothing may be left out: in simulated time, which would else outrun the disk.
    package convenience init(_ file: LineFile, role: String, waitsForRoom: Bool) {
        self.init(role: role, waitsForRoom: waitsForRoom) { () throws(FileError) in file }
    }

    /// The same with a file that the thread itself makes, when its disk has time.
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
                    // After a failure the queue is emptied all the same, for whoever waits for room.
                    if failure.withLock({ $0 == nil }) { try file?.append(metadata.line) }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
        }
    }

    /// - Returns: Whether there was room for it.
    package func append(_ metadata: CameraMetadata) -> Bool {
        guard waitsForRoom else { return queue.offer(metadata) }
        queue.put(metadata)
        return true
    }

    /// Why it ended early.
    package var failureSoFar: FileError? { failure.withLock { $0 } }

    package func finish() { queue.finish() }

    package func join() { thread.join() }
}
