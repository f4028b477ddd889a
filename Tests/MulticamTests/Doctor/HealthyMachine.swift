import MulticamCapture
import MulticamSyntheticMachines

@testable import MulticamDoctor

/// A machine without problems, to which tests add faults.
enum HealthyMachine {
    static func files() throws -> SyntheticMachine {
        let files = try SyntheticMachine()
        try files.bus(1)
        try files.camera("usb1/1-1", node: 0)
        let parameters = [
            "clock": "CLOCK_MONOTONIC", "quirks": "4294967295", "timeout": "5000", "hwtimestamps": "0",
            "nodrop": "0",
        ]
        for (name, value) in parameters {
            try files.write("sys/module/uvcvideo/parameters/\(name)", "\(value)\n")
        }
        for processor in 0..<2 {
            let folder = "sys/devices/system/cpu/cpu\(processor)/cpufreq"
            try files.write("\(folder)/scaling_governor", "schedutil\n")
            try files.write("\(folder)/scaling_driver", "acpi-cpufreq\n")
        }
        try files.write("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable:   8000000 kB\n")
        try files.write("proc/self/mountinfo", "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n")
        try files.write("proc/self/limits", limits())
        try files.write("run/udev/control", "")
        try files.write("run/systemd/timesync/synchronized", "")
        return files
    }

    /// Returns the text of `/proc/self/limits`.
    static func limits(
        files: String = "1024 524288", processes: String = "63000 63000",
        space: String = "unlimited unlimited",
        size: String = "unlimited unlimited"
    ) -> String {
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max file size             \(size) bytes
        Max processes             \(processes) processes
        Max open files            \(files) files
        Max address space         \(space) bytes

        """
    }

    static func machine(_ files: SyntheticMachine) -> Machine {
        Machine(
            root: files.root, user: UserGroups(id: 0, groups: [0], groupsAtLogin: [0]),
            usb: USBTree(sysfs: files.sysfs),
            videoNodes: VideoNode.all(sysfs: files.sysfs).filter { $0.index == 0 },
            access: VideoNode.all(sysfs: files.sysfs).map { access($0.node, isAllowed: true) },
            audio: .success(survey(microphone())), output: folder("/home/ann/recordings"),
            ownFolders: [folder("/home/ann/.config/multicam"), folder("/home/ann/.local/state/multicam")],
            wallClock: 1_795_000_000,
            kernelLog: .messages(["usb 1-1: new high-speed USB device number 2 using ehci-pci"]),
            shareOfOtherPrograms: 0.1)
    }

    static func access(_ node: String, isAllowed: Bool, mode: UInt32 = 0o660) -> Machine.NodeAccess {
        Machine.NodeAccess(
            permissions: NodePermissions(node: node, mode: mode, owner: 0, group: 44, groupName: "video"),
            isAllowed: isAllowed)
    }

    static func folder(_ path: String, isWritable: Bool = true, free: Int64? = 100_000_000_000)
        -> FolderFacts
    {
        FolderFacts(path: path, existing: path, isWritable: isWritable, freeBytes: free)
    }

    static func microphone(muted: Bool = false, percent: Int = 80, flat: Bool = false)
        -> PulseConfiguration.Source
    {
        PulseConfiguration.Source(
            name: "mic one", description: "Studio Microphone", isMuted: muted, volumePercent: percent,
            hasFlatVolume: flat)
    }

    static func survey(
        _ sources: PulseConfiguration.Source..., chosen: String? = "mic one", modules: [String] = []
    ) -> PulseConfiguration {
        PulseConfiguration(
            server: "pulseaudio 16.1", defaultSource: chosen, sources: sources, modules: modules)
    }
}
