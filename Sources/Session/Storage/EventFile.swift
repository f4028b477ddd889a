internal import Containers
internal import Media

/// The thread that alone writes `events.ndjson`, so that nobody waits for the disk who has something to tell.
final class EventFile: Sendable {
    private struct State {
        var failure: FileError?
        var leftOut = 0
    }

    private let queue = BoundedQueue<SessionEvent>(capacity: 65_536)
    private let state = Monitor(State())
    private let waitsForRoom: Bool
    private let path: String
    private let thread: MediaThread

    /// - Parameters:
    ///   - folder: The file's.
    ///   - room: Given back where the disk is full.
    ///   - waitsForRoom: Whether nothing may be left out: in simulated time.
    init(_ folder: SessionFolder, room: HeldRoom, waitsForRoom: Bool) {
        self.waitsForRoom = waitsForRoom
        path = folder.path + "/events.ndjson"
        let (queue, state) = (queue, state)
        thread = MediaThread(name: "write:events") {
            while let event = queue.next() {
                do throws(FileError) {
                    try folder.append(event, makeRoom: room.release)
                } catch {
                    // The next may find room again: what a full disk has no room for now is no reason to be silent.
                    state.withLock { $0.failure = $0.failure ?? error }
                }
            }
        }
    }

    func append(_ event: SessionEvent) {
        if waitsForRoom {
            queue.put(event)
        } else if !queue.offer(event) {
            state.withLock { $0.leftOut += 1 }
        }
    }

    /// Waits until all is written.
    ///
    /// - Returns: What went wrong.
    func finish() -> FileError? {
        queue.finish()
        thread.join()
        return state.withLock { state in
            if let failure = state.failure { return failure }
            guard state.leftOut > 0 else { return nil }
            return FileError(
                path: path, operation: "write",
                detail: "the disk was too slow for it: \(state.leftOut) events are missing from it.")
        }
    }
}
