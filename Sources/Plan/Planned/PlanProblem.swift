public import MulticamMedia
internal import MulticamProfiles

/// A reason why a plan can't run or a connection can't be made.
public enum PlanProblem: Error, Sendable, Equatable {
    /// A connection attribute that only some kinds of connections support.
    public enum Attribute: String, Sendable {
        case rotation, mirroring, crop, channels
        /// The state of a connection that isn't enabled.
        case disabled
    }

    /// The plan has neither a camera nor a microphone.
    case noDevice
    /// The name of a role is invalid or reserved.
    case invalidRole(String)
    /// Two devices have the same role.
    case duplicateRole(String)
    /// The camera or microphone of a role hasn't been opened.
    case missingSource(role: String)
    /// No device of the plan has the role that the connection names as its input.
    case noSuchInput(PlannedConnection)
    /// The plan doesn't have the output that the connection names.
    case noSuchOutput(PlannedConnection)
    /// A microphone is connected to a video output, or a camera to an audio output.
    case wrongMedium(PlannedConnection)
    /// The plan already has this connection.
    case duplicateConnection(PlannedConnection)
    /// The plan doesn't have this connection.
    case notConnected(PlannedConnection)
    /// The output accepts only one input and is already connected.
    case outputInUse(PlannedConnection, by: String)
    /// A track isn't connected to a camera or microphone.
    case unconnected(output: String)
    /// A connection of this kind doesn't support this attribute.
    case unsupportedAttribute(PlannedConnection, Attribute)
    /// The crop extends beyond the camera's frame, or its position or dimensions aren't even.
    case invalidCrop(PlannedConnection, FrameSize)
    /// The microphone doesn't have the channel with this index, counted from 0.
    case noSuchChannel(role: String, channel: Int, of: Int)
    /// Two tracks have the same name.
    case duplicateOutput(String)
    /// An output's file path is outside the session folder, or the file extension doesn't match the file
    /// type.
    case invalidFile(output: String, path: String, expected: String)
    /// Two outputs that can't share a file use the same path.
    case duplicateFile(path: String)
    /// A copied track is connected to a camera with raw frames, which can't be copied.
    case rawCopy(output: String, PixelFormat)
    /// The size of a copied track differs from the size that its camera delivers.
    case copySizeMismatch(output: String, FrameSize, delivered: FrameSize)
    /// The width or height of encoded frames is odd or too small.
    case oddSize(output: String, FrameSize)
    /// A movie's audio has more than two channels.
    case tooManyChannels(output: String, channels: Int)
    /// The program doesn't show any camera.
    case emptyProgram
}

extension PlanProblem: CustomStringConvertible {
    /// User-readable sentence with the problem, its location in the plan, and a remedy.
    public var description: String {
        switch self {
        case .noDevice: "the plan does not contain a camera or microphone. Add one."
        case .invalidRole(let role):
            "“\(role.printable())” is not a valid role. Use 1 to 32 lowercase letters, digits, - and _, starting with a letter or digit, and "
                + "do not use “program”."
        case .duplicateRole(let role):
            "two devices have the role “\(role.printable())”. Give each device a different role."
        case .missingSource(let role):
            "the role “\(role.printable())” has no open camera or microphone. Pass an open device for this role to the session."
        case .noSuchInput(let edge):
            "\(edge.output.printable()) is connected to “\(edge.input.printable())”, which is not a camera or microphone of the plan. Add the device first."
        case .noSuchOutput(let edge):
            "“\(edge.input.printable())” is connected to “\(edge.output.printable())”, which is not an output of the plan. Add that output first."
        case .wrongMedium(let edge):
            "“\(edge.input.printable())” cannot be connected to \(edge.output.printable()). Connect cameras to the program, cameras/… or metadata/…, and microphones to the program or audio/…."
        case .duplicateConnection(let edge):
            "“\(edge.input.printable())” is already connected to \(edge.output.printable()). Change that connection instead."
        case .notConnected(let edge):
            "“\(edge.input.printable())” is not connected to \(edge.output.printable()). Connect it first."
        case .outputInUse(let edge, let other):
            "\(edge.output.printable()) already has the input “\(other.printable())”, and a track can have only one input. Disconnect that input, or add another track."
        case .unconnected(let output):
            "\(output.printable()) does not have an input. Connect a device to this output, or remove the output."
        case .unsupportedAttribute(let edge, let attribute): Self.explanation(edge, attribute)
        case .invalidCrop(let edge, let size):
            "invalid crop of “\(edge.input.printable())” for \(edge.output.printable()). The crop must be within the \(size) frame, and its position, width, and height must be even."
        case .noSuchChannel(let role, let channel, let count):
            "microphone “\(role.printable())” does not have a channel \(channel). It has \(count) channels, numbered from 0."
        case .duplicateOutput(let output):
            "two outputs are named \(output.printable()). Give each track a different name."
        case .invalidFile(let output, let path, let expected):
            "invalid file “\(path.printable())” of \(output.printable()). Choose a path within the session folder that ends in \(expected)."
        case .duplicateFile(let path):
            "several outputs are written to “\(path.printable())”. Only tracks of one movie can share a file. Give each output a separate file."
        case .rawCopy(let output, let pixel):
            "\(output.printable()) cannot copy raw \(pixel.rawValue) frames. Choose the mode `encode`, or another pixel format."
        case .copySizeMismatch(let output, let size, let delivered):
            "\(output.printable()) copies \(delivered) frames, so its size cannot be \(size). Use the size of the camera, or encode the track."
        case .oddSize(let output, let size):
            "\(output.printable()) has an invalid frame size of \(size). Width and height must be even and at least 2."
        case .tooManyChannels(let output, let channels):
            "\(output.printable()) has \(channels) channels, but audio in a movie file can have at most two. Select two channels, or write a WAV file."
        case .emptyProgram:
            "the program shows no camera. Connect an enabled camera to it, or remove the program."
        }
    }

    private static func explanation(_ edge: PlannedConnection, _ attribute: Attribute) -> String {
        let (input, output) = (edge.input.printable(), edge.output.printable())
        return switch attribute {
        case .rotation:
            "“\(input)” cannot be rotated for \(output), because it does not contain frames. Remove the rotation."
        case .mirroring: "“\(input)” cannot be mirrored for \(output). Only the program supports mirroring."
        case .crop:
            "“\(input)” cannot be cropped for \(output). Only the program and encoded tracks support cropping."
        case .channels: "“\(input)” is a camera and does not have channels. Remove the channels."
        case .disabled:
            "\(output) needs “\(input)” from the start. Remove the output, or disable the device after the session has started."
        }
    }
}

extension SessionPlan {
    /// Checks a plan that was built or modified by a client. A plan compiled from a profile is always valid.
    ///
    /// - Returns: All reasons why the plan can't run; empty if it can.
    public func validate() -> [PlanProblem] {
        deviceProblems + programProblems + cameraTracks.flatMap(problems) + microphoneTracks.flatMap(problems)
            + outputProblems + fileProblems
    }

    private var deviceProblems: [PlanProblem] {
        let roles = cameras.map(\.role) + microphones.map(\.role)
        var problems: [PlanProblem] = roles.isEmpty ? [.noDevice] : []
        var taken: Set<String> = []
        for role in roles {
            if !Profile.isValidRole(role) || role == Self.programOwner { problems.append(.invalidRole(role)) }
            if !taken.insert(role).inserted, !problems.contains(.duplicateRole(role)) {
                problems.append(.duplicateRole(role))
            }
        }
        for microphone in microphones {
            let channels = microphone.format.channels
            for channel in microphone.sourceChannels where !(0..<channels).contains(channel) {
                problems.append(.noSuchChannel(role: microphone.role, channel: channel, of: channels))
            }
        }
        return problems
    }

    private var programProblems: [PlanProblem] {
        guard let program else { return [] }
        var problems: [PlanProblem] = []
        let arrangement = program.arrangement
        for role in Set(arrangement.insets + (arrangement.main.isEmpty ? [] : [arrangement.main])).sorted() {
            let edge = PlannedConnection(input: role, output: Self.programOwner)
            if !isCamera(role) {
                problems.append(isMicrophone(role) ? .wrongMedium(edge) : .noSuchInput(edge))
            }
        }
        for role in program.mix where !isMicrophone(role) {
            let edge = PlannedConnection(input: role, output: Self.programOwner)
            problems.append(isCamera(role) ? .duplicateConnection(edge) : .noSuchInput(edge))
        }
        if program.layers.isEmpty { problems.append(.emptyProgram) }
        if !program.settings.size.isEven {
            problems.append(.oddSize(output: Self.programOwner, program.settings.size))
        }
        for layer in program.layers {
            guard let crop = layer.crop, let camera = cameras.first(where: { $0.role == layer.role }),
                !crop.isValidCrop(in: camera.format.size)
            else { continue }
            problems.append(
                .invalidCrop(
                    PlannedConnection(input: layer.role, output: Self.programOwner, crop: crop),
                    camera.format.size))
        }
        return problems
    }

    private func problems(of track: PlannedCameraTrack) -> [PlanProblem] {
        guard !openOutputs.contains(track.output) else { return [] }
        let edge = PlannedConnection(
            input: track.role, output: track.output, rotation: track.rotation, crop: track.crop)
        guard let camera = cameras.first(where: { $0.role == track.role }) else {
            return [isMicrophone(track.role) ? .wrongMedium(edge) : .noSuchInput(edge)]
        }
        var problems: [PlanProblem] = []
        let (pixel, size) = (camera.format.pixel, camera.format.size)
        if let crop = track.crop, !crop.isValidCrop(in: size) { problems.append(.invalidCrop(edge, size)) }
        switch track.mode {
        case .copy:
            if !pixel.isCompressed { problems.append(.rawCopy(output: track.output, pixel)) }
            if track.crop != nil { problems.append(.unsupportedAttribute(edge, .crop)) }
            if track.settings.size != size {
                problems.append(.copySizeMismatch(output: track.output, track.settings.size, delivered: size))
            }
        case .encode:
            if !track.settings.size.isEven {
                problems.append(.oddSize(output: track.output, track.settings.size))
            }
        }
        return problems
    }

    private func problems(of track: PlannedMicrophoneTrack) -> [PlanProblem] {
        guard !openOutputs.contains(track.output) else { return [] }
        let edge = PlannedConnection(input: track.role, output: track.output)
        guard let microphone = microphones.first(where: { $0.role == track.role }) else {
            return [isCamera(track.role) ? .wrongMedium(edge) : .noSuchInput(edge)]
        }
        let channels =
            microphone.sourceChannels.isEmpty ? microphone.format.channels : microphone.sourceChannels.count
        return track.isWave || channels <= 2
            ? [] : [.tooManyChannels(output: track.output, channels: channels)]
    }

    private var outputProblems: [PlanProblem] {
        let outputs = cameraTracks.map(\.output) + microphoneTracks.map(\.output)
        let twice = outputs.filter { output in outputs.count { $0 == output } > 1 }
        return Set(twice).sorted().map { .duplicateOutput($0) }
            + outputs.filter(openOutputs.contains).map { .unconnected(output: $0) }
    }

    private var fileProblems: [PlanProblem] {
        var problems: [PlanProblem] = []
        var taken: Set<String> = []
        func check(_ path: String, of output: String, endings: [String], isShared: Bool = false) {
            if !path.isSafeRelativePath || !endings.contains(where: path.hasSuffix) {
                problems.append(
                    .invalidFile(output: output, path: path, expected: endings.joined(separator: " or ")))
            }
            let isNew = taken.insert(path).inserted
            if !isNew, !isShared, !problems.contains(.duplicateFile(path: path)) {
                problems.append(.duplicateFile(path: path))
            }
        }
        for track in cameraTracks { check(track.file, of: track.output, endings: [".mov"], isShared: true) }
        for track in microphoneTracks {
            check(track.file, of: track.output, endings: [".wav", ".mov"], isShared: !track.isWave)
        }
        if let program { check(program.file, of: Self.programOwner, endings: [".mp4"]) }
        for camera in cameras {
            guard let file = camera.metadataFile else { continue }
            check(file, of: Self.metadataOutput(of: camera.role), endings: [".ndjson"])
        }
        return problems
    }

    private func isCamera(_ role: String) -> Bool { cameras.contains { $0.role == role } }

    private func isMicrophone(_ role: String) -> Bool { microphones.contains { $0.role == role } }
}

extension FrameSize {
    /// Whether encoders accept this frame size. 4:2:0 chroma requires even dimensions.
    fileprivate var isEven: Bool { width >= 2 && height >= 2 && width % 2 == 0 && height % 2 == 0 }
}
