import Capture
import Media

/// Checks whether cameras have a driver, may be opened, and are free.
enum CameraCheck {
    static func findings(of machine: Machine) -> [Finding] {
        let cameras = machine.usb.devices.filter(\.isCamera)
        guard !cameras.isEmpty || !machine.videoNodes.isEmpty else {
            return [
                Finding(
                    "camera.present", .warning,
                    "no camera is connected. Plug one in, or try without: `multicam record --profile pip --virtual`."
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
        func finding(_ level: Finding.Level, _ text: String, mend: String? = nil) -> Finding {
            Finding("camera.driver", level, device: camera.name, "\(camera.product): \(text)", mend: mend)
        }
        switch control.driver {
        case "uvcvideo": return [finding(.ok, "the driver uvcvideo has it.")]
        case "usbfs":
            return [
                finding(
                    .problem,
                    "a program drives it by itself (usbfs) and hides it from all others. Close that program or virtual machine."
                )
            ]
        case let driver?: return [finding(.warning, "the driver \(driver) has it, not uvcvideo.")]
        case nil where !machine.exists("/sys/module/uvcvideo"):
            return [
                finding(
                    .problem, "no driver has it, since the module uvcvideo is not loaded.",
                    mend: "\(machine.sudo)modprobe uvcvideo")
            ]
        case nil:
            let interface = "\(camera.name):1.\(control.number)"
            return [
                finding(
                    .problem, "uvcvideo is loaded, but does not have it. The kernel's log may say why.",
                    mend: machine.setting("/sys/bus/usb/drivers/uvcvideo/bind", to: interface))
            ]
        }
    }

    private static func access(to video: VideoNode, _ machine: Machine) -> [Finding] {
        guard let access = machine.access.first(where: { $0.permissions.node == video.node }) else {
            return [
                Finding(
                    "camera.access", .problem, device: video.node,
                    "\(video.name): the kernel has this camera, but its node is missing. In a container, start it with "
                        + "`--device \(video.node.shellQuoted())`.")
            ]
        }
        if access.isAllowed {
            return [
                Finding("camera.access", .ok, device: video.node, "\(video.name): you may open it.")
            ]
        }
        let obstacle = access.permissions.obstacle(to: machine.user, inContainer: machine.isContainer)
        return [
            Finding(
                "camera.access", .problem, device: video.node,
                "\(video.name): \(obstacle.explanation(node: video.node))",
                mend: obstacle.mend(node: video.node))
        ]
    }

    private static func use(of video: VideoNode, _ machine: Machine) -> [Finding] {
        guard let holder = NodeOwners.holder(of: video.node, processes: "\(machine.root)/proc") else {
            return []
        }
        return [
            Finding(
                "camera.use", .warning, device: video.node,
                "\(video.name): \(holder) has it open, and may be using it.", mend: "kill \(holder.process)")
        ]
    }

    /// The finding that other users' programs are hidden from this user; empty for root.
    private static func hiddenUsers(_ machine: Machine) -> [Finding] {
        guard machine.user.id != 0, !machine.videoNodes.isEmpty else { return [] }
        let nodes = machine.videoNodes.map { $0.node.shellQuoted() }.joined(separator: " ")
        return [
            Finding(
                "camera.use", .unknown, "only root sees which programs of other users have a camera open.",
                mend: "sudo fuser -v \(nodes)")
        ]
    }
}
