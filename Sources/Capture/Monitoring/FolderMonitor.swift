internal import CMulticamLinux
import Glibc
import MulticamMedia
internal import MulticamSystem

/// Reports when a file is added to or removed from a directory. Uses a dedicated thread. The directory doesn't have to
/// exist yet.
package final class FolderMonitor: Sendable {
    private let stopping: WakeUp
    private let thread: MediaThread

    /// Starts monitoring; returns `nil` if the system doesn't support monitoring.
    ///
    /// - Parameters:
    ///   - folder: Absolute path of the directory.
    ///   - prefix: Name prefix of the files to watch.
    ///   - onChange: Called on the monitor's thread after one or more matching files were added or removed.
    ///     Spurious calls are possible. The function must not call `stop` or release the last reference to
    ///     the monitor.
    package init?(_ folder: String, prefix: String, onChange: @escaping @Sendable () -> Void) {
        let stopping: WakeUp
        do throws(DeviceError) {
            stopping = try WakeUp(for: folder)
        } catch {
            return nil
        }
        let isWatching = ConditionLock<Bool?>(nil)
        self.stopping = stopping
        thread = MediaThread.startWhenPossible(name: "file-monitor") {
            var place = Place(folder: folder, prefix: prefix)
            // An inotify watch is used by only one thread, so the reading thread creates it.
            while let watch = NodeWatcher(place.folder, prefix: place.prefix) {
                let now = Place(folder: folder, prefix: prefix)
                guard now == place else {
                    place = now
                    continue
                }
                // Changes made before the new watch existed are reported too.
                if isWatching.broadcast({ known in
                    defer { known = true }; return known
                }) != nil {
                    onChange()
                }
                while Place(folder: folder, prefix: prefix) == place {
                    guard Self.waitForEvents(of: watch, unless: stopping) else { return }
                    onChange()
                }
                place = Place(folder: folder, prefix: prefix)
            }
            isWatching.broadcast { $0 = $0 ?? false }
        }
        guard isWatching.wait({ $0 }) else {
            thread.join()
            return nil
        }
    }

    deinit {
        stop()
    }

    /// Stops monitoring immediately and waits for a running call of `onChange` to finish. `onChange` isn't
    /// called afterward.
    package func stop() {
        stopping.wake()
        thread.join()
    }

    /// The directory to watch: the requested directory, or its nearest existing parent with the next path
    /// component as prefix.
    private struct Place: Equatable {
        private(set) var folder: String
        private(set) var prefix: String

        init(folder: String, prefix: String) {
            self.folder = folder
            self.prefix = prefix
            while access(self.folder, F_OK) != 0, let slash = self.folder.lastIndex(of: "/"),
                self.folder != "/"
            {
                self.prefix = String(self.folder[self.folder.index(after: slash)...])
                self.folder = slash == self.folder.startIndex ? "/" : String(self.folder[..<slash])
            }
        }
    }

    /// Waits for events.
    ///
    /// - Returns: `false` if the monitor was stopped.
    private static func waitForEvents(of watch: NodeWatcher, unless stopping: WakeUp) -> Bool {
        var polls = [stopping.number, watch.descriptor]
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            if poll(&polls, nfds_t(polls.count), -1) < 0 {
                precondition(errno == EINTR || errno == ENOMEM, "poll failed with an unexpected error")
                continue
            }
            if polls[0].revents != 0 { return false }
            if watch.dequeueEvents() { return true }
        }
    }
}
