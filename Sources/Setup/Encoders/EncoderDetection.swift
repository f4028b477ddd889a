package import Capture
internal import Encoding
internal import Glibc
package import Media

/// Finds hardware encoders from the kernel's files and libavcodec's build. Only a trial tells whether one works.
package struct EncoderDetection: Sendable {
    /// The names of libavcodec's encoders to look for, the most promising first.
    package static let libraries = ["h264_nvenc", "h264_vaapi", "h264_v4l2m2m"]

    /// The path prefix of `/dev`, `/sys` and `/proc`; empty for the real ones.
    let root: String
    /// The video nodes of codec devices.
    package let codecNodes: [CodecNode]
    /// The subset of `libraries` that libavcodec was built with.
    package let libraryEncoders: Set<String>
    /// The version of libavcodec, which counts beside the driver's: `libavcodec 59.37.100`.
    let libraryVersion: String

    /// Creates a detection from given facts.
    package init(
        root: String, codecNodes: [CodecNode], libraryEncoders: Set<String>,
        libraryVersion: String = HardwareEncoder.libraryVersion
    ) {
        self.root = root
        self.codecNodes = codecNodes
        self.libraryEncoders = libraryEncoders
        self.libraryVersion = libraryVersion
    }

    /// The detection on this computer.
    package static var onThisMachine: Self {
        Self(
            root: "", codecNodes: CodecNode.all(),
            libraryEncoders: Set(libraries.filter { HardwareEncoder.isInLibrary($0) }))
    }

    /// The encoders found, the most promising first.
    package var encoders: [HardwareEncoder] {
        (nvidia + renderNodes + chips).filter { libraryEncoders.contains($0.library) }
    }

    // MARK: Kinds

    /// NVIDIA's first card: the driver numbers cards `/dev/nvidia0`…, and libavcodec takes the first.
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

    /// Every card's render node (`renderD128`…), except those of NVIDIA's own driver, whose VAAPI only decodes.
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

    /// The first V4L2 codec device that encodes H.264: libavcodec chooses the node itself, and takes the first.
    private var chips: [HardwareEncoder] {
        codecNodes.first(where: \.encodesH264).map {
            [
                HardwareEncoder(
                    library: "h264_v4l2m2m", node: $0.node, device: $0.name,
                    driver: identity($0.driver, kernel))
            ]
        } ?? []
    }

    /// The kernel's release, which stands for the version of its own drivers.
    private var kernel: String { Paths.text("\(root)/proc/sys/kernel/osrelease") ?? "unknown" }

    private func identity(_ driver: String, _ version: String) -> String {
        "\(driver) \(version), \(libraryVersion)".printable()
    }
}
