import Capture
import Media

/// Checks v4l2loopback, the kernel module that makes virtual cameras, into which a live output can go.
enum VirtualCameraCheck {
    private static let name = "v4l2loopback"
    /// The node that messages name where no profile names one.
    private static let usualNode = "/dev/video9"

    static func findings(of machine: Machine) -> [Finding] {
        let wanted = machine.publishedNodes
        guard machine.exists("/sys/module/\(name)") else {
            let node = wanted.first ?? usualNode
            let text =
                "\(name) is not loaded, so there is no virtual camera for other programs, such as \(node) for "
                + "`multicam ctl publish v4l2:\(node)`."
            return [
                Finding("live.camera", wanted.isEmpty ? .ok : .problem, text, mend: loading(node, machine))
            ]
        }
        return [capabilities(wanted, machine)] + wanted.compactMap { missing($0, machine) }
    }

    /// Browsers list a virtual camera only when it says that it captures, and nothing else (`exclusive_caps`).
    private static func capabilities(_ wanted: [String], _ machine: Machine) -> Finding {
        let exclusive = machine.text("/sys/module/\(name)/parameters/exclusive_caps") ?? ""
        guard exclusive.hasPrefix("N") || exclusive.hasPrefix("0") else {
            return Finding(
                "live.camera", .ok, "\(name) is loaded: virtual cameras are seen by browsers, too.")
        }
        return Finding(
            "live.camera", .warning,
            "\(name) is loaded without exclusive_caps=1: browsers do not list its virtual cameras.",
            mend: "\(machine.sudo)modprobe -r \(name) && " + loading(wanted.first ?? usualNode, machine))
    }

    private static func missing(_ node: String, _ machine: Machine) -> Finding? {
        guard !machine.exists(node) else { return nil }
        return Finding(
            "live.node", .problem, device: node,
            "the profile publishes to \(node), and there is no such virtual camera.",
            mend: "\(machine.sudo)modprobe -r \(name) && " + loading(node, machine))
    }

    /// The command that loads the module, and installs it where the kernel has none.
    private static func loading(_ node: String, _ machine: Machine) -> String {
        let number = String(node.reversed().prefix { $0.isNumber }.reversed())
        let release = machine.text("/proc/sys/kernel/osrelease") ?? ""
        let isInstalled = machine.lines("/lib/modules/\(release)/modules.dep").contains {
            $0.contains("\(name).ko")
        }
        let install = isInstalled ? "" : "\(machine.sudo)apt install \(name)-dkms && "
        return install
            + "\(machine.sudo)modprobe \(name) video_nr=\(number.isEmpty ? "9" : number) exclusive_caps=1 card_label=multicam"
    }
}
