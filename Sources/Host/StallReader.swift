import Media

/// Reads pressure stall information of the machine, and of this process's own control group where there is one.
///
/// Format: kernel, Documentation/accounting/psi.rst: `some avg10=0.00 avg60=0.00 avg300=0.00 total=0`, then `full …`.
struct StallReader {
    let files: HostFiles

    /// Reads the stalls of all resources into `state`.
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
            // Only groups below the root have a type; a container's group is below the root, though it looks like it.
            guard try files.optionalText("\(folder)/cgroup.type") != nil else {
                throw HostFileError(
                    reason: "this process is in the topmost control group, which is the whole machine")
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
            throw HostFileError(reason: "\(path) has no line `some`")
        }
        let full = try share("full", lines, path)
        guard full != nil || resource == .processor else {
            throw HostFileError(reason: "\(path) has no line `full`")
        }
        return ResourceStall(resource, scope, some: some, full: full)
    }

    /// Reads the share of the last 10 s during which some or all tasks stalled, 0…1; `nil` where the file has no such
    /// line.
    private func share(
        _ word: String, _ lines: [Substring], _ path: String
    ) throws(HostFileError) -> Double? {
        guard let line = lines.first(where: { $0.hasPrefix("\(word) ") }) else { return nil }
        guard let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") }) else {
            throw HostFileError(reason: "\(path) has no avg10 in its line `\(word)`")
        }
        let text = field.dropFirst("avg10=".count)
        guard let percent = Double(text), (0...100).contains(percent) else {
            throw HostFileError(
                reason: "\(path) says avg10=\(String(text).printable(limit: 40)), which is no share of time")
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
