import Glibc
import MulticamMedia
import MulticamSyntheticMachines
import Testing

@testable import MulticamDoctor

@Suite("The doctor on simulated machines")
struct DoctorTests {
    @Test("a healthy machine passes all checks")
    func healthy() throws {
        let files = try HealthyMachine.files()
        let examination = DoctorReport(of: HealthyMachine.machine(files))
        let ill = examination.findings.filter { $0.level != .ok }
        #expect(ill.isEmpty, "\(ill.map(\.text))")
        #expect(examination.isHealthy)
        #expect(
            Set(examination.findings.map(\.check)) == [
                "camera.driver", "camera.access", "driver.clock", "driver.quirks", "driver.timeout",
                "driver.hwtimestamps", "driver.nodrop", "camera.virtual", "usb.speed", "usb.bandwidth",
                "usb.autosuspend",
                "sound.server", "sound.default", "sound.level", "storage.space", "storage.writable",
                "storage.kind", "storage.own", "system.governor", "system.encoder", "system.memory",
                "system.clock",
                "system.load", "system.priority", "system.udev", "system.limits", "log.kernel",
            ])
    }

    @Test(
        "each fault is found and reported with its fix, and nothing else is reported",
        arguments: machineFaults
    )
    func finds(_ illness: MachineFaultCase) throws {
        let files = try HealthyMachine.files()
        try illness.files(files)
        var machine = HealthyMachine.machine(files)
        illness.facts(&machine)
        let examination = DoctorReport(of: machine)
        let found = examination.findings.filter { $0.level != .ok }
        let all = found.map { "\($0.check) \($0.level): \($0.text)" }
        let finding = try #require(found.first { $0.check == illness.check }, "found \(all)")
        #expect(found.allSatisfy { $0.group == finding.group || $0.level == .unknown }, "\(all)")
        #expect(finding.level == illness.level)
        #expect(finding.repairCommand == illness.recommendedCommand)
        for words in illness.text { #expect(finding.text.contains(words), "\(finding.text)") }
        #expect(finding.text.hasSuffix(".") || finding.check.hasPrefix("log."))
        #expect(examination.isHealthy == (illness.level != .problem))
    }

    @Test("the microphones of a computer aren't checked if the profile doesn't use them")
    func mutedMicrophone() throws {
        let files = try HealthyMachine.files()
        let illness = try #require(
            Self.machineFaults.first { $0.check == "sound.level" && $0.level == .problem })
        var machine = HealthyMachine.machine(files)
        illness.facts(&machine)
        #expect(!DoctorReport(of: machine).isHealthy)
        machine.needsMicrophone = false
        #expect(DoctorReport(of: machine).isHealthy)
    }

    @Test("a profile without devices of this computer needs no camera and no sound server")
    func virtualDevices() throws {
        let files = try HealthyMachine.files()
        try files.remove("sys/class/video4linux")
        try files.remove("sys/bus/usb/devices/1-1")
        var machine = HealthyMachine.machine(files)
        machine.audio = .failure(DeviceError(device: "default", operation: "connecting", reason: .notFound))
        let checks = ["camera.present", "sound.server"]
        #expect(
            DoctorReport(of: machine).findings.filter { checks.contains($0.check) }.map(\.level) == [
                .warning, .problem,
            ])
        (machine.needsCamera, machine.needsMicrophone) = (false, false)
        #expect(
            DoctorReport(of: machine).findings.filter { checks.contains($0.check) }.map(\.level) == [
                .ok, .ok,
            ])
    }

    @Test("invalid and missing files don't cause a crash")
    func nonsense() throws {
        let files = try HealthyMachine.files()
        let rubbish = String(repeating: "\u{1B}[31m \\04 - -1 99999999999999999999 \u{0}", count: 200)
        let places = [
            "proc/meminfo", "proc/self/mountinfo", "sys/module/uvcvideo/parameters/quirks",
            "sys/module/uvcvideo/parameters/clock", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/speed",
            "sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/power/control",
            "sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/product",
            "sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/descriptors",
        ]
        for place in places {
            try files.write(place, rubbish)
            expectPrintable(DoctorReport(of: HealthyMachine.machine(files)))
        }
        let empty = try SyntheticMachine()
        var machine = HealthyMachine.machine(empty)
        machine.output = HealthyMachine.folder("/nonexistent", isWritable: false, free: nil)
        machine.wallClock = .min
        machine.kernelLog = .unreadable(errno: ENOENT)
        let examination = DoctorReport(of: machine)
        expectPrintable(examination)
        #expect(
            Set(examination.findings.filter { $0.level == .unknown }.map(\.check)) == [
                "driver.loaded", "storage.space", "storage.kind", "system.governor", "system.memory",
                "log.kernel",
            ])
    }

    private func expectPrintable(_ examination: DoctorReport) {
        for finding in examination.findings {
            let texts = [finding.text, finding.device ?? "", finding.repairCommand ?? ""]
            #expect(texts.allSatisfy { text in !text.unicodeScalars.contains { $0.value < 32 } })
        }
    }

    @Test("a path belongs to its deepest and latest mount, even if the mount's name contains spaces")
    func mounts() {
        let table = MountTable([
            "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
            "30 22 0:5 / /mnt/my\\040disk rw - vfat /dev/sdb1 rw",
            "31 22 0:6 / /mnt rw - tmpfs tmpfs rw",
            "32 22 0:7 / /mnt ro shared:2 master:1 - ext4 /dev/sdc1 rw",
            "33 22 0:8 / /data rw - xfs /dev/sdd1 ro", "", "nonsense", "1 2 3 4 5 6 -", "a b c d e f g - h",
        ])
        #expect(table.mount(of: "/home")?.kind == "ext4")
        #expect(table.mount(of: "/mnt/my disk/x")?.kind == "vfat")
        #expect(table.mount(of: "/mnt") == MountTable.Mount(folder: "/mnt", kind: "ext4", isReadOnly: true))
        #expect(table.mount(of: "/mntx")?.folder == "/")
        #expect(table.mount(of: "/data")?.isReadOnly == true)
    }

    @Test("kernel log records are stripped of their prefix and continuation lines")
    func kernelRecords() {
        #expect(
            KernelLog.message(
                of: Array("6,339,5140900,-;usb 1-2: a\u{1B} device; new\n SUBSYSTEM=usb\n".utf8))
                == "usb 1-2: a? device; new")
        #expect(KernelLog.message(of: Array("nonsense".utf8)) == nil)
        #expect(KernelLog.message(of: []) == nil)
    }

    @Test("this machine can be examined, too")
    func thisMachine() {
        let examination = DoctorReport(output: ".")
        #expect(examination.findings.contains { $0.check == "storage.space" })
        expectPrintable(examination)
    }
}
