package import MulticamMedia
internal import MulticamProfiles

/// A reason why a plan can't run or a connection can't be made.
public struct PlanProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// A connection attribute that only some kinds of connections support.
    package enum Attribute: String, Sendable {
        case rotation, mirroring, crop, channels
        /// The state of a connection that isn't enabled.
        case disabled
    }

    /// User-readable sentence with the problem, its location in the plan, and a remedy.
    public let description: String

    private init(_ description: String) { self.description = description }
}

extension PlanProblem {
    /// The plan has neither a camera nor a microphone.
    package static var noDevice: Self {
        Self(
            "the plan does not contain a camera or microphone. Add one.")
    }

    /// The name of a role is invalid or reserved.
    package static func invalidRole(_ role: String) -> Self {
        Self(
            "“\(role.printable())” is not a valid role. Use 1 to 32 lowercase letters, digits, - and _, starting with a letter or digit, and "
                + "do not use “program”.")
    }

    /// Two devices have the same role.
    package static func duplicateRole(_ role: String) -> Self {
        Self(
            "two devices have the role “\(role.printable())”. Give each device a different role.")
    }

    /// The camera or microphone of a role hasn't been opened.
    package static func missingSource(role: String) -> Self {
        Self(
            "the role “\(role.printable())” has no open camera or microphone. Pass an open device for this role to the session."
        )
    }

    /// No device of the plan has the role that the connection names as its input.
    package static func noSuchInput(_ edge: PlannedConnection) -> Self {
        Self(
            "\(edge.output.printable()) is connected to “\(edge.input.printable())”, which is not a camera or microphone of the plan. Add the device first."
        )
    }

    /// The plan doesn't have the output that the connection names.
    package static func noSuchOutput(_ edge: PlannedConnection) -> Self {
        Self(
            "“\(edge.input.printable())” is connected to “\(edge.output.printable())”, which is not an output of the plan. Add that output first."
        )
    }

    /// A microphone is connected to a video output, or a camera to an audio output.
    package static func wrongMedium(_ edge: PlannedConnection) -> Self {
        Self(
            "“\(edge.input.printable())” cannot be connected to \(edge.output.printable()). Connect cameras to the program, cameras/… or metadata/…, and microphones to the program or audio/…."
        )
    }

    /// The plan already has this connection.
    package static func duplicateConnection(_ edge: PlannedConnection) -> Self {
        Self(
            "“\(edge.input.printable())” is already connected to \(edge.output.printable()). Change that connection instead."
        )
    }

    /// The plan doesn't have this connection.
    package static func notConnected(_ edge: PlannedConnection) -> Self {
        Self(
            "“\(edge.input.printable())” is not connected to \(edge.output.printable()). Connect it first.")
    }

    /// The output accepts only one input and is already connected.
    package static func outputInUse(_ edge: PlannedConnection, by other: String) -> Self {
        Self(
            "\(edge.output.printable()) already has the input “\(other.printable())”, and a track can have only one input. Disconnect that input, or add another track."
        )
    }

    /// A track isn't connected to a camera or microphone.
    package static func unconnected(output: String) -> Self {
        Self(
            "\(output.printable()) does not have an input. Connect a device to this output, or remove the output."
        )
    }

    /// A connection of this kind doesn't support this attribute.
    package static func unsupportedAttribute(_ edge: PlannedConnection, _ attribute: Attribute) -> Self {
        Self(
            explanation(edge, attribute))
    }

    /// The crop extends beyond the camera's frame, or its position or dimensions aren't even.
    package static func invalidCrop(_ edge: PlannedConnection, _ size: FrameSize) -> Self {
        Self(
            "invalid crop of “\(edge.input.printable())” for \(edge.output.printable()). The crop must be within the \(size) frame, and its position, width, and height must be even."
        )
    }

    /// The microphone doesn't have the channel with this index, counted from 0.
    package static func noSuchChannel(role: String, channel: Int, of count: Int) -> Self {
        Self(
            "microphone “\(role.printable())” does not have a channel \(channel). It has \(count) channels, numbered from 0."
        )
    }

    /// Two tracks have the same name.
    package static func duplicateOutput(_ output: String) -> Self {
        Self(
            "two outputs are named \(output.printable()). Give each track a different name.")
    }

    /// An output's file path is outside the session folder, or the file extension doesn't match the file
    /// type.
    package static func invalidFile(output: String, path: String, expected: String) -> Self {
        Self(
            "invalid file “\(path.printable())” of \(output.printable()). Choose a path within the session folder that ends in \(expected)."
        )
    }

    /// Two outputs that can't share a file use the same path.
    package static func duplicateFile(path: String) -> Self {
        Self(
            "several outputs are written to “\(path.printable())”. Only tracks of one movie can share a file. Give each output a separate file."
        )
    }

    /// A copied track is connected to a camera with raw frames, which can't be copied.
    package static func rawCopy(output: String, _ pixel: PixelFormat) -> Self {
        Self(
            "\(output.printable()) cannot copy raw \(pixel.rawValue) frames. Choose the mode `encode`, or another pixel format."
        )
    }

    /// The size of a copied track differs from the size that its camera delivers.
    package static func copySizeMismatch(output: String, _ size: FrameSize, delivered: FrameSize) -> Self {
        Self(
            "\(output.printable()) copies \(delivered) frames, so its size cannot be \(size). Use the size of the camera, or encode the track."
        )
    }

    /// The width or height of encoded frames is odd or too small.
    package static func oddSize(output: String, _ size: FrameSize) -> Self {
        Self(
            "\(output.printable()) has an invalid frame size of \(size). Width and height must be even and at least 2."
        )
    }

    /// A movie's audio has more than two channels.
    package static func tooManyChannels(output: String, channels: Int) -> Self {
        Self(
            "\(output.printable()) has \(channels) channels, but audio in a movie file can have at most two. Select two channels, or write a WAV file."
        )
    }

    /// The program doesn't show any camera.
    package static var emptyProgram: Self {
        Self(
            "the program shows no camera. Connect an enabled camera to it, or remove the program.")
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
