internal import FoundationEssentials
package import Media

/// The thread that reads, every other second, how much room there is where recordings are written: on standby nothing else looks
/// at the disk. A disk that does not answer holds up this thread and nothing else.
package final class FreeSpaceWatch: Sendable {
    private let latest = ConditionLock<Int64?>(nil)
    private let done = Cancellation()

    private static let interval = Nanoseconds.seconds(2)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - host: Reads the room.
    ///   - folder: The folder that recordings are written into; it need not exist yet.
    ///   - clock: A real-time clock.
    package init(_ host: any HostReading, of folder: String, clock: any SessionClock) {
        _ = MediaThread(name: "free space") { [latest, done] in
            repeat {
                let bytes = host.freeBytes(folder: Self.existing(folder))
                latest.withLock { $0 = bytes }
            } while clock.sleep(until: clock.now + Self.interval, unless: done)
        }
    }

    /// Bytes that are free; `nil` until that was read, and where it cannot be.
    package var bytes: Int64? { latest.withLock { $0 } }

    /// Stops the readings. One that may be under way is not waited for.
    package func stop() { done.cancel() }

    /// The folder, or the nearest one above it that exists: the first recording makes the others.
    private static func existing(_ folder: String) -> String {
        var place = URL(fileURLWithPath: folder)
        while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
            place.deleteLastPathComponent()
        }
        return place.path
    }
}
