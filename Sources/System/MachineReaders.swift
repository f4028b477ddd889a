import MulticamMedia

/// Reads the maximum allowed processor frequency (kernel, Documentation/admin-guide/pm/cpufreq.rst), and
/// Intel's thermal throttling counters (Documentation/ABI/testing/sysfs-devices-system-cpu,
/// `thermal_throttle`).
struct SpeedReader {
    let files: HostFiles

    private static let folder = "/sys/devices/system/cpu"
    /// Plausible frequencies in kHz, from 1 MHz to 100 GHz.
    private static let plausibleRange: ClosedRange<Int64> = 1000...100_000_000

    /// Reads the processors' allowed frequency and their throttling counters into `state`.
    func read(into state: inout HostState) {
        let names = files.numberedEntries(withPrefix: "cpu", in: Self.folder)
        let throttlings = readThrottlings(names, into: &state)
        var (allowed, possible) = (0.0, 0.0)
        var (capped, count) = (0, 0)
        for name in names {
            do throws(HostFileError) {
                // An offline processor doesn't have a cpufreq folder.
                let folder = "\(Self.folder)/\(name)/cpufreq"
                guard
                    let most = try files.optionalInteger(
                        "\(folder)/cpuinfo_max_freq", in: Self.plausibleRange)
                else { continue }
                let may = min(try files.integer("\(folder)/scaling_max_freq", in: Self.plausibleRange), most)
                count += 1
                if may < most { capped += 1 }
                allowed += Double(may)
                possible += Double(most)
            } catch {
                state.missing.append(MissingSource(.speed, part: name, error.reason))
            }
        }
        guard count > 0 else {
            if !state.missing.contains(where: { $0.source == .speed }) {
                state.missing.append(
                    MissingSource(
                        .speed,
                        "/sys contains no cpufreq folder for the CPUs, which is normal in virtual machines"
                    ))
            }
            if let throttlings {
                state.speed = ProcessorSpeed(allowed: 1, capped: 0, count: 0, throttlings: throttlings)
            }
            return
        }
        state.speed = ProcessorSpeed(
            allowed: allowed / possible, capped: capped, count: count, throttlings: throttlings)
    }

    /// Returns the sum of all cores' throttling counters, plus the highest package counter. Every processor
    /// of a package reports the same package counter.
    private func readThrottlings(_ names: [String], into state: inout HostState) -> Int64? {
        var cores: Int64?
        var packages: Int64 = 0
        for name in names {
            do throws(HostFileError) {
                let folder = "\(Self.folder)/\(name)/thermal_throttle"
                let range: ClosedRange<Int64> = 0...(1 << 40)
                if let core = try files.optionalInteger("\(folder)/core_throttle_count", in: range) {
                    cores = (cores ?? 0) + core
                }
                if let package = try files.optionalInteger("\(folder)/package_throttle_count", in: range) {
                    packages = max(packages, package)
                    cores = cores ?? 0
                }
            } catch {
                state.missing.append(MissingSource(.throttling, part: name, error.reason))
                return nil
            }
        }
        guard let cores else {
            state.missing.append(
                MissingSource(
                    .throttling,
                    "the CPU does not report throttling (thermal_throttle exists only on Intel CPUs, not in virtual machines)"
                ))
            return nil
        }
        return cores + packages
    }
}

/// Reads the share of processor capacity that this process may use. The share depends on the CPU affinity and
/// on the quotas of the control groups (`cpu.max`, kernel, admin-guide/cgroup-v2.rst).
struct ShareReader {
    let files: HostFiles

    /// Reads the process's share of processor capacity into `state`.
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

    /// Returns the number of processors that are listed in the process's status file (proc(5)), for example
    /// `Cpus_allowed_list: 0-3,6`.
    private func affinity() throws(HostFileError) -> Int {
        let path = "/proc/self/status"
        let line = try files.text(path).split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        guard let line else {
            throw HostFileError(reason: "\(path) does not contain the line Cpus_allowed_list")
        }
        let list = line.dropFirst("Cpus_allowed_list:".count).drop { $0 == " " || $0 == "\t" }
        var count = 0
        for range in list.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
                (0...65_535).contains(first), (first...65_535).contains(last)
            else {
                throw HostFileError(
                    reason:
                        "\(path) contains `\(String(list).printable(limit: 40))`, which is not a CPU list")
            }
            count += last - first + 1
        }
        return count
    }

    /// Returns the lowest quota of this process's control group and its ancestors.
    private func share(_ processors: Int) throws(HostFileError) -> ProcessorShare {
        let mount = try files.controlGroups()
        guard try files.text("\(mount)/cgroup.controllers").split(separator: " ").contains("cpu") else {
            throw HostFileError(reason: "CPU limits are set by version 1 control groups")
        }
        var folder = try files.ownControlGroup()
        var tightest: (quota: Double, folder: String)?
        // The root control group doesn't have a limit.
        while folder != mount {
            if let quota = try quota(folder), quota < tightest?.quota ?? .infinity {
                tightest = (quota, folder)
            }
            folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? mount
        }
        // In a container, the topmost group may be limited from outside the container.
        if let quota = try quota(mount), quota < tightest?.quota ?? .infinity { tightest = (quota, mount) }
        guard let tightest else { return ProcessorShare(processors: processors) }
        let path = "\(tightest.folder)/cpu.stat"
        let periods = try count("nr_periods", path)
        let throttled = try count("nr_throttled", path)
        guard throttled <= periods else {
            throw HostFileError(reason: "\(path) reports more throttled periods than total periods")
        }
        return ProcessorShare(
            processors: processors, quota: tightest.quota, periods: periods, throttledPeriods: throttled)
    }

    /// Reads a quota from `cpu.max`, for example `max 100000` or `150000 100000`, in µs. Returns the quota as
    /// a number of processors; `nil` if the control group isn't limited.
    private func quota(_ folder: String) throws(HostFileError) -> Double? {
        guard let text = try files.optionalText("\(folder)/cpu.max") else { return nil }
        let words = text.split(separator: " ")
        guard words.first != "max" else { return nil }
        guard words.count == 2, let time = Int64(words[0]), let period = Int64(words[1]),
            time > 0, period > 0, Double(time) / Double(period) <= 65_536
        else {
            throw HostFileError(
                reason: "\(folder)/cpu.max contains `\(text.printable(limit: 40))`, which is not a quota")
        }
        return Double(time) / Double(period)
    }

    private func count(_ word: String, _ path: String) throws(HostFileError) -> Int64 {
        let line = try files.text(path).split(separator: "\n").first { $0.hasPrefix("\(word) ") }
        guard let number = line.flatMap({ Int64($0.dropFirst(word.count + 1)) }), number >= 0 else {
            throw HostFileError(reason: "\(path) does not contain \(word)")
        }
        return number
    }
}

/// Reads pressure stall information (PSI) of the computer, and of this process's control group if the process
/// is in a group.
///
/// The format of the files is described in the kernel's Documentation/accounting/psi.rst:
/// `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`, then `full …`.
struct StallReader {
    let files: HostFiles

    /// Reads the stall information of all resources into `state`.
    func read(into state: inout HostState) {
        for resource in ResourceStall.Resource.allCases {
            do throws(HostFileError) {
                state.stalls.append(
                    try stall(resource, .machine, "/proc/pressure/\(resource.rawValue)"))
            } catch {
                state.missing.append(MissingSource(resource.source, error.reason))
            }
        }
        readOwnGroup(into: &state)
    }

    private func readOwnGroup(into state: inout HostState) {
        let folder: String
        do throws(HostFileError) {
            folder = try files.ownControlGroup()
            // Only control groups below the root have a `cgroup.type` file. In a container, the topmost group
            // looks like the root group but isn't the root group.
            guard try files.optionalText("\(folder)/cgroup.type") != nil else {
                throw HostFileError(
                    reason: "this process is in the root control group, which covers the whole computer")
            }
        } catch {
            state.missing.append(MissingSource(.groupStall, error.reason))
            return
        }
        for resource in ResourceStall.Resource.allCases {
            do throws(HostFileError) {
                state.stalls.append(
                    try stall(resource, .ownGroup, "\(folder)/\(resource.rawValue).pressure"))
            } catch {
                state.missing.append(MissingSource(.groupStall, part: resource.rawValue, error.reason))
            }
        }
    }

    private func stall(
        _ resource: ResourceStall.Resource, _ scope: ResourceStall.Scope, _ path: String
    ) throws(HostFileError) -> ResourceStall {
        let lines = try files.text(path).split(separator: "\n")
        guard let some = try share("some", lines, path) else {
            throw HostFileError(reason: "\(path) does not contain the line `some`")
        }
        let full = try share("full", lines, path)
        guard full != nil || resource == .processor else {
            throw HostFileError(reason: "\(path) does not contain the line `full`")
        }
        return ResourceStall(resource, scope, some: some, full: full)
    }

    /// Returns the fraction of the last 10 s in which some or all tasks were stalled, 0…1; `nil` if the file
    /// doesn't contain the requested line.
    private func share(
        _ word: String, _ lines: [Substring], _ path: String
    ) throws(HostFileError) -> Double? {
        guard let line = lines.first(where: { $0.hasPrefix("\(word) ") }) else { return nil }
        guard let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }) else {
            throw HostFileError(reason: "\(path) does not contain avg10 in the line `\(word)`")
        }
        let text = field.dropFirst("avg10=".count)
        guard let percent = Double(text), (0...100).contains(percent) else {
            throw HostFileError(
                reason:
                    "\(path) contains avg10=\(String(text).printable(limit: 40)), which is not a valid percentage"
            )
        }
        return percent / 100
    }
}

extension ResourceStall.Resource {
    fileprivate var source: MissingSource.Source {
        switch self {
        case .processor: .processorStall
        case .storage: .storageStall
        case .memory: .memoryStall
        }
    }
}

/// Reads temperatures and trip points (kernel, Documentation/driver-api/thermal/sysfs-api.rst).
struct ThermalReader {
    let files: HostFiles

    private static let folder = "/sys/class/thermal"
    /// Plausible temperatures in thousandths of a degree Celsius. Values outside this range come from
    /// disabled or broken sensors.
    private static let plausibleRange: ClosedRange<Int64> = -40_000...150_000
    /// Plausible trip points in thousandths of a degree Celsius. A trip point at or below zero isn't set.
    private static let tripRange: ClosedRange<Int64> = 1...200_000
    /// Maximum number of trip points to read per zone (`THERMAL_MAX_TRIPS` was 12; since Linux 6.8, drivers
    /// may have a few more).
    private static let maxTripPoints = 32

    /// Reads all thermal zones that have a trip point into `state`.
    func read(into state: inout HostState) {
        let names = files.numberedEntries(withPrefix: "thermal_zone", in: Self.folder)
        guard !names.isEmpty else {
            state.missing.append(
                MissingSource(
                    .temperature,
                    "\(Self.folder)/thermal_zone* is missing, which is normal in virtual machines and many containers"
                ))
            return
        }
        for name in names {
            do throws(HostFileError) {
                state.zones.append(try zone(name))
            } catch {
                state.missing.append(MissingSource(.temperature, part: name, error.reason))
            }
        }
    }

    private func zone(_ name: String) throws(HostFileError) -> ThermalZone {
        let folder = "\(Self.folder)/\(name)"
        if try files.optionalText("\(folder)/mode") == "disabled" {
            throw HostFileError(reason: "the sensor is switched off")
        }
        let temperature = try files.integer("\(folder)/temp", in: Self.plausibleRange)
        var trips: [String: Temperature] = [:]
        for index in 0..<Self.maxTripPoints {
            guard let kind = try files.optionalText("\(folder)/trip_point_\(index)_type") else { break }
            // For a trip point that isn't set, some drivers return 0 or −274 °C, and others return an error.
            guard let value = try trip("\(folder)/trip_point_\(index)_temp") else { continue }
            // If several trip points have the same type, the trip point with the lowest temperature takes
            // effect first.
            trips[kind] = min(trips[kind] ?? value, value)
        }
        let zone = ThermalZone(
            name: [name, try files.optionalText("\(folder)/type")].compactMap(\.self).joined(separator: " "),
            temperature: Temperature(millidegrees: Int(temperature)), passive: trips["passive"],
            hot: trips["hot"], critical: trips["critical"])
        guard zone.passive != nil || zone.hot != nil || zone.critical != nil else {
            throw HostFileError(
                reason: "the temperature is \(zone.temperature), but no trip point is set for comparison")
        }
        return zone
    }

    /// Reads the temperature of a trip point; returns `nil` if the trip point isn't set.
    private func trip(_ path: String) throws(HostFileError) -> Temperature? {
        let text = try files.text(path)
        guard let value = Int64(text) else {
            throw HostFileError(
                reason: "\(path) contains `\(text.printable(limit: 40))`, which is not a number")
        }
        guard value > 0 else { return nil }
        guard Self.tripRange.contains(value) else {
            throw HostFileError(reason: "\(path) contains \(value), which is not a plausible value")
        }
        return Temperature(millidegrees: Int(value))
    }
}

/// Reads the state of batteries and mains power (kernel, Documentation/ABI/testing/sysfs-class-power).
struct PowerReader {
    let files: HostFiles

    private static let folder = "/sys/class/power_supply"
    /// Plausible battery values in µWh, µAh, µW, or µA. The upper limit is far above the values of real
    /// batteries.
    private static let plausibleRange: ClosedRange<Int64> = 0...1_000_000_000_000

    private struct Battery {
        let isDischarging: Bool
        let charge: Double?
        let hoursLeft: Double?
    }

    /// Reads the state of the power supply into `state`: whether the computer is running on battery power,
    /// the battery charge, and the remaining time.
    func read(into state: inout HostState) {
        var batteries: [Battery] = []
        var isKnown = false
        for name in files.entries(Self.folder) {
            do throws(HostFileError) {
                let folder = "\(Self.folder)/\(name)"
                // A battery with the scope `Device` belongs to a peripheral such as a mouse.
                if try files.optionalText("\(folder)/scope") == "Device" { continue }
                switch try files.text("\(folder)/type") {
                case "Battery", "UPS": if let battery = try battery(folder) { batteries.append(battery) }
                default: break
                }
                isKnown = true
            } catch {
                state.missing.append(MissingSource(.power, part: name, error.reason))
            }
        }
        guard isKnown else {
            if !state.missing.contains(where: { $0.source == .power }) {
                state.missing.append(
                    MissingSource(
                        .power,
                        "no power supply is reported, which is normal for many desktop computers, containers, and virtual machines"
                    ))
            }
            return
        }
        state.power = PowerSupply(
            isDischarging: batteries.contains(where: \.isDischarging),
            charge: batteries.compactMap(\.charge).max(), timeToEmpty: timeToEmpty(batteries))
    }

    /// Reads the state of one battery.
    ///
    /// - Returns: The state of the battery; `nil` if the battery bay is empty.
    private func battery(_ folder: String) throws(HostFileError) -> Battery? {
        if try files.optionalInteger("\(folder)/present", in: 0...1) == 0 { return nil }
        let isDischarging = try files.text("\(folder)/status") == "Discharging"
        let percent = try files.optionalInteger("\(folder)/capacity", in: 0...100)
        var hours: Double?
        for (store, flow) in [("energy_now", "power_now"), ("charge_now", "current_now")] where hours == nil {
            guard let content = try files.optionalInteger("\(folder)/\(store)", in: Self.plausibleRange),
                // Some drivers report a discharging current as a negative value.
                let rate = try files.optionalInteger(
                    "\(folder)/\(flow)", in: -Self.plausibleRange.upperBound...Self.plausibleRange.upperBound),
                rate != 0, isDischarging
            else { continue }
            hours = Double(content) / Double(rate.magnitude)
        }
        return Battery(
            isDischarging: isDischarging, charge: percent.map { Double($0) / 100 }, hoursLeft: hours)
    }

    /// Returns the minimum time until all batteries are empty. Batteries may be discharged sequentially or
    /// simultaneously, so the result is the longest time reported by any battery.
    private func timeToEmpty(_ batteries: [Battery]) -> Nanoseconds? {
        guard let hours = batteries.compactMap(\.hoursLeft).max() else { return nil }
        // If the discharge rate is near zero, the computed time isn't meaningful.
        return hours < 1000 ? Nanoseconds.seconds(rounding: hours * 3600) : nil
    }
}
