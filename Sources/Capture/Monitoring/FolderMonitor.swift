internal import FileSystem
import Glibc
import Media

/// Tells when a file was put into a folder or taken out of it, on a thread of its own. The folder need not exist yet.
package final class FolderMonitor: Sendable {
    private let stopping: WakeUp
    private let thread: MediaThread

    /// Starts listening; `nil` where the system can watch nothing.
    ///
    /// - Parameters:
    ///   - folder: Absolute path of the folder.
    ///   - prefix: Beginning of the names of the files to watch.
    ///   - tell: Called on the monitor's thread after one or several such files came or went, perhaps also without
    ///     that. It must not call `stop` nor drop the last reference.
    package init?(_ folder: String, prefix: String, tell: @escaping @Sendable () -> Void) {
        let stopping: WakeUp
        do throws(DeviceError) {
            stopping = try WakeUp(for: folder)
        } catch {
            return nil
        }
        let isWatching = ConditionLock<Bool?>(nil)
        self.stopping = stopping
        thread = MediaThread(name: "file-monitor") {
            var place = Place(folder: folder, prefix: prefix)
            // An inotify watch has one user: it is made on the thread that reads it.
            while let watch = NodeFolder(place.folder, prefix: place.prefix) {
                let now = Place(folder: folder, prefix: prefix)
                guard now == place else {
                    place = now
                    continue
                }
                // Changes from before the new watch existed are reported too.
                if isWatching.broadcast({ known in
                    defer { known = true }; return known
                }) != nil {
                    tell()
                }
                while Place(folder: folder, prefix: prefix) == place {
                    guard Self.waitForNews(of: watch, unless: stopping) else { return }
                    tell()
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

    /// Ends at once and waits for a call of `tell` that is under way; none follows.
    package func stop() {
        stopping.wake()
        thread.join()
    }

    /// The folder to watch: the wanted one, or its nearest existing parent, with the next part of the path as prefix.
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

    /// Waits for news.
    ///
    /// - Returns: `false` when the monitor is stopped.
    private static func waitForNews(of watch: NodeFolder, unless stopping: WakeUp) -> Bool {
        var polls = [stopping.number, watch.descriptor]
            .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            if poll(&polls, nfds_t(polls.count), -1) < 0 {
                precondition(errno == EINTR || errno == ENOMEM, "poll refuses descriptors of ours")
                continue
            }
            if polls[0].revents != 0 { return false }
            if watch.takeNews() { return true }
        }
    }
}
