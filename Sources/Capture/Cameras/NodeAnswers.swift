import Media

/// The facts that a camera's node tells about itself.
struct NodeAnswers: Sendable {
    var formats: [OfferedFormat] = []
    var controls: [DeviceControl] = []
    var position = CaptureDevice.Position.unspecified
    var mounting = Rotation.none
    /// Whether its input takes the signal of another device: timings, or a television standard.
    var hasSignalInput = false
    var problem: CaptureDevice.Problem?

    /// Result of opening a node.
    enum Outcome: Sendable {
        case camera(NodeAnswers)
        /// The node is for metadata or output, and stays so.
        case noCamera
        /// The node does not open, and is not the first of its function, which is the one that captures.
        case unclear

        /// Whether the result holds for as long as the node is there.
        var isFinal: Bool {
            switch self {
            case .camera(let answers): answers.problem == nil
            case .noCamera: true
            case .unclear: false
            }
        }
    }

    /// Explains why none of a camera's formats can be read, with advice.
    static func unreadable(_ codes: [FourCC]) -> String {
        guard !codes.isEmpty else {
            return "it offers no format. Plug it in again, or choose another camera."
        }
        let list = codes.map { $0.text.printable() }.joined(separator: ", ")
        // Depth, also packed or with infrared beside it: V4L2_PIX_FMT_Z16, _INZI and _CNF4 (kernel documentation, depth formats).
        if codes.contains(where: { ["Z16", "INZI", "CNF4"].contains($0.text) }) {
            return
                "it is a depth camera (\(list)): it measures distances, which are not recorded. Choose another camera."
        }
        return "it offers only \(list), which cannot be read. Choose another camera."
    }

    /// Opens the node for a moment and asks what it is. Takes milliseconds.
    static func ask(_ camera: SysfsCamera) -> Outcome {
        do {
            let node = try V4L2Device(path: camera.node)
            guard try node.capability().isCamera else { return .noCamera }
            var answers = NodeAnswers(
                formats: node.formats(), controls: node.controls(), position: node.position(),
                mounting: node.mounting() ?? .none, hasSignalInput: node.hasSignalInput())
            if node.isInUse() {
                answers.problem = .inUse(by: NodeOwners.holder(of: camera.node)?.program)
            } else if answers.formats.isEmpty {
                answers.problem = .failing(Self.unreadable(node.pixelCodes()))
            }
            return .camera(answers)
        } catch {
            // The purpose of a node that does not open can only be guessed.
            guard camera.index == 0 else { return .unclear }
            switch error.reason {
            case .noPermission:
                let group = NodePermissions(of: camera.node)?.groupName
                return .camera(NodeAnswers(problem: .noPermission(group: group ?? "video")))
            case .busy(let holder): return .camera(NodeAnswers(problem: .inUse(by: holder?.program)))
            default: return .camera(NodeAnswers(problem: .failing(error.description)))
            }
        }
    }
}
