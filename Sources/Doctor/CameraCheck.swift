import MulticamCapture
import MulticamMedia

/// Checks whether cameras have a driver, can be opened, and are available.
enum CameraCheck {
    static func findings(of machine: Machine) -> [Finding] {
        guard machine.needsCamera else {
            return [
                Finding(
                    "camera.present", .ok,
                    "the profile needs no connected camera, because it uses no camera of this computer.")
            ]
        }
        let cameras = machine.usb.devices.filter(\.isCamera)
        guard !cameras.isEmpty || !machine.videoNodes.isEmpty else {
            return [
                Finding(
                    "camera.present", .warning,
                    "no camera is connected. Connect one, or try a virtual one: `multicam record --profile pip --virtual`."
                )
            ]
        }
        return cameras.flatMap { driver(of: $0, machine) }
            + machine.videoNodes.flatMap { access(to: $0, machine) + use(of: $0, machine) }
            + hiddenUsers(machine)
    }

    private static func driver(of camera: USBDevice, _ machine: Machine) -> [Finding] {
        let parts = camera.interfaces.filter { $0.classCode == USBInterfaceSetting.video }
        guard let control = parts.min(by: { $0.number < $1.number }) else { return [] }
        func finding(_ level: Finding.Level, _ text: String, repairCommand: String? = nil) -> Finding {
            Finding(
                "camera.driver", level, device: camera.name, "\(camera.product): \(text)",
                repairCommand: repairCommand
            )
        }
        switch control.driver {
        case "uvcvideo": return [finding(.ok, "the camera uses the uvcvideo driver.")]
        case "usbfs":
            return [
                finding(
                    .problem,
                    "a program or virtual machine accesses this camera directly (usbfs), so other programs can't use the camera. Close that program or virtual machine."
                )
            ]
        case let driver?:
            return [finding(.warning, "the camera uses the \(driver) driver instead of uvcvideo.")]
        case nil where !machine.exists("/sys/module/uvcvideo"):
            return [
                finding(
                    .problem, "no driver is attached, because the kernel module uvcvideo is not loaded.",
                    repairCommand: "\(machine.sudo)modprobe uvcvideo")
            ]
        case nil:
            let interface = "\(camera.name):1.\(control.number)"
            return [
                finding(
                    .problem,
                    "the uvcvideo driver is loaded but not attached to this camera. Check the kernel log for the reason.",
                    repairCommand: machine.writeCommand("/sys/bus/usb/drivers/uvcvideo/bind", to: interface))
            ]
        }
    }

    private static func access(to video: VideoNode, _ machine: Machine) -> [Finding] {
        guard let access = machine.access.first(where: { $0.permissions.node == video.node }) else {
            return [
                Finding(
                    "camera.access", .problem, device: video.node,
                    "\(video.name): the kernel has detected this camera, but its device node is missing. In a container, start the container with "
                        + "`--device \(video.node.shellQuoted())`.")
            ]
        }
        if access.isAllowed {
            return [
                Finding("camera.access", .ok, device: video.node, "\(video.name): access is permitted.")
            ]
        }
        let obstacle = access.permissions.obstacle(to: machine.user, inContainer: machine.isContainer)
        return [
            Finding(
                "camera.access", .problem, device: video.node,
                "\(video.name): \(obstacle.explanation(node: video.node))",
                repairCommand: obstacle.fixCommand(node: video.node))
        ]
    }

    private static func use(of video: VideoNode, _ machine: Machine) -> [Finding] {
        guard let holder = NodeOwners.holder(of: video.node, processes: "\(machine.root)/proc") else {
            return []
        }
        return [
            Finding(
                "camera.use", .warning, device: video.node,
                "\(video.name): the device is open in \(holder), so the camera may be in use.",
                repairCommand: "kill \(holder.process)")
        ]
    }

    /// Reports that other users' programs aren't visible to this user. Returns an empty list for root.
    private static func hiddenUsers(_ machine: Machine) -> [Finding] {
        guard machine.user.id != 0, !machine.videoNodes.isEmpty else { return [] }
        let nodes = machine.videoNodes.map { $0.node.shellQuoted() }.joined(separator: " ")
        return [
            Finding(
                "camera.use", .unknown,
                "only root can see whether programs of other users are using a camera.",
                repairCommand: "sudo fuser -v \(nodes)")
        ]
    }
}

/// Checks the settings of uvcvideo, the driver of nearly all webcams.
enum CameraDriverCheck {
    private static let folder = "/sys/module/uvcvideo/parameters"

    static func findings(of machine: Machine) -> [Finding] {
        guard machine.exists("/sys/module/uvcvideo") else {
            // `CameraCheck` reports USB cameras.
            guard !machine.usb.devices.contains(where: \.isCamera) else { return [] }
            return [
                Finding(
                    "driver.loaded", .unknown,
                    "uvcvideo is not loaded yet; the kernel loads it when a camera is connected.")
            ]
        }
        return [clock(machine), quirks(machine), timeout(machine), stamps(machine), incomplete(machine)]
            .compactMap { $0 }
    }

    private static func number(_ name: String, _ machine: Machine) -> UInt32? {
        machine.text("\(folder)/\(name)").flatMap { UInt32($0) }
    }

    private static func clock(_ machine: Machine) -> Finding? {
        guard let clock = machine.text("\(folder)/clock") else { return nil }
        if clock == "CLOCK_MONOTONIC" {
            return Finding("driver.clock", .ok, "uvcvideo timestamps frames with the monotonic clock.")
        }
        return Finding(
            "driver.clock", .problem,
            "uvcvideo timestamps frames with \(clock), but recordings use the monotonic clock. Tracks would be out of sync.",
            repairCommand: machine.writeCommand("\(folder)/clock", to: "CLOCK_MONOTONIC"))
    }

    /// Checks `quirks`, a bit mask defined in drivers/media/usb/uvc/uvcvideo.h. If all bits are set, which is
    /// the default, each camera uses its own quirks.
    private static func quirks(_ machine: Machine) -> Finding? {
        guard let quirks = number("quirks", machine) else { return nil }
        if quirks == .max {
            return Finding("driver.quirks", .ok, "uvcvideo uses the default quirks for each camera.")
        }
        let fixesBandwidth = quirks & 0x80 != 0
        let effect =
            fixesBandwidth
            ? "FIX_BANDWIDTH reduces the reserved bandwidth only for uncompressed formats, not for mjpeg"
            : "the quirks that individual cameras need are disabled"
        return Finding(
            "driver.quirks", .warning,
            "uvcvideo's quirks are forced to 0x\(String(quirks, radix: 16)) for all cameras: \(effect). "
                + "Reconnect the cameras after changing this setting.",
            repairCommand: machine.writeCommand("\(folder)/quirks", to: "4294967295"))
    }

    /// Checks the driver's timeout for a camera, in milliseconds. Default: 5000 (UVC_CTRL_STREAMING_TIMEOUT).
    private static func timeout(_ machine: Machine) -> Finding? {
        guard let timeout = number("timeout", machine) else { return nil }
        if timeout >= 1000 {
            return Finding(
                "driver.timeout", .ok, "uvcvideo waits up to \(timeout) ms for a camera's response.")
        }
        return Finding(
            "driver.timeout", .warning,
            "uvcvideo waits only \(timeout) ms for a camera's response, so slow cameras may fail to start.",
            repairCommand: machine.writeCommand("\(folder)/timeout", to: "5000"))
    }

    private static func stamps(_ machine: Machine) -> Finding? {
        guard let isOn = number("hwtimestamps", machine) else { return nil }
        if isOn == 0 {
            return Finding("driver.hwtimestamps", .ok, "frames are timestamped on arrival (default).")
        }
        return Finding(
            "driver.hwtimestamps", .warning,
            "frames are timestamped with the cameras' hardware clocks (hwtimestamps), which are wrong on many cameras. "
                + "If tracks jump or drift, disable this option.",
            repairCommand: machine.writeCommand("\(folder)/hwtimestamps", to: "0"))
    }

    private static func incomplete(_ machine: Machine) -> Finding? {
        guard let isOn = number("nodrop", machine) else { return nil }
        return Finding(
            "driver.nodrop", .ok,
            isOn == 0
                ? "uvcvideo drops incomplete frames; these frames are counted as lost on the bus."
                : "uvcvideo delivers incomplete frames and marks them (nodrop); these frames are counted as corrupt."
        )
    }
}

/// Checks for v4l2loopback nodes, through which other applications can use the program output as a camera.
enum VirtualCameraCheck {
    private static let module = "/sys/module/v4l2loopback"
    private static let nodes = "/sys/devices/virtual/video4linux"

    static func findings(of machine: Machine) -> [Finding] {
        let found = machine.entries(nodes).compactMap { name in
            name.hasPrefix("video") ? Int(name.dropFirst("video".count)) : nil
        }.sorted()
        let missing = machine.publishedNodes.filter { node in !found.contains { node == "/dev/video\($0)" } }
        let problems = missing.map { node in
            Finding(
                "camera.virtual", .problem, device: node,
                "the profile publishes to \(node), but this v4l2loopback device does not exist. Install the package v4l2loopback-dkms and load its module.",
                repairCommand: (machine.exists(module) ? "\(machine.sudo)modprobe -r v4l2loopback && " : "")
                    + load(machine, number: Self.number(of: node), name: "multicam"))
        }
        guard machine.exists(module), !found.isEmpty else {
            guard problems.isEmpty else { return problems }
            return [
                Finding(
                    "camera.virtual", .ok,
                    "no virtual camera is available. For video calls, install v4l2loopback-dkms and run "
                        + "`\(load(machine, number: 9, name: "multicam"))`.")
            ]
        }
        // The module's parameter lists one value per device, in the order of the devices. The device numbers
        // ascend unless the user has set other numbers.
        let exclusive = machine.text("\(module)/parameters/exclusive_caps")?.split(separator: ",") ?? []
        return problems
            + found.enumerated().map { index, number in
                let name = machine.text("\(nodes)/video\(number)/name") ?? "virtual camera"
                let node = "/dev/video\(number)"
                guard index < exclusive.count, exclusive[index] == "N" else {
                    return Finding(
                        "camera.virtual", .ok, device: node,
                        "\(name) can make the program output available to other applications as a camera: `multicam ctl publish v4l2:\(node)`."
                    )
                }
                return Finding(
                    "camera.virtual", .warning, device: node,
                    "browsers don't list \(name), because the device also reports video output capability. When no program is using the device, reload the module "
                        + "with exclusive_caps=1.",
                    repairCommand:
                        "\(machine.sudo)modprobe -r v4l2loopback && \(load(machine, number: number, name: name))"
                )
            }
    }

    /// Returns the number at the end of a node's name.
    private static func number(of node: String) -> Int {
        Int(String(node.reversed().prefix { $0.isNumber }.reversed())) ?? 9
    }

    private static func load(_ machine: Machine, number: Int, name: String) -> String {
        "\(machine.sudo)modprobe v4l2loopback video_nr=\(number) exclusive_caps=1 card_label=\(name.shellQuoted())"
    }
}
