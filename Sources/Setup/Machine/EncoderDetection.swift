internal import Glibc
package import MulticamCapture
internal import MulticamEncoding
package import MulticamMedia

/// Finds hardware encoders from files in `/dev`, `/sys`, and `/proc`, and from libavcodec's build configuration.
/// Whether an encoder works is known only after a trial.
package struct EncoderDetection: Sendable {
    /// Names of the libavcodec encoders to look for, starting with the most promising one.
    package static let libraries = ["h264_nvenc", "h264_vaapi", "h264_v4l2m2m"]

    /// Path prefix of `/dev`, `/sys`, and `/proc`, which is empty for the real system.
    let root: String
    /// Video device nodes of hardware codecs.
    package let codecNodes: [CodecNode]
    /// The subset of `libraries` that libavcodec was built with.
    package let libraryEncoders: Set<String>
    /// The version of libavcodec, such as `libavcodec 59.37.100`. A trial result applies only to this version
    /// and to the tested driver version.
    let libraryVersion: String

    /// Creates a detection that uses the specified values instead of the values of this computer.
    package init(
        root: String, codecNodes: [CodecNode], libraryEncoders: Set<String>,
        libraryVersion: String = HardwareEncoder.libraryVersion
    ) {
        self.root = root
        self.codecNodes = codecNodes
        self.libraryEncoders = libraryEncoders
        self.libraryVersion = libraryVersion
    }

    /// Runs the detection on this computer.
    package static var onThisMachine: Self {
        Self(
            root: "", codecNodes: CodecNode.all(),
            libraryEncoders: Set(libraries.filter { HardwareEncoder.isInLibrary($0) }))
    }

    /// The detected encoders, the most promising first.
    package var encoders: [HardwareEncoder] {
        (nvidia + renderNodes + chips).filter { libraryEncoders.contains($0.library) }
    }

    // MARK: Encoder types

    /// The first NVIDIA GPU. The driver numbers GPUs `/dev/nvidia0`…, and libavcodec uses the first one.
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

    /// The render node of every GPU (`renderD128`…), except GPUs with NVIDIA's proprietary driver, because its VAAPI
    /// implementation supports only decoding.
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

    /// The first V4L2 codec device that can encode H.264. libavcodec selects the node itself and uses the first one.
    private var chips: [HardwareEncoder] {
        codecNodes.first(where: \.encodesH264).map {
            [
                HardwareEncoder(
                    library: "h264_v4l2m2m", node: $0.node, device: $0.name,
                    driver: identity($0.driver, kernel))
            ]
        } ?? []
    }

    /// The kernel release, used as the version of in-tree drivers.
    private var kernel: String { Paths.text("\(root)/proc/sys/kernel/osrelease") ?? "unknown" }

    private func identity(_ driver: String, _ version: String) -> String {
        "\(driver) \(version), \(libraryVersion)".printable()
    }
}

extension TriedEncoder {
    /// The result of the encoder's trial, as a sentence for the user.
    package var sentence: String {
        switch outcome {
        case .fails(let reason): return "encoder not used: \(reason.printable(limit: 1000))"
        case .works(let figures):
            let sizes = figures.sizes.map(\.description).joined(separator: ", ")
            // The rate applies to 1920×1080, the most common recording size.
            let rate = Int(rounding: figures.pixelsPerSecond / (1920 * 1080), .towardZero)
            let tags =
                figures.lacksColorTags
                ? " The encoder doesn't write a color description, so multicam adds one to the stream." : ""
            return
                "\(encoder.name) (\(encoder.device.printable())) works: \(sizes), up to \(rate) fps at 1920x1080, \(figures.streams) \(figures.streams == 1 ? "stream" : "streams") at a time.\(tags)"
        }
    }
}
