internal import Containers
package import FoundationEssentials
internal import Glibc
package import Media
package import SessionFolder

/// The thread that alone writes manifest, `events.ndjson` and report into one folder. Callers do not wait for the
/// disk.
package final class SessionFolderWriter: Sendable {
    private enum Item: Sendable {
        case event(SessionEvent)
        case manifest(Manifest)
        case conclusion(Manifest, report: Data)
    }

    private struct State {
        var failures: [FileError] = []
        var leftOut = 0
        /// Failures that lose nothing of the recording.
        var remarks: [FileError] = []
        var concluded: Manifest?
    }

    private static let eventCapacity = 65_536
    /// Manifests of the beginning and of the end always find room.
    private let queue = BoundedQueue<Item>(capacity: eventCapacity + 8)
    private let state = ConditionLock(State())
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - folder: The session folder.
    ///   - room: The room held on the disk; released when the disk is full.
    ///   - waitsForRoom: Whether `append` blocks when the queue is full, as in simulated time; else it drops the
    ///     event.
    init(_ folder: SessionFolder, room: ReservedSpace, waitsForRoom: Bool) {
        self.waitsForRoom = waitsForRoom
        let (queue, state) = (queue, state)
        thread = MediaThread(name: "write:events") {
            let pen = Pen(folder: folder, room: room, state: state)
            while let item = queue.next() {
                switch item {
                case .event(let event): pen.write(event)
                case .manifest(let manifest): pen.write(manifest)
                case .conclusion(let manifest, let report): pen.conclude(manifest, report: report)
                }
            }
        }
    }

    /// Queues an event. It is dropped when 65 536 events wait for a slow disk, unless the session runs in simulated
    /// time.
    package func append(_ event: SessionEvent) {
        if waitsForRoom {
            queue.put(.event(event))
        } else if queue.count >= Self.eventCapacity || !queue.offer(.event(event)) {
            state.withLock { $0.leftOut += 1 }
        }
    }

    /// Queues a manifest that replaces the present one.
    package func write(_ manifest: Manifest) { queue.put(.manifest(manifest)) }

    /// Queues what is written last: the report, the event `finished`, and the manifest. If anything could not be
    /// written by then, that event included, the outcome `finished` becomes `storageFailed`, and the manifest says
    /// so.
    ///
    /// - Parameters:
    ///   - manifest: The manifest, with the outcome of the media files.
    ///   - report: Content of `report/sync.svg`.
    package func conclude(_ manifest: Manifest, report: Data) {
        queue.put(.conclusion(manifest, report: report))
    }

    /// The manifest as `conclude` wrote it, or `nil` before.
    package var conclusionSoFar: Manifest? { state.withLock { $0.concluded } }

    /// Waits until `conclude` has written everything.
    ///
    /// - Returns: The manifest as it was written.
    package func waitForConclusion() -> Manifest { state.wait { $0.concluded } }

    /// Returns the failures since the last call that lose nothing of the recording.
    package func takeRemarks() -> [FileError] {
        state.withLock { state in
            defer { state.remarks.removeAll() }
            return state.remarks
        }
    }

    /// Ends the thread, and waits until everything is written.
    ///
    /// - Returns: The failures.
    package func finish() -> [FileError] {
        queue.finish()
        thread.join()
        return state.withLock { $0.failures }
    }

    /// Writes to the folder, on the thread.
    private struct Pen {
        let folder: SessionFolder
        let room: ReservedSpace
        let state: ConditionLock<State>

        func write(_ event: SessionEvent) {
            do throws(FileError) {
                try folder.append(event, makeRoom: room.release)
            } catch {
                // The next event may find room again: a disk that is full now is no reason to be silent. The failure
                // is told once.
                state.withLock { state in
                    if !state.failures.contains(where: { $0.path == error.path }) {
                        state.failures.append(error)
                    }
                }
            }
        }

        func write(_ manifest: Manifest) {
            do throws(FileError) {
                try folder.write(manifest)
            } catch {
                state.withLock { $0.failures.append(error) }
            }
        }

        func conclude(_ manifest: Manifest, report: Data) {
            do throws(FileError) {
                try folder.write(report, to: "report/sync.svg")
            } catch {
                state.withLock { $0.remarks.append(error) }
                let end = MediaTime(nanoseconds: manifest.duration_ns)
                write(SessionEvent(.warning, at: end, ["text": .string(error.description)]))
            }
            noteLeftOut()
            let told = outcome(of: manifest)
            write(
                SessionEvent(
                    .finished, at: MediaTime(nanoseconds: manifest.duration_ns),
                    ["outcome": .string(told.outcome.rawValue), "verdict": .string(Verdict(told).text)]))
            // The event may be what found no room.
            let last = outcome(of: told)
            write(last)
            // The manifest may fail too: the folder keeps the one before, and the result has this outcome.
            let concluded = outcome(of: last)
            state.broadcast { $0.concluded = concluded }
        }

        private func outcome(of manifest: Manifest) -> Manifest {
            guard state.withLock({ !$0.failures.isEmpty }) else { return manifest }
            var manifest = manifest
            manifest.outcome = .storageFailed
            return manifest
        }

        private func noteLeftOut() {
            let path = folder.path + "/events.ndjson"
            state.withLock { state in
                guard state.leftOut > 0 else { return }
                state.failures.append(
                    FileError(
                        path: path, operation: "write",
                        detail: "the disk was too slow for it: \(state.leftOut) events are missing from it."))
            }
        }
    }
}
