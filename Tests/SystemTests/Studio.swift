import MulticamSyntheticMachines

/// A synthetic computer with ordinary values in all files. It is a plugged-in laptop with four processors.
enum Studio {
    static func machine() throws -> SyntheticMachine {
        let machine = try SyntheticMachine()
        for resource in ["cpu", "io", "memory"] {
            try machine.write("proc/pressure/\(resource)", stall(some: "1.50", full: "0.25"))
            try machine.write(
                "sys/fs/cgroup/studio.slice/\(resource).pressure", stall(some: "3.00", full: "0.50"))
        }
        try machine.write("proc/self/cgroup", "0::/studio.slice\n")
        try machine.write(
            "proc/self/status",
            "Name:\tmulticam\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,3\nMems_allowed:\t1\n")
        try machine.write("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n")
        try machine.write("sys/fs/cgroup/studio.slice/cgroup.type", "domain\n")
        try machine.write("sys/fs/cgroup/studio.slice/cpu.max", "max 100000\n")
        try zone(
            machine, 0, type: "x86_pkg_temp", temperature: "61000",
            trips: [("passive", "95000"), ("critical", "105000")])
        try zone(
            machine, 1, type: "acpitz", temperature: "45000",
            trips: [("active", "0"), ("hot", "98000"), ("critical", "99000")])
        for index in 0..<4 {
            try write(
                machine, "sys/devices/system/cpu/cpu\(index)",
                [
                    "cpufreq/cpuinfo_max_freq": "4000000", "cpufreq/scaling_max_freq": "4000000",
                    "thermal_throttle/core_throttle_count": "\(index)",
                    "thermal_throttle/package_throttle_count": "7",
                ])
        }
        try machine.folder("sys/devices/system/cpu/cpuidle")
        try write(machine, "sys/class/power_supply/AC", ["type": "Mains", "online": "1"])
        try battery(machine, status: "Not charging", capacity: "80")
        try write(
            machine, "sys/class/power_supply/hidpp_battery_0",
            [
                "type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "3",
            ])
        return machine
    }

    static func stall(some: String, full: String) -> String {
        """
        some avg10=\(some) avg60=0.10 avg300=0.05 total=12345
        full avg10=\(full) avg60=0.00 avg300=0.00 total=1234

        """
    }

    static func zone(
        _ machine: SyntheticMachine, _ number: Int, type: String, temperature: String,
        trips: [(String, String)]
    ) throws {
        let folder = "sys/class/thermal/thermal_zone\(number)"
        try write(machine, folder, ["type": type, "temp": temperature, "mode": "enabled"])
        for (index, trip) in trips.enumerated() {
            try write(
                machine, folder, ["trip_point_\(index)_type": trip.0, "trip_point_\(index)_temp": trip.1])
        }
    }

    static func battery(_ machine: SyntheticMachine, status: String, capacity: String) throws {
        try write(
            machine, "sys/class/power_supply/BAT0",
            [
                "type": "Battery", "present": "1", "status": status, "capacity": capacity,
                "energy_now": "20000000", "power_now": "40000000",
            ])
    }

    static func write(_ machine: SyntheticMachine, _ folder: String, _ values: [String: String]) throws {
        for (name, value) in values { try machine.write("\(folder)/\(name)", "\(value)\n") }
    }
}
