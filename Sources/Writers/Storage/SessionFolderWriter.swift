internal import Containers
package import Foundation
package import Media
package import SessionFolder

/// The thread that alone writes what a recording says of itself into one folder: its manifest, `events.ndjson`, a report. Nobody
/// waits for the disk who has something to tell.
package final class SessionFolderWriter: Sendable {
    private enum Item: Sendable {
        case event(SessionEvent)
        case manifest(Manifest)
        case conclusion(Manifest, report: Data)
    }

    private struct State {
        var failures: [FileError] = []
        var leftOut = 0
        /// Of what is no loss of the recording.
        var remarks: [FileError] = []
        var concluded: Manifest?
    }

    private static let eventCapacity = 65_536
    /// Manifests of the beginning and of the end always find a place.
    private let queue = BoundedQueue<Item>(capacity: eventCapacity + 8)
    private let state = ConditionLock(State())
    private let waitsForRoom: Bool
    private let thread: MediaThread

    /// - Parameters:
    ///   - folder: That is written into.
    ///   - room: Given back where the disk is full.
    ///   - waitsForRoom: Whether nothing may be left out: in simulated time.
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

    /// Adds an event, or leaves it out where the disk is so slow that tens of thousands wait.
    package func append(_ event: SessionEvent) {
        if waitsForRoom {
            queue.put(.event(event))
        } else if queue.count >= Self.eventCapacity || !queue.offer(.event(event)) {
            state.withLock { $0.leftOut += 1 }
        }
    }

    /// Replaces the manifest.
    package func write(_ manifest: Manifest) { queue.put(.manifest(manifest)) }

    /// Writes what is told last: the report, the event `finished`, the manifest. What could not be written until then, the last
    /// event too, makes a recording that had finished one whose storage failed, and the manifest says so.
    ///
    /// - Parameters:
    ///   - manifest: With the outcome by the files of media.
    ///   - report: Of `report/sync.svg`.
    package func conclude(_ manifest: Manifest, report: Data) {
        queue.put(.conclusion(manifest, report: report))
    }

    /// The manifest as it was written last; `nil` until then.
    package var conclusionSoFar: Manifest? { state.withLock { $0.concluded } }

    /// Waits for that.
    package func waitForConclusion() -> Manifest { state.wait { $0.concluded } }

    /// What could not be written that is no loss of the recording, since the last call.
    package func takeRemarks() -> [FileError] {
        state.withLock { state in
            defer { state.remarks.removeAll() }
            return state.remarks
        }
    }

    /// Waits until all is written.
    ///
    /// - Returns: What went wrong.
    package func finish() -> [FileError] {
        queue.finish()
        thread.join()
        return state.withLock { $0.failures }
    }

    /// What writes, on the thread.
    private struct Pen {
        let folder: SessionFolder
        let room: ReservedSpace
        let state: ConditionLock<State>

        func write(_ event: SessionEvent) {
            do throws(FileError) {
                try folder.append(event, makeRoom: room.release)
            } catch {
                // The next may find room again: what a full disk has no room for now is no reason to be silent. It is told once.
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
            // That event may be what found no room.
            let last = outcome(of: told)
            write(last)
            // So may the manifest: the folder keeps the one before, and the result has this outcome.
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
