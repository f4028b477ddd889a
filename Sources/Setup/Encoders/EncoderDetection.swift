package import Capture
internal import Encoding
internal import Glibc
package import Media

/// Looks for hardware encoders, by the kernel's files and by what libavcodec was built with. Whether one works, only its trial
/// tells.
package struct EncoderDetection: Sendable {
    /// libavcodec's encoders that are looked for, the likeliest to be good first.
    package static let libraries = ["h264_nvenc", "h264_vaapi", "h264_v4l2m2m"]

    /// In front of `/dev`, `/sys`, `/proc`; empty for the real ones.
    let root: String
    package let codecNodes: [CodecNode]
    /// Of `libraries`, those that libavcodec has.
    package let libraryEncoders: Set<String>
    /// What drives them besides their own driver: `libavcodec 59.37.100`.
    let libraryVersion: String

    package init(
        root: String, codecNodes: [CodecNode], libraryEncoders: Set<String>,
        libraryVersion: String = HardwareEncoder.libraryVersion
    ) {
        self.root = root
        self.codecNodes = codecNodes
        self.libraryEncoders = libraryEncoders
        self.libraryVersion = libraryVersion
    }

    package static var onThisMachine: Self {
        Self(
            root: "", codecNodes: CodecNode.all(),
            libraryEncoders: Set(libraries.filter { HardwareEncoder.isInLibrary($0) }))
    }

    /// Those that are there.
    package var encoders: [HardwareEncoder] {
        (nvidia + renderNodes + chips).filter { libraryEncoders.contains($0.library) }
    }

    // MARK: Kinds

    /// The driver numbers its cards `/dev/nvidia0`…; libavcodec takes the first.
    private var nvidia: [HardwareEncoder] {
        let cards = Paths.entries(of: "\(root)/dev").filter {
            $0.hasPrefix("nvidia") && $0.count > 6 && $0.dropFirst(6).allSatisfy(\.isNumber)
        }
        guard let first = cards.first else { return [] }
        let folder = "\(root)/proc/driver/nvidia/gpus"
        let facts =
            Paths.entries(of: folder).first.flatMap { Paths.text("\(folder)/\($0)/information") } ?? ""
        let model = facts.split(separator: "\n").first { $0.hasPrefix("Model:") }?
            .dropFirst("Model:".count).drop { $0 == " " || $0 == "\t" }
        let version = Paths.text("\(root)/sys/module/nvidia/version") ?? kernel
        return [
            HardwareEncoder(
                library: "h264_nvenc", node: "/dev/\(first)",
                device: (model.map(String.init) ?? "NVIDIA card").printable(),
                driver: identity("nvidia", version))
        ]
    }

    /// Every card's node for work without a screen (`renderD128`…), but those of NVIDIA's own driver, whose VAAPI only decodes.
    private var renderNodes: [HardwareEncoder] {
        Paths.entries(of: "\(root)/dev/dri").filter { $0.hasPrefix("renderD") }.compactMap { name in
            let device = "\(root)/sys/class/drm/\(name)/device"
            let driver = Paths.link("\(device)/driver").map {
                $0.split(separator: "/").last.map(String.init) ?? $0
            }
            guard driver != "nvidia" else { return nil }
            let numbers = ["vendor", "device"].compactMap { Paths.text("\(device)/\($0)") }
                .map { $0.hasPrefix("0x") ? String($0.dropFirst(2)) : $0 }.joined(separator: ":")
            let title = [driver ?? "unknown driver", numbers].filter { !$0.isEmpty }.joined(separator: " ")
            return HardwareEncoder(
                library: "h264_vaapi", node: "/dev/dri/\(name)", device: title.printable(),
                driver: identity(driver ?? "unknown driver", kernel))
        }
    }

    /// libavcodec looks for the node by itself, and takes the first that there is.
    private var chips: [HardwareEncoder] {
        codecNodes.first(where: \.encodesH264).map {
            [
                HardwareEncoder(
                    library: "h264_v4l2m2m", node: $0.node, device: $0.name,
                    driver: identity($0.driver, kernel))
            ]
        } ?? []
    }

    /// Drivers of the kernel's own change with it.
    private var kernel: String { Paths.text("\(root)/proc/sys/kernel/osrelease") ?? "unknown" }

    private func identity(_ driver: String, _ version: String) -> String {
        "\(driver) \(version), \(libraryVersion)".printable()
    }
}
