import Media

/// Checks whether there are nodes of v4l2loopback, by which other programs can have the program as a camera.
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
                "the profile publishes to \(node), and v4l2loopback has no such virtual camera. The module is of the package v4l2loopback-dkms.",
                mend: (machine.exists(module) ? "\(machine.sudo)modprobe -r v4l2loopback && " : "")
                    + load(machine, number: Self.number(of: node), name: "multicam"))
        }
        guard machine.exists(module), !found.isEmpty else {
            guard problems.isEmpty else { return problems }
            return [
                Finding(
                    "camera.virtual", .ok,
                    "there is no virtual camera; to have one for video calls, install v4l2loopback-dkms and run "
                        + "`\(load(machine, number: 9, name: "multicam"))`.")
            ]
        }
        // The module's list is in the order of its devices, whose numbers go up unless somebody chose others.
        let exclusive = machine.text("\(module)/parameters/exclusive_caps")?.split(separator: ",") ?? []
        return problems
            + found.enumerated().map { index, number in
                let name = machine.text("\(nodes)/video\(number)/name") ?? "virtual camera"
                let node = "/dev/video\(number)"
                guard index < exclusive.count, exclusive[index] == "N" else {
                    return Finding(
                        "camera.virtual", .ok, device: node,
                        "\(name) can show the program to other programs: `multicam ctl publish v4l2:\(node)`."
                    )
                }
                return Finding(
                    "camera.virtual", .warning, device: node,
                    "browsers do not list \(name): it says that it takes frames, too. Load the module with exclusive_caps=1, "
                        + "when no program uses it.",
                    mend:
                        "\(machine.sudo)modprobe -r v4l2loopback && \(load(machine, number: number, name: name))"
                )
            }
    }

    /// The number at the end of a node's name.
    private static func number(of node: String) -> Int {
        Int(String(node.reversed().prefix { $0.isNumber }.reversed())) ?? 9
    }

    private static func load(_ machine: Machine, number: Int, name: String) -> String {
        "\(machine.sudo)modprobe v4l2loopback video_nr=\(number) exclusive_caps=1 card_label=\(name.shellQuoted())"
    }
}
