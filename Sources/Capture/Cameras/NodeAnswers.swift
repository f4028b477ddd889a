import Media

/// What a camera's node says of itself.
struct NodeAnswers: Sendable {
    var formats: [OfferedFormat] = []
    var controls: [DeviceControl] = []
    var position = CaptureDevice.Position.unspecified
    var mounting = Rotation.none
    var problem: CaptureDevice.Problem?

    /// What came of asking a node.
    enum Outcome: Sendable {
        case camera(NodeAnswers)
        /// It is for metadata, or an output, and stays so.
        case noCamera
        /// It does not open, and of its function it is not the first, which is the one that captures.
        case unclear

        /// Whether it stays so for as long as the node is there.
        var isFinal: Bool {
            switch self {
            case .camera(let answers): answers.problem == nil
            case .noCamera: true
            case .unclear: false
            }
        }
    }

    /// Opens the node for a moment. Takes milliseconds.
    static func ask(_ camera: SysfsCamera) -> Outcome {
        do {
            let node = try V4L2Device(path: camera.node)
            guard try node.capability().isCamera else { return .noCamera }
            var answers = NodeAnswers(
                formats: node.formats(), controls: node.controls(), position: node.position(),
                mounting: node.mounting() ?? .none)
            if node.isInUse() {
                answers.problem = .inUse(by: NodeOwners.holder(of: camera.node)?.program)
            } else if answers.formats.isEmpty {
                answers.problem = .failing("it offers no format that can be read")
            }
            return .camera(answers)
        } catch {
            // What a node is for can only be guessed when it does not open.
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
