import Foundation
import Glibc
import MulticamMedia
import MulticamSyntheticMachines
import Testing

@testable import MulticamSystem

@Suite("state of the host computer")
struct ThisHostTests {
    private func state(_ machine: SyntheticMachine) -> HostState {
        ThisHost(root: machine.root).read(folder: machine.root, at: ClockTime(nanoseconds: 0))
    }

    @Test("an ordinary computer has all values, and no missing sources")
    func ordinary() throws {
        let state = state(try Studio.machine())
        #expect(state.missing.isEmpty)
        #expect(
            state.stalls.filter { $0.scope == .machine }
                == ResourceStall.Resource.allCases.map {
                    ResourceStall($0, .machine, some: 0.015, full: 0.0025)
                })
        #expect(
            state.stalls.filter { $0.scope == .ownGroup }
                == ResourceStall.Resource.allCases.map {
                    ResourceStall($0, .ownGroup, some: 0.03, full: 0.005)
                })
        #expect(
            state.zones == [
                ThermalZone(
                    name: "thermal_zone0 x86_pkg_temp", temperature: Temperature(degrees: 61),
                    passive: Temperature(degrees: 95), critical: Temperature(degrees: 105)),
                ThermalZone(
                    name: "thermal_zone1 acpitz", temperature: Temperature(degrees: 45),
                    hot: Temperature(degrees: 98), critical: Temperature(degrees: 99)),
            ])
        // The result is the sum of the cores' counts plus the package count, which is added only once.
        #expect(
            state.speed == ProcessorSpeed(allowed: 1, capped: 0, count: 4, throttlings: 0 + 1 + 2 + 3 + 7))
        #expect(state.share == ProcessorShare(processors: 4))
        #expect(state.power == PowerSupply(isDischarging: false, charge: 0.8))
        #expect((state.disk?.freeBytes ?? 0) > 0)
    }

    @Test("on a computer without any of the files, all sources are missing and all values are unknown")
    func nothing() throws {
        let state = state(try SyntheticMachine())
        #expect(state.stalls.isEmpty && state.zones.isEmpty)
        #expect(state.speed == nil && state.share == nil && state.power == nil)
        #expect(
            Set(state.missing.map(\.source))
                == Set(MissingSource.Source.allCases).subtracting([.disk, .all]))
        #expect(Set(state.missing.map(\.source)).count == state.missing.count)
        for missing in state.missing { #expect(missing.description.hasSuffix(".")) }
    }

    @Test("if the folder was deleted, the disk is missing")
    func noFolder() throws {
        let machine = try Studio.machine()
        let state = ThisHost(root: machine.root).read(
            folder: machine.root + "/gone", at: ClockTime(nanoseconds: 0))
        #expect(state.disk == nil)
        #expect(state.missing.map(\.source) == [.disk])
    }

    @Test("the sizes of the recording's files are summed")
    func recorded() throws {
        let machine = try SyntheticMachine()
        try machine.write("session/cameras/desk.mov", [UInt8](repeating: 1, count: 3000))
        try machine.write("session/manifest.json", [UInt8](repeating: 1, count: 200))
        let state = ThisHost().read(folder: machine.root + "/session", at: ClockTime(nanoseconds: 0))
        #expect(state.disk?.recordedBytes == 3200)
    }

    @Test(
        "invalid content of a file is reported, and the other files are still used",
        arguments: [
            ("proc/pressure/cpu", "some avg10=nan avg60=0 avg300=0 total=0\n", .processorStall, "avg10=nan"),
            ("proc/pressure/cpu", "some avg10=100.01 total=0\n", .processorStall, "100.01"),
            ("proc/pressure/cpu", "some avg10=-1 total=0\n", .processorStall, "avg10=-1"),
            ("proc/pressure/cpu", "", .processorStall, "contain the line `some`"),
            ("proc/pressure/io", "some avg10=1.0 total=0\n", .storageStall, "contain the line `full`"),
            ("proc/pressure/memory", "some total=0\n", .memoryStall, "contain avg10"),
            ("proc/pressure/memory", "some avg10=1e999\n", .memoryStall, "1e999"),
            ("sys/fs/cgroup/studio.slice/cpu.pressure", "\u{1B}[2J", .groupStall, "contain the line `some`"),
            ("proc/self/cgroup", "4:memory:/x\n", .groupStall, "version 2"),
            ("proc/self/cgroup", "0::/../../x\n", .groupStall, "outside this container"),
            ("proc/self/status", "Name: x\n", .share, "Cpus_allowed_list"),
            ("proc/self/status", "Cpus_allowed_list:\t3-1\n", .share, "3-1"),
            ("proc/self/status", "Cpus_allowed_list:\t0-99999999999\n", .share, "not a CPU list"),
            ("sys/fs/cgroup/studio.slice/cpu.max", "0 0\n", .share, "not a quota"),
            ("sys/fs/cgroup/studio.slice/cpu.max", "200000 100000\n", .share, "cpu.stat"),
            ("sys/fs/cgroup/cgroup.controllers", "memory\n", .share, "version 1"),
            ("sys/class/thermal/thermal_zone0/temp", "999999999\n", .temperature, "999999999"),
            ("sys/class/thermal/thermal_zone0/temp", "-273150\n", .temperature, "-273150"),
            ("sys/class/thermal/thermal_zone0/temp", "warm\u{7}\n", .temperature, "`warm`"),
            ("sys/class/thermal/thermal_zone0/temp", "99999999999999999999\n", .temperature, "not a number"),
            ("sys/class/thermal/thermal_zone0/trip_point_1_temp", "x\n", .temperature, "`x`"),
            ("sys/class/thermal/thermal_zone0/trip_point_0_temp", "7000000\n", .temperature, "7000000"),
            ("sys/class/thermal/thermal_zone0/mode", "disabled\n", .temperature, "switched off"),
            ("sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq", "0\n", .speed, "contains 0"),
            (
                "sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq", "<unsupported>\n", .speed,
                "<unsupported>"
            ),
            ("sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count", "-4\n", .throttling, "-4"),
            ("sys/class/power_supply/BAT0/capacity", "101\n", .power, "101"),
            ("sys/class/power_supply/BAT0/present", "2\n", .power, "contains 2"),
        ] as [(String, String, MissingSource.Source, String)])
    func nonsense(file: String, content: String, source: MissingSource.Source, says: String) throws {
        let machine = try Studio.machine()
        try machine.write(file, content)
        let state = state(machine)
        #expect(Set(state.missing.map(\.source)).contains(source))
        let missing = try #require(state.missing.first { $0.source == source })
        #expect(missing.reason.replacing("?", with: "").contains(says))
        #expect(missing.reason == missing.reason.printable(limit: 300))
        let healthy = self.state(try Studio.machine())
        if source != .temperature { #expect(state.zones == healthy.zones) }
        if source == .temperature { #expect(state.zones == Array(healthy.zones.dropFirst())) }
        if source != .share { #expect(state.share == healthy.share || file == "proc/self/cgroup") }
    }

    @Test(
        "only the source of a deleted file is missing",
        arguments: [
            ("proc/pressure/cpu", [.processorStall]), ("proc/pressure/io", [.storageStall]),
            ("proc/pressure/memory", [.memoryStall]),
            ("sys/fs/cgroup/studio.slice/io.pressure", [.groupStall]),
            ("proc/self/cgroup", [.groupStall, .share]), ("proc/self/status", [.share]),
            ("sys/class/thermal", [.temperature]), ("sys/class/thermal/thermal_zone0/temp", [.temperature]),
            ("sys/class/thermal/thermal_zone0/trip_point_0_temp", [.temperature]),
            ("sys/devices/system/cpu", [.throttling, .speed]),
            ("sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", [.speed]),
            ("sys/class/power_supply", [.power]), ("sys/class/power_supply/BAT0/status", [.power]),
        ] as [(String, [MissingSource.Source])])
    func gone(file: String, sources: [MissingSource.Source]) throws {
        let machine = try Studio.machine()
        try machine.remove(file)
        #expect(state(machine).missing.map(\.source) == sources)
    }

    @Test("a FIFO, a folder, or an endless file instead of a regular file is ignored without blocking")
    func noFiles() throws {
        let machine = try Studio.machine()
        for file in ["proc/pressure/cpu", "proc/pressure/io", "proc/pressure/memory"] {
            try machine.remove(file)
        }
        #expect(mkfifo("\(machine.root)/proc/pressure/cpu", 0o600) == 0)
        try machine.folder("proc/pressure/io")
        try machine.link("proc/pressure/memory", to: "/dev/zero", isOutside: true)
        try machine.write("proc/self/status", [UInt8](repeating: 65, count: 10_000_000))
        let state = state(machine)
        #expect(state.missing.map(\.source) == [.processorStall, .storageStall, .memoryStall, .share])
        #expect(state.missing.prefix(3).allSatisfy { $0.reason.contains("is not a regular file") })
        #expect(state.missing.last?.reason.contains("4096 bytes") == true)
    }

    @Test("kernels before 5.13 do not report full processor stalls, which is not an error")
    func oldKernel() throws {
        let machine = try Studio.machine()
        try machine.write("proc/pressure/cpu", "some avg10=12.00 avg60=0 avg300=0 total=0\n")
        let state = state(machine)
        #expect(state.missing.isEmpty)
        #expect(state.stalls.first == ResourceStall(.processor, .machine, some: 0.12, full: nil))
    }

    @Test("the lowest quota of the control group and its parents applies")
    func quota() throws {
        let machine = try Studio.machine()
        try machine.write("proc/self/cgroup", "0::/studio.slice/inner.scope\n")
        for resource in ["cpu", "io", "memory"] {
            try machine.write(
                "sys/fs/cgroup/studio.slice/inner.scope/\(resource).pressure",
                Studio.stall(some: "0", full: "0"))
        }
        try machine.write("sys/fs/cgroup/studio.slice/inner.scope/cgroup.type", "domain\n")
        try machine.write("sys/fs/cgroup/studio.slice/inner.scope/cpu.max", "300000 100000\n")
        try machine.write("sys/fs/cgroup/studio.slice/cpu.max", "150000 100000\n")
        try machine.write(
            "sys/fs/cgroup/studio.slice/cpu.stat",
            "usage_usec 5\nnr_periods 400\nnr_throttled 100\nthrottled_usec 9\n")
        let state = state(machine)
        #expect(state.missing.isEmpty)
        #expect(
            state.share == ProcessorShare(processors: 4, quota: 1.5, periods: 400, throttledPeriods: 100))
        #expect(state.share?.usable == 1.5)
    }

    @Test(
        "the group of a container is used even if its path is the root; the machine's root group is not"
    )
    func topmostGroup() throws {
        let machine = try Studio.machine()
        try machine.write("proc/self/cgroup", "0::/\n")
        for resource in ["cpu", "io", "memory"] {
            try machine.write("sys/fs/cgroup/\(resource).pressure", Studio.stall(some: "9.00", full: "9.00"))
        }
        #expect(state(machine).missing.map(\.source) == [.groupStall])
        #expect(state(machine).stalls.count == 3)
        try machine.write("sys/fs/cgroup/cgroup.type", "domain\n")
        try machine.write("sys/fs/cgroup/cpu.max", "50000 100000\n")
        try machine.write("sys/fs/cgroup/cpu.stat", "nr_periods 10\nnr_throttled 3\n")
        let inside = state(machine)
        #expect(inside.missing.isEmpty)
        #expect(inside.stalls.last == ResourceStall(.memory, .ownGroup, some: 0.09, full: 0.09))
        #expect(inside.share == ProcessorShare(processors: 4, quota: 0.5, periods: 10, throttledPeriods: 3))
    }

    @Test("capped processors count with their allowed frequency, and offline processors do not count")
    func capped() throws {
        let machine = try Studio.machine()
        try machine.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", "2000000\n")
        try machine.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_max_freq", "1000000\n")
        try machine.remove("sys/devices/system/cpu/cpu3/cpufreq")
        let speed = try #require(state(machine).speed)
        #expect(speed.capped == 2 && speed.count == 3)
        #expect(abs(speed.allowed - 7.0 / 12) < 1e-9)
    }

    @Test("a discharging battery has a time to empty")
    func battery() throws {
        let machine = try Studio.machine()
        try Studio.battery(machine, status: "Discharging", capacity: "30")
        try Studio.write(machine, "sys/class/power_supply/AC", ["online": "0"])
        #expect(
            state(machine).power
                == PowerSupply(isDischarging: true, charge: 0.3, timeToEmpty: .seconds(1800)))
        // The driver reports charge and current instead of energy and power. The current is negative.
        try machine.remove("sys/class/power_supply/BAT0/energy_now")
        try Studio.write(
            machine, "sys/class/power_supply/BAT0", ["charge_now": "1000000", "current_now": "-500000"])
        #expect(state(machine).power?.timeToEmpty == .seconds(7200))
        // With a current of 0, the time is unknown.
        try Studio.write(machine, "sys/class/power_supply/BAT0", ["current_now": "0"])
        #expect(state(machine).power?.timeToEmpty == nil)
    }

    @Test("unset trip points are ignored, and the lowest of each type applies")
    func trips() throws {
        let machine = try Studio.machine()
        try Studio.zone(
            machine, 0, type: "cpu", temperature: "50000",
            trips: [("passive", "-274000"), ("passive", "90000"), ("passive", "85000"), ("critical", "0")])
        #expect(
            state(machine).zones.first
                == ThermalZone(
                    name: "thermal_zone0 cpu", temperature: Temperature(degrees: 50),
                    passive: Temperature(degrees: 85)))
        try Studio.zone(
            machine, 1, type: "acpitz", temperature: "27800",
            trips: [("active", "0"), ("hot", "0"), ("critical", "0")])
        let missing = try #require(state(machine).missing.first)
        #expect(missing.part == "thermal_zone1" && missing.reason.contains("no trip point"))
    }

    @Test("control characters in driver names are not printed to the terminal")
    func names() throws {
        let machine = try Studio.machine()
        try machine.write("sys/class/thermal/thermal_zone0/type", "evil\u{1B}[31m\n")
        #expect(state(machine).zones.first?.name == "thermal_zone0 evil?[31m")
    }
}
