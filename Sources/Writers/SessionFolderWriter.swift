package import FoundationEssentials
internal import Glibc
internal import MulticamContainers
package import MulticamMedia
package import MulticamSessionFolder

/// Writes the manifest, `events.ndjson`, and the report of one folder on a separate thread. Callers don't wait for the
/// disk.
package final class SessionFolderWriter: Sendable {
    private enum Item: Sendable {
        case event(SessionEvent)
        case manifest(Manifest)
        case conclusion(Manifest, report: Data)
    }

    private struct State {
        var failures: [FileError] = []
        var droppedEventCount = 0
        /// Errors that don't affect the recorded video and audio.
        var remarks: [FileError] = []
        var concluded: Manifest?
    }

    private static let eventCapacity = 65_536
    /// The queue's capacity is large enough that the initial and the final manifest always fit.
    private let queue = BoundedQueue<Item>(capacity: eventCapacity + 8)
    private let state = ConditionLock(State())
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// Starts the thread that writes the folder's files.
    ///
    /// - Parameters:
    ///   - folder: The session folder.
    ///   - room: The disk space reserved for finalization, which is released if the disk is full.
    ///   - waitsForRoom: Whether `append` blocks if the queue is full, as in simulated time. If the value is
    ///     `false`, events that don't fit in the queue are dropped.
    init(_ folder: SessionFolder, room: ReservedSpace, waitsForRoom: Bool) {
        self.waitsForRoom = waitsForRoom
        let (queue, state) = (queue, state)
        thread = MediaThread.startWhenPossible(name: "write:events") {
            let pen = FolderFileWriter(folder: folder, reservedSpace: room, state: state)
            while let item = queue.dequeue() {
                switch item {
                case .event(let event): pen.write(event)
                case .manifest(let manifest): pen.write(manifest)
                case .conclusion(let manifest, let report): pen.conclude(manifest, report: report)
                }
            }
        }
    }

    /// Enqueues an event. The event is dropped if 65 536 events are already waiting for a slow disk, except in
    /// simulated time.
    package func append(_ event: SessionEvent) {
        if waitsForRoom {
            queue.enqueue(.event(event))
        } else if queue.count >= Self.eventCapacity || !queue.tryEnqueue(.event(event)) {
            state.withLock { $0.droppedEventCount += 1 }
        }
    }

    /// Enqueues a manifest that replaces the current one.
    package func write(_ manifest: Manifest) { queue.enqueue(.manifest(manifest)) }

    /// Enqueues the final writes: the report, the event `finished`, and the manifest. If any write has failed
    /// by then, including the write of the event, the manifest's outcome is `storageFailed` instead of
    /// `finished`.
    ///
    /// - Parameters:
    ///   - manifest: The manifest, with the outcome of the media files.
    ///   - report: Content of the file `report/sync.svg`.
    package func conclude(_ manifest: Manifest, report: Data) {
        queue.enqueue(.conclusion(manifest, report: report))
    }

    /// The manifest as written by `conclude`; `nil` before `conclude` has written it.
    package var conclusionSoFar: Manifest? { state.withLock { $0.concluded } }

    /// Waits until `conclude` has written all files.
    ///
    /// - Returns: The manifest as it was written.
    package func waitForConclusion() -> Manifest { state.wait { $0.concluded } }

    /// Returns the errors since the last call. These errors don't affect the recorded video and audio.
    package func dequeueRemarks() -> [FileError] {
        state.withLock { state in
            defer { state.remarks.removeAll() }
            return state.remarks
        }
    }

    /// Ends the thread after all queued data has been written, and waits for the thread.
    ///
    /// - Returns: The remaining errors, which don't affect the recorded video and audio.
    package func finish() -> [FileError] {
        queue.finish()
        thread.join()
        return state.withLock { $0.failures }
    }

    /// Writes the files of the folder. Used only on the writer's thread.
    private struct FolderFileWriter {
        let folder: SessionFolder
        let reservedSpace: ReservedSpace
        let state: ConditionLock<State>

        func write(_ event: SessionEvent) {
            do throws(FileError) {
                try folder.append(event, makeRoom: reservedSpace.release)
            } catch {
                // Writing continues after this error, because a full disk may have free space again for the
                // next event. Each error is reported only once per path.
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
                write(SessionEvent(warning: error.description, at: end))
            }
            recordDroppedEvents()
            let reported = outcome(of: manifest)
            write(
                SessionEvent(
                    .finished(
                        SessionEvent.Finished(outcome: reported.outcome, verdict: Verdict(reported).text)),
                    at: MediaTime(nanoseconds: manifest.duration_ns)))
            // The outcome is computed again because writing the event may have failed.
            let last = outcome(of: reported)
            write(last)
            // Writing the manifest may have failed as well. In that case, the folder keeps the previous
            // manifest, but the result contains the new outcome.
            let concluded = outcome(of: last)
            state.broadcast { $0.concluded = concluded }
        }

        private func outcome(of manifest: Manifest) -> Manifest {
            guard state.withLock({ !$0.failures.isEmpty }) else { return manifest }
            var manifest = manifest
            manifest.outcome = .storageFailed
            return manifest
        }

        private func recordDroppedEvents() {
            let path = folder.path + "/events.ndjson"
            state.withLock { state in
                guard state.droppedEventCount > 0 else { return }
                state.failures.append(
                    FileError(
                        path: path, operation: "writing",
                        detail:
                            "the disk was too slow. \(state.droppedEventCount) events are missing from the file."
                    ))
            }
        }
    }
}
