internal import Media

extension HostFiles {
    /// The folder of this process's control group of version 2 (kernel, admin-guide/cgroup-v2.rst).
    ///
    /// - Throws: `HostFileError` when there is none, or it lies outside what a container shows.
    func ownControlGroup() throws(HostFileError) -> String {
        let lines = try text("/proc/self/cgroup").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("0::/") }) else {
            throw HostFileError(reason: "this process is in no control group of version 2")
        }
        let path = line.dropFirst("0::".count)
        guard path == "/" || String(path.dropFirst()).isPathWithin else {
            throw HostFileError(reason: "this process's control group lies outside this container")
        }
        let mount = try controlGroups()
        return path == "/" ? mount : mount + path
    }

    /// The folder where control groups of version 2 are mounted: alone, or beside those of version 1.
    func controlGroups() throws(HostFileError) -> String {
        for folder in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
            if try optionalText("\(folder)/cgroup.controllers") != nil { return folder }
        }
        throw HostFileError(reason: "control groups of version 2 are not mounted below /sys/fs/cgroup")
    }
}
