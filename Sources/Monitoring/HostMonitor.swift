internal import FoundationEssentials
package import MulticamMedia

/// Reads the computer's state about once per second on a separate thread. A driver or disk that doesn't respond blocks
/// only this thread.
package final class HostMonitor: Sendable {
    /// A reading of the computer's state.
    package struct Report: Sendable {
        /// The computer's state, from which implausible values have been removed.
        package let state: HostState
        /// Start time of the reading, on `CLOCK_MONOTONIC`.
        package let at: ClockTime
        /// Total CPU time used by the reading thread.
        package let cpuTime: Nanoseconds
    }

    /// Interval between readings.
    package static let interval = Nanoseconds.seconds(1)

    private let latest: ConditionLock<Report?>
    private let done = Cancellation()

    /// Starts the monitoring thread.
    ///
    /// - Parameters:
    ///   - host: Source of the readings.
    ///   - clock: The session's clock.
    ///   - folder: The session folder, whose disk is monitored.
    package init(_ host: any HostReading, clock: any SessionClock, folder: String) {
        let (latest, done) = (ConditionLock<Report?>(nil), done)
        self.latest = latest
        clock.startThreadWhenPossible(named: "pressure") {
            repeat {
                let time = clock.now
                let state = host.read(folder: folder, at: time).checked()
                let used = MediaThread.cpuTimeOfCurrentThread
                latest.withLock { $0 = Report(state: state, at: time, cpuTime: used) }
            } while clock.sleep(until: clock.now + Self.interval, unless: done)
        }
    }

    /// The latest reading; `nil` until the first reading has completed.
    package var report: Report? { latest.withLock { $0 } }

    /// Stops the readings. This method doesn't wait for a reading in progress.
    package func stop() { done.cancel() }
}

extension HostState {
    /// Returns the state without implausible values, such as a fraction that is NaN. The removed values are
    /// listed in `missing`.
    package func checked() -> HostState {
        var state = self
        func omit(_ source: MissingSource.Source, _ part: String? = nil) {
            state.missing.append(MissingSource(source, part: part, "it reported an invalid value"))
        }
        state.stalls = stalls.filter { stall in
            if stall.isPlausible { return true }
            omit(stall.source)
            return false
        }
        state.zones = zones.filter { zone in
            if zone.isPlausible { return true }
            omit(.temperature, zone.name)
            return false
        }
        if let speed, !speed.isPlausible {
            state.speed = nil
            omit(.speed)
        }
        if let share, !share.isPlausible {
            state.share = nil
            omit(.share)
        }
        if let power, !power.isPlausible {
            state.power = nil
            omit(.power)
        }
        if let disk, !disk.isPlausible {
            state.disk = nil
            omit(.disk)
        }
        return state
    }
}

extension ResourceStall {
    fileprivate var isPlausible: Bool {
        (0...1).contains(some) && full.map { (0...1).contains($0) } ?? true
    }

    fileprivate var source: MissingSource.Source {
        guard scope == .machine else { return .groupStall }
        return switch resource {
        case .processor: .processorStall
        case .storage: .storageStall
        case .memory: .memoryStall
        }
    }
}

extension ThermalZone {
    /// Plausible temperatures in thousandths of a degree Celsius. The range starts at absolute zero and ends above the
    /// melting point of any material.
    private static let range = -273_150...10_000_000

    fileprivate var isPlausible: Bool {
        [temperature, passive, hot, critical].compactMap(\.self).allSatisfy {
            Self.range.contains($0.millidegrees)
        }
    }
}

extension ProcessorSpeed {
    fileprivate var isPlausible: Bool {
        (0...1).contains(allowed) && count >= 0 && (0...count).contains(capped) && throttlings ?? 0 >= 0
    }
}

extension ProcessorShare {
    fileprivate var isPlausible: Bool {
        processors > 0 && quota.map { $0 > 0 && $0.isFinite } ?? true && periods ?? 0 >= 0
            && throttledPeriods ?? 0 >= 0
    }
}

extension PowerSupply {
    fileprivate var isPlausible: Bool {
        charge.map { (0...1).contains($0) } ?? true && timeToEmpty.map { $0 >= .zero } ?? true
    }
}

extension DiskSpace {
    /// Maximum plausible number of bytes: one exbibyte, which exceeds every disk. With this limit, sums and
    /// products of plausible values fit into 64 bits.
    private static let maxByteCount: Int64 = 1 << 60

    fileprivate var isPlausible: Bool {
        (0...Self.maxByteCount).contains(freeBytes) && (0...Self.maxByteCount).contains(recordedBytes)
    }
}

/// Reads the free space of the recording disk every two seconds on a separate thread. This monitor is used
/// during standby, when no other component monitors the disk. A disk that doesn't respond blocks only this
/// thread.
package final class FreeSpaceMonitor: Sendable {
    private let latest = ConditionLock<Int64?>(nil)
    private let done = Cancellation()

    private static let interval = Nanoseconds.seconds(2)

    /// Starts the monitoring thread.
    ///
    /// - Parameters:
    ///   - host: Reads the free space.
    ///   - folder: The folder for recordings, which may not exist yet.
    ///   - clock: A real-time clock.
    package init(_ host: any HostReading, of folder: String, clock: any SessionClock) {
        MediaThread.startWhenPossible(name: "free space") { [latest, done] in
            repeat {
                let bytes = host.freeBytes(folder: Self.nearestExistingFolder(folder))
                latest.withLock { $0 = bytes }
            } while clock.sleep(until: clock.now + Self.interval, unless: done)
        }
    }

    /// Number of free bytes. `nil` before the first reading, and if the reading fails.
    package var bytes: Int64? { latest.withLock { $0 } }

    /// Stops the readings. This method doesn't wait for a reading in progress.
    package func stop() { done.cancel() }

    /// Returns the folder or its nearest existing parent. The first recording creates the missing folders.
    private static func nearestExistingFolder(_ folder: String) -> String {
        var place = URL(fileURLWithPath: folder)
        while !FileManager.default.fileExists(atPath: place.path), place.path != "/" {
            place.deleteLastPathComponent()
        }
        return place.path
    }
}
