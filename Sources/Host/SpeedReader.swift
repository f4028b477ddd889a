import Media

/// Reads the speed that the processors may run at (kernel, Documentation/admin-guide/pm/cpufreq.rst), and Intel's
/// counts of thermal throttling (Documentation/ABI/testing/sysfs-devices-system-cpu, `thermal_throttle`).
struct SpeedReader {
    let files: HostFiles

    private static let folder = "/sys/devices/system/cpu"
    /// Plausible frequencies: 1 MHz…100 GHz, in kHz.
    private static let possible: ClosedRange<Int64> = 1000...100_000_000

    /// Reads the allowed speed and the throttling counts into `state`.
    func read(into state: inout HostState) {
        let names = files.numbered("cpu", in: Self.folder)
        let throttlings = readThrottlings(names, into: &state)
        var (allowed, possible) = (0.0, 0.0)
        var (capped, count) = (0, 0)
        for name in names {
            do throws(HostFileError) {
                // A processor that is switched off has no cpufreq folder.
                let folder = "\(Self.folder)/\(name)/cpufreq"
                guard let most = try files.optionalInteger("\(folder)/cpuinfo_max_freq", in: Self.possible)
                else { continue }
                let may = min(try files.integer("\(folder)/scaling_max_freq", in: Self.possible), most)
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
                        "no processor has a cpufreq folder: virtual machines do not know their processor's speed"
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

    /// The sum of throttlings over all cores, plus the highest count of a package, which each of the package's
    /// processors repeats.
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
                    "no processor counts it (thermal_throttle is Intel's, and not in virtual machines)"))
            return nil
        }
        return cores + packages
    }
}
