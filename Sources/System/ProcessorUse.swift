internal import Glibc
package import MulticamMedia

/// The processor time used on this computer up to one moment: in total, and by the processes of this program. The
/// difference of two values is the processor time that other programs used between them.
package struct ProcessorUse: Sendable, Equatable {
    /// Time of all processors since the start of the computer, in clock ticks.
    let total: Int64
    /// Time in which a processor was busy, in clock ticks.
    let busy: Int64
    /// Time used by each of multicam's processes, in clock ticks, by process ID.
    let own: [String: Int64]

    /// Maximum size of `/proc/stat` in bytes. It has a line for each processor and a long line of interrupt counts.
    private static let longestStat = 1 << 18

    /// Reads the current values. Returns `nil` if the kernel doesn't provide them.
    ///
    /// - Parameter root: Prefix of `/proc`, for tests.
    package init?(root: String = "") {
        let files = HostFiles(root: root)
        do throws(HostFileError) {
            let stat = try files.text("/proc/stat", limit: Self.longestStat)
            // proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal.
            let fields = stat.prefix { $0 != "\n" }.split(separator: " ")
            let times = fields.dropFirst().prefix(8).compactMap { Int64($0) }
            guard fields.first == "cpu", times.count == 8 else { return nil }
            total = times.reduce(0, &+)
            busy = total &- times[3] &- times[4]
        } catch {
            return nil
        }
        var own: [String: Int64] = [:]
        for process in FolderListing.names(in: root + "/proc") where process.allSatisfy(\.isNumber) {
            do throws(HostFileError) {
                // proc_pid_stat(5): the name is in parentheses; fields 14 and 15 are the user and system time.
                let stat = try files.text("/proc/\(process)/stat")
                guard let begin = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")") else {
                    continue
                }
                let fields = stat[end...].split(separator: " ")
                guard stat[begin...].hasPrefix("(multicam"), fields.count > 13, let user = Int64(fields[12]),
                    let system = Int64(fields[13])
                else { continue }
                own[process] = user &+ system
            } catch {
                // The process has ended.
            }
        }
        self.own = own
    }

    /// Returns the share of all processors that other programs used until a later moment, from 0 to 1; `nil` if no time
    /// has passed.
    package func shareOfOtherPrograms(until later: Self) -> Double? {
        let time = later.total - total
        guard time > 0 else { return nil }
        let own = later.own.reduce(0) { $0 + max($1.value - (self.own[$1.key] ?? 0), 0) }
        return min(max(Double(later.busy - busy - own) / Double(time), 0), 1)
    }

    /// Shortest time over which a share is meaningful.
    private static let shortestInterval = Nanoseconds.milliseconds(400)

    /// Measures the share of all processors that other programs use. Waits until at least 0.4 s have passed since the
    /// start.
    ///
    /// - Parameters:
    ///   - start: The first values; `nil` if they couldn't be read.
    ///   - time: The time of `start`.
    /// - Returns: A share from 0 to 1; `nil` if it is unknown.
    package static func shareOfOtherPrograms(since start: Self?, at time: ClockTime) -> Double? {
        guard let start else { return nil }
        _ = Cancellation().wait(until: time + shortestInterval)
        return Self().flatMap { start.shareOfOtherPrograms(until: $0) }
    }

    /// Whether a share of other programs is large enough to affect a recording.
    package static func isBusy(_ share: Double) -> Bool { share >= 0.5 }
}
