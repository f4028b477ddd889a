import Glibc
import MulticamCapture
import MulticamMedia
import MulticamSyntheticMachines

@testable import MulticamDoctor
@testable import MulticamSetup

private let camera = "sys/devices/pci0000:00/0000:00:14.0/usb1/1-1"
private let parameters = "sys/module/uvcvideo/parameters"

extension DoctorTests {
    static let machineFaults = cameras + driver + usb + audio + storage + computer + log

    private static let ann = UserGroups(id: 1000, groups: [1000], groupsAtLogin: [1000])

    private static let cameras = [
        MachineFaultCase(
            "no camera",
            files: {
                try $0.remove("sys/class/video4linux")
                try $0.remove("sys/bus/usb/devices/1-1")
            }, "camera.present", .warning, "no camera is connected"),
        MachineFaultCase(
            "uvcvideo is not loaded",
            files: {
                try $0.remove("sys/class/video4linux")
                try $0.remove("sys/module/uvcvideo")
                try $0.remove("\(camera)/1-1:1.0/driver")
            }, "camera.driver", .problem, "Studio Webcam", "not loaded",
            recommendedCommand: "modprobe uvcvideo"),
        MachineFaultCase(
            "uvcvideo does not have the camera",
            files: {
                try $0.remove("sys/class/video4linux")
                try $0.remove("\(camera)/1-1:1.0/driver")
            }, "camera.driver", .problem, "not attached",
            recommendedCommand: "echo 1-1:1.0 | tee /sys/bus/usb/drivers/uvcvideo/bind"),
        MachineFaultCase(
            "a program drives the camera by itself",
            files: {
                try $0.remove("sys/class/video4linux")
                try $0.link("\(camera)/1-1:1.0/driver", to: "sys/bus/usb/drivers/usbfs")
            }, "camera.driver", .problem, "usbfs"),
        MachineFaultCase(
            "another driver has the camera",
            files: { try $0.link("\(camera)/1-1:1.0/driver", to: "sys/bus/usb/drivers/gspca_main") },
            "camera.driver", .warning, "gspca_main"),
        MachineFaultCase(
            "a virtual camera that browsers do not list",
            files: {
                try $0.write("sys/module/v4l2loopback/parameters/exclusive_caps", "N,N,N,N\n")
                try $0.write("sys/devices/virtual/video4linux/video9/name", "My camera\n")
            }, "camera.virtual", .warning, "browsers don't list My camera",
            recommendedCommand:
                "modprobe -r v4l2loopback && modprobe v4l2loopback video_nr=9 exclusive_caps=1 card_label='My camera'"
        ),
        MachineFaultCase(
            "a profile publishes to a virtual camera that is not there",
            facts: { $0.publishedNodes = ["/dev/video12"] }, "camera.virtual", .problem,
            "the profile publishes to /dev/video12",
            recommendedCommand: "modprobe v4l2loopback video_nr=12 exclusive_caps=1 card_label=multicam"),
        MachineFaultCase(
            "a profile publishes to another virtual camera than there is",
            files: {
                try $0.write("sys/module/v4l2loopback/parameters/exclusive_caps", "Y,N,N,N\n")
                try $0.write("sys/devices/virtual/video4linux/video9/name", "My camera\n")
            }, facts: { $0.publishedNodes = ["/dev/video9", "/dev/video12"] }, "camera.virtual", .problem,
            "this v4l2loopback device does not exist",
            recommendedCommand:
                "modprobe -r v4l2loopback && modprobe v4l2loopback video_nr=12 exclusive_caps=1 card_label=multicam"
        ),
        MachineFaultCase(
            "the node is missing", facts: { $0.access = [] }, "camera.access", .problem,
            "--device /dev/video0"),
        MachineFaultCase(
            "not in the group",
            facts: {
                $0.user = ann
                $0.access = [HealthyMachine.access("/dev/video0", isAllowed: false)]
            }, "camera.access", .problem, "Studio Webcam: permission denied",
            recommendedCommand: "sudo usermod -aG video $USER"),
        MachineFaultCase(
            "in the group since this login",
            facts: {
                $0.user = UserGroups(id: 1000, groups: [1000], groupsAtLogin: [1000, 44])
                $0.access = [HealthyMachine.access("/dev/video0", isAllowed: false)]
            }, "camera.access", .problem, "after you logged in", recommendedCommand: "newgrp video"),
        MachineFaultCase(
            "closed to all groups",
            facts: {
                $0.user = ann
                $0.access = [HealthyMachine.access("/dev/video0", isAllowed: false, mode: 0o600)]
            }, "camera.access", .problem, "only root can open the device",
            recommendedCommand: "sudo chgrp video /dev/video0 && sudo chmod g+rw /dev/video0"),
        MachineFaultCase(
            "the container does not pass the camera on",
            files: { try $0.write(".dockerenv", "") },
            facts: { $0.access = [HealthyMachine.access("/dev/video0", isAllowed: false)] },
            "camera.access", .problem, "device cgroup", "--device /dev/video0"),
        MachineFaultCase(
            "in use", files: { try $0.program(4312, "o\u{7}bs", holding: ["/dev/video0"]) }, "camera.use",
            .warning, "`o?bs` (process 4312)", recommendedCommand: "kill 4312"),
        MachineFaultCase(
            "programs of others cannot be seen", facts: { $0.user = ann }, "camera.use", .unknown,
            "only root", recommendedCommand: "sudo fuser -v /dev/video0"),
    ]

    private static let driver = [
        MachineFaultCase(
            "the wall clock dates frames",
            files: { try $0.write("\(parameters)/clock", "CLOCK_REALTIME\n") },
            "driver.clock", .problem, "CLOCK_REALTIME",
            recommendedCommand: "echo CLOCK_MONOTONIC | tee /sys/module/uvcvideo/parameters/clock"),
        MachineFaultCase(
            "FIX_BANDWIDTH", files: { try $0.write("\(parameters)/quirks", "128\n") }, "driver.quirks",
            .warning, "0x80", "only for uncompressed formats",
            recommendedCommand: "echo 4294967295 | tee /sys/module/uvcvideo/parameters/quirks"),
        MachineFaultCase(
            "quirks are off", files: { try $0.write("\(parameters)/quirks", "0\n") }, "driver.quirks",
            .warning, "0x0", "are disabled",
            recommendedCommand: "echo 4294967295 | tee /sys/module/uvcvideo/parameters/quirks"),
        MachineFaultCase(
            "a short timeout", files: { try $0.write("\(parameters)/timeout", "100\n") }, "driver.timeout",
            .warning, "100 ms", recommendedCommand: "echo 5000 | tee /sys/module/uvcvideo/parameters/timeout"),
        MachineFaultCase(
            "time stamps of the camera", files: { try $0.write("\(parameters)/hwtimestamps", "1\n") },
            "driver.hwtimestamps", .warning, "hardware clocks",
            recommendedCommand: "echo 0 | tee /sys/module/uvcvideo/parameters/hwtimestamps"),
    ]

    private static let usb = [
        MachineFaultCase(
            "a full-speed camera", files: { try $0.write("\(camera)/speed", "12\n") }, "usb.speed", .problem,
            "12 Mbit/s"),
        MachineFaultCase(
            "a USB 3 camera at a USB 2 port",
            files: {
                try $0.write("\(camera)/descriptors", USBBytes.webcam(version: 0x0210))
                try $0.write("\(camera)/bos_descriptors", USBBytes.capabilities([2, 3]))
            }, "usb.speed", .warning, "supports USB 3", "480 Mbit/s"),
        MachineFaultCase(
            "a camera that may know USB 3",
            files: { try $0.write("\(camera)/descriptors", USBBytes.webcam(version: 0x0210)) }, "usb.speed",
            .unknown, "lsusb", recommendedCommand: "lsusb -v -d 046d:082d | grep -i superspeed"),
        MachineFaultCase(
            "speed unknown", files: { try $0.remove("\(camera)/speed") }, "usb.speed", .unknown,
            "doesn't report"),
        MachineFaultCase(
            "two cameras that may ask for too much",
            files: { try $0.camera("usb1/1-2", node: 1, product: "Cheap Webcam") }, "usb.bandwidth", .warning,
            "Studio Webcam (/dev/video0), Cheap Webcam (/dev/video1)", "0000:00:14.0", "3072 + 3072"),
        MachineFaultCase(
            "cameras that cannot run together",
            files: { files in
                for port in 1...2 {
                    try files.camera(
                        "usb1/1-\(port)", node: port - 1, descriptors: USBBytes.webcam(payloads: [3072]))
                }
            }, "usb.bandwidth", .problem, "can't run together"),
        MachineFaultCase(
            "autosuspend", files: { try $0.write("\(camera)/power/control", "auto\n") }, "usb.autosuspend",
            .warning, "after 2000 ms",
            recommendedCommand: "echo on | tee /sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/power/control"),
        MachineFaultCase(
            "sleep unknown", files: { try $0.remove("\(camera)/power") }, "usb.autosuspend", .unknown,
            "doesn't report"),
    ]

    private static func audio(_ survey: PulseConfiguration) -> @Sendable (inout Machine) -> Void {
        { $0.audio = .success(survey) }
    }

    private static let monitor = PulseConfiguration.Source(
        name: "out.monitor", description: "Monitor of Speakers", isMonitor: true)

    private static let audio = [
        MachineFaultCase(
            "no sound server",
            facts: {
                $0.audio = .failure(
                    DeviceError(
                        device: "PulseAudio", operation: "connecting",
                        reason: .noSoundServer("Connection refused")
                    ))
            }, "sound.server", .problem, "Connection refused", recommendedCommand: "pulseaudio --start"),
        MachineFaultCase(
            "no PipeWire",
            files: { try $0.write("usr/bin/pipewire-pulse", "") },
            facts: {
                $0.audio = .failure(
                    DeviceError(device: "PulseAudio", operation: "connecting", reason: .noSoundServer("no")))
            }, "sound.server", .problem, "no sound server",
            recommendedCommand: "systemctl --user start pipewire-pulse"),
        MachineFaultCase(
            "sound cards that are closed",
            facts: {
                $0.user = ann
                $0.audio = .failure(
                    DeviceError(device: "PulseAudio", operation: "connecting", reason: .noSoundServer("no")))
                let permissions = NodePermissions(
                    node: "/dev/snd/pcmC0D0c", mode: 0o660, owner: 0, group: 29, groupName: "audio")
                $0.access.append(Machine.NodeAccess(permissions: permissions, isAllowed: false))
            }, "sound.access", .problem, "Join the group", recommendedCommand: "sudo usermod -aG audio $USER"),
        MachineFaultCase(
            "no microphone", facts: audio(HealthyMachine.survey(chosen: nil)), "sound.default", .warning,
            "no microphone is available"),
        MachineFaultCase(
            "no default", facts: audio(HealthyMachine.survey(HealthyMachine.microphone(), chosen: "gone")),
            "sound.default", .warning, "no default microphone is set",
            recommendedCommand: "pactl set-default-source 'mic one'"),
        MachineFaultCase(
            "a monitor is the default",
            facts: audio(HealthyMachine.survey(monitor, HealthyMachine.microphone(), chosen: "out.monitor")),
            "sound.default", .warning, "Monitor of Speakers",
            recommendedCommand: "pactl set-default-source 'mic one'"),
        MachineFaultCase(
            "muted", facts: audio(HealthyMachine.survey(HealthyMachine.microphone(muted: true))),
            "sound.level", .problem, "is muted", recommendedCommand: "pactl set-source-mute 'mic one' 0"),
        MachineFaultCase(
            "at 0 %", facts: audio(HealthyMachine.survey(HealthyMachine.microphone(percent: 0))),
            "sound.level", .problem, "0 %", recommendedCommand: "pactl set-source-volume 'mic one' 100%"),
        MachineFaultCase(
            "at 3 %", facts: audio(HealthyMachine.survey(HealthyMachine.microphone(percent: 3))),
            "sound.level", .warning, "only 3 %", recommendedCommand: "pactl set-source-volume 'mic one' 100%"),
        MachineFaultCase(
            "another one is muted",
            facts: audio(
                HealthyMachine.survey(
                    HealthyMachine.microphone(),
                    PulseConfiguration.Source(name: "b", description: "Spare\u{7}", isMuted: true))),
            "sound.level", .warning, "Spare?: the microphone is muted",
            recommendedCommand: "pactl set-source-mute b 0"),
        MachineFaultCase(
            "echo cancelling",
            facts: audio(
                HealthyMachine.survey(HealthyMachine.microphone(), modules: ["module-echo-cancel"])),
            "sound.processing", .warning, "echo cancellation",
            recommendedCommand: "pactl unload-module module-echo-cancel"),
        MachineFaultCase(
            "flat volumes", facts: audio(HealthyMachine.survey(HealthyMachine.microphone(flat: true))),
            "sound.flat-volumes", .warning, "for all",
            recommendedCommand:
                "mkdir -p ~/.config/pulse && echo 'flat-volumes = no' >> ~/.config/pulse/daemon.conf && pulseaudio -k"
        ),
    ]

    private static func mounted(_ kind: String, _ options: String = "rw")
        -> @Sendable (SyntheticMachine) throws -> Void
    {
        {
            try $0.write(
                "proc/self/mountinfo",
                "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 0:5 / /home/ann \(options) - \(kind) x rw\n")
        }
    }

    private static let storage = [
        MachineFaultCase(
            "a full disk",
            facts: { $0.output = HealthyMachine.folder("/home/ann/my films", free: 654_321_000) },
            "storage.space", .problem, "0.6 GB",
            recommendedCommand: "du -xh '/home/ann/my films' | sort -h | tail"),
        MachineFaultCase(
            "a small disk", facts: { $0.output = HealthyMachine.folder("/home/ann", free: 5_250_000_000) },
            "storage.space", .warning, "5.2 GB"),
        MachineFaultCase(
            "free space unknown", facts: { $0.output = HealthyMachine.folder("/home/ann", free: nil) },
            "storage.space", .unknown, "doesn't report"),
        MachineFaultCase(
            "not writable", facts: { $0.output = HealthyMachine.folder("/home/ann", isWritable: false) },
            "storage.writable", .problem, "not writable", recommendedCommand: "chown 0 /home/ann"),
        MachineFaultCase(
            "read-only", files: mounted("ext4", "ro"), "storage.writable", .problem, "read-only",
            recommendedCommand: "mount -o remount,rw /home/ann"),
        MachineFaultCase(
            "memory as disk", files: mounted("tmpfs"), "storage.kind", .warning, "memory (tmpfs)"),
        MachineFaultCase("FAT", files: mounted("vfat"), "storage.kind", .problem, "4 GB"),
        MachineFaultCase("network", files: mounted("nfs4"), "storage.kind", .warning, "network file system"),
        MachineFaultCase(
            "mounts unknown", files: { try $0.remove("proc/self") }, "storage.kind", .unknown,
            "doesn't list"),
        MachineFaultCase(
            "a config folder of somebody else's",
            facts: {
                $0.ownFolders = [HealthyMachine.folder("/home/ann/.config/multicam", isWritable: false)]
            },
            "storage.own", .warning, "preferences can't be saved in this folder",
            recommendedCommand: "chown 0 /home/ann/.config/multicam"),
        MachineFaultCase("no home", facts: { $0.ownFolders = [] }, "storage.own", .warning, "HOME"),
    ]

    private static let computer = [
        MachineFaultCase(
            "other programs keep the computer busy", facts: { $0.shareOfOtherPrograms = 0.7 }, "system.load",
            .warning, "other programs use 70 % of the processors"),
        MachineFaultCase(
            "few files may be open",
            files: { try $0.write("proc/self/limits", HealthyMachine.limits(files: "64 128")) },
            "system.limits", .warning, "128 open files", "LimitNOFILE="),
        MachineFaultCase(
            "few threads",
            files: { try $0.write("proc/self/limits", HealthyMachine.limits(processes: "100 unlimited")) },
            "system.limits", .warning, "100 processes and threads", "TasksMax="),
        MachineFaultCase(
            "little address space",
            files: { try $0.write("proc/self/limits", HealthyMachine.limits(space: "900000000 unlimited")) },
            "system.limits", .warning, "900000000 bytes of address space", "ulimit -v unlimited"),
        MachineFaultCase(
            "small files",
            files: { try $0.write("proc/self/limits", HealthyMachine.limits(size: "1048576 1048576")) },
            "system.limits", .warning, "1048576 bytes per file", "ulimit -f unlimited"),
        MachineFaultCase(
            "a hardware encoder that nobody has tried",
            files: {
                try EncoderDetectionTests.card($0, 128, driver: "amdgpu", vendor: "1002", device: "164e")
            },
            "system.encoder", .unknown, "h264_vaapi (amdgpu 1002:164e)", "has not been tested",
            recommendedCommand: "multicam calibrate --machine"),
        MachineFaultCase(
            "a hardware encoder that may not be opened",
            files: {
                try EncoderDetectionTests.card($0, 128, driver: "amdgpu", vendor: "1002", device: "164e")
            },
            facts: {
                $0.user = ann
                $0.access.append(HealthyMachine.access("/dev/dri/renderD128", isAllowed: false))
            }, "system.encoder", .warning, "no access to the encoder amdgpu 1002:164e", "permission denied",
            recommendedCommand: "sudo usermod -aG video $USER"),
        MachineFaultCase(
            "a hardware encoder that failed its trial",
            files: {
                try EncoderDetectionTests.card($0, 128, driver: "i915", vendor: "8086", device: "46a6")
            },
            facts: { machine in
                let detection = EncoderDetection(
                    root: machine.root, codecNodes: [], libraryEncoders: machine.libraryEncoders)
                machine.triedEncoders = detection.encoders.map {
                    TriedEncoder(
                        encoder: $0, outcome: .fails(reason: "\($0.name): its frames came out of order."))
                }
            }, "system.encoder", .warning, "encoder not used", "came out of order",
            recommendedCommand: "multicam calibrate --machine"),
        MachineFaultCase(
            "no memory", files: { try $0.write("proc/meminfo", "MemAvailable: 100000 kB\n") },
            "system.memory", .problem, "97 MB", recommendedCommand: "ps -eo rss,pid,comm --sort=-rss | head"),
        MachineFaultCase(
            "little memory", files: { try $0.write("proc/meminfo", "MemAvailable: 700000 kB\n") },
            "system.memory", .warning, "683 MB", recommendedCommand: "ps -eo rss,pid,comm --sort=-rss | head"),
        MachineFaultCase(
            "memory unknown", files: { try $0.remove("proc/meminfo") }, "system.memory", .unknown,
            "doesn't report"),
        MachineFaultCase(
            "1970", facts: { $0.wallClock = 77 }, "system.clock", .warning, "off by years",
            recommendedCommand: "timedatectl set-ntp true"),
        MachineFaultCase(
            "no udevd", files: { try $0.remove("run/udev") }, "system.udev", .warning, "is not running",
            recommendedCommand: "systemctl start systemd-udevd"),
        MachineFaultCase(
            "a container",
            files: {
                try $0.remove("run/udev")
                try $0.write("run/.containerenv", "")
            }, "system.udev", .unknown, "container"),
        MachineFaultCase(
            "powersave",
            files: {
                try $0.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
            }, "system.governor", .warning, "1 of 2", "powersave",
            recommendedCommand: "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"
        ),
        MachineFaultCase(
            "nobody grants the priority",
            facts: { $0.priority = .notGranted(reason: "RealtimeKit: too many threads") },
            "system.priority", .warning, "RealtimeKit: too many threads",
            recommendedCommand: "echo \"$USER - nice -11\" | tee /etc/security/limits.d/multicam.conf"),
        MachineFaultCase(
            "no governor", files: { try $0.remove("sys/devices/system/cpu") }, "system.governor", .unknown,
            "virtual machine"),
    ]

    private static func kernelMessages(_ messages: String...) -> @Sendable (inout Machine) -> Void {
        { $0.kernelLog = .messages(messages) }
    }

    private static let log = [
        MachineFaultCase(
            "bandwidth in the log",
            facts: kernelMessages(
                "xhci_hcd 0000:00:14.0: Not enough bandwidth for new device state.",
                "usb 1-2: Not enough bandwidth"),
            "log.bandwidth", .warning, "out of bandwidth", "2 times", "most recently: usb 1-2"),
        MachineFaultCase(
            "over-current in the log", facts: kernelMessages("usb usb1-port2: over-current condition"),
            "log.power",
            .warning, "overcurrent", "once"),
        MachineFaultCase(
            "interference in the log",
            facts: kernelMessages("usb usb1-port2: disabled by hub (EMI?), re-enabling..."),
            "log.interference",
            .warning, "interference"),
        MachineFaultCase(
            "a cable in the log", facts: kernelMessages("usb 1-2: device descriptor read/64, error -71"),
            "log.cable",
            .warning, "Try another cable"),
        MachineFaultCase(
            "a camera in the log",
            facts: kernelMessages("uvcvideo 1-1:1.1: Failed to set UVC probe control : -71 (exp. 26)."),
            "log.camera", .warning, "rejected a request"),
        MachineFaultCase(
            "memory in the log", facts: kernelMessages("Out of memory: Killed process 42 (obs)"),
            "log.memory",
            .warning, "ran out of memory"),
        MachineFaultCase(
            "a disk in the log", facts: kernelMessages("I/O error, dev sda, sector 4096"), "log.disk",
            .warning,
            "a disk"),
        MachineFaultCase(
            "a log for root only",
            facts: {
                $0.kernelLog = .unreadable(errno: EPERM)
            }, "log.kernel", .unknown, "only root",
            recommendedCommand: "sudo dmesg | grep -iE 'usb|uvc|memory'"),
    ]
}
