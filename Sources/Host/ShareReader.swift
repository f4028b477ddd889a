import Media

/// Reads the share of the processors that this process may use: its affinity, and the quota of its control groups
/// (`cpu.max`, kernel, admin-guide/cgroup-v2.rst).
struct ShareReader {
    let files: HostFiles

    /// Reads the share into `state`.
    func read(into state: inout HostState) {
        do throws(HostFileError) {
            let processors = try affinity()
            do throws(HostFileError) {
                state.share = try share(processors)
            } catch {
                state.share = ProcessorShare(processors: processors)
                state.missing.append(MissingSource(.share, part: "quota", error.reason))
            }
        } catch {
            state.missing.append(MissingSource(.share, error.reason))
        }
    }

    /// Counts the processors of `Cpus_allowed_list: 0-3,6` in proc(5)'s status.
    private func affinity() throws(HostFileError) -> Int {
        let path = "/proc/self/status"
        let line = try files.text(path).split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        guard let line else { throw HostFileError(reason: "\(path) has no line Cpus_allowed_list") }
        let list = line.dropFirst("Cpus_allowed_list:".count).drop { $0 == " " || $0 == "\t" }
        var count = 0
        for range in list.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
                (0...65_535).contains(first), (first...65_535).contains(last)
            else {
                throw HostFileError(
                    reason:
                        "\(path) says `\(String(list).printable(limit: 40))`, which is no list of processors")
            }
            count += last - first + 1
        }
        return count
    }

    /// The tightest quota of this process's group and the groups that enclose it.
    private func share(_ processors: Int) throws(HostFileError) -> ProcessorShare {
        let mount = try files.controlGroups()
        guard try files.text("\(mount)/cgroup.controllers").split(separator: " ").contains("cpu") else {
            throw HostFileError(reason: "the processor is shared out by control groups of version 1")
        }
        var folder = try files.ownControlGroup()
        var tightest: (quota: Double, folder: String)?
        // The root group has no limit.
        while folder != mount {
            if let quota = try quota(folder), quota < tightest?.quota ?? .infinity {
                tightest = (quota, folder)
            }
            folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? mount
        }
        // In a container the group at its top may be limited from outside.
        if let quota = try quota(mount), quota < tightest?.quota ?? .infinity { tightest = (quota, mount) }
        guard let tightest else { return ProcessorShare(processors: processors) }
        let path = "\(tightest.folder)/cpu.stat"
        let periods = try count("nr_periods", path)
        let throttled = try count("nr_throttled", path)
        guard throttled <= periods else {
            throw HostFileError(reason: "\(path) counts more periods throttled than there were")
        }
        return ProcessorShare(
            processors: processors, quota: tightest.quota, periods: periods, throttledPeriods: throttled)
    }

    /// Reads a quota from `cpu.max`: `max 100000` or `150000 100000`, in µs. The result is in processors; `nil` for no
    /// limit.
    private func quota(_ folder: String) throws(HostFileError) -> Double? {
        guard let text = try files.optionalText("\(folder)/cpu.max") else { return nil }
        let words = text.split(separator: " ")
        guard words.first != "max" else { return nil }
        guard words.count == 2, let time = Int64(words[0]), let period = Int64(words[1]),
            time > 0, period > 0, Double(time) / Double(period) <= 65_536
        else {
            throw HostFileError(
                reason: "\(folder)/cpu.max says `\(text.printable(limit: 40))`, which is no quota")
        }
        return Double(time) / Double(period)
    }

    private func count(_ word: String, _ path: String) throws(HostFileError) -> Int64 {
        let line = try files.text(path).split(separator: "\n").first { $0.hasPrefix("\(word) ") }
        guard let number = line.flatMap({ Int64($0.dropFirst(word.count + 1)) }), number >= 0 else {
            throw HostFileError(reason: "\(path) has no \(word)")
        }
        return number
    }
}
