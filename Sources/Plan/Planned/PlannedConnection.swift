public import MulticamMedia

/// A connection between an input and an output of a plan, with its attributes.
///
/// A plan's connections are derived from its devices, tracks, and program, so they are always consistent with
/// these. `SessionPlan.connections` returns the connections; `connect`, `change`, and `disconnect` change
/// them.
public struct PlannedConnection: Sendable, Equatable, Encodable {
    /// Role of the camera or microphone.
    public var input: String
    /// Name of the output: `program`, `cameras/desk`, `audio/host`, `metadata/desk`.
    public var output: String
    /// Whether the output receives data through this connection. The connection of a camera that is hidden in
    /// the program is kept but disabled. In a running session, the connections of muted microphones and
    /// switched-off devices are also kept but disabled. In a plan, a microphone that isn't in the program's
    /// mix doesn't have a connection to the program.
    public var isEnabled: Bool
    /// Clockwise rotation that makes the camera's frames upright. A track stores the rotation in the file's
    /// transformation matrix; the program rotates the pixels.
    public var rotation: Rotation
    /// Whether the frames are mirrored left to right. Only the program supports mirroring.
    public var isMirrored: Bool
    /// The part of the camera's stored frames that is used, in pixels; `nil` for the whole frame.
    public var crop: PixelRectangle?
    /// Channels of the microphone that are used, counted from 0; empty for all channels. All connections of a
    /// microphone use the same channels.
    public var channels: [Int]

    /// Creates a connection from the device of a role to an output.
    public init(
        input: String, output: String, isEnabled: Bool = true, rotation: Rotation = .none,
        isMirrored: Bool = false, crop: PixelRectangle? = nil, channels: [Int] = []
    ) {
        self.input = input
        self.output = output
        self.isEnabled = isEnabled
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.crop = crop
        self.channels = channels
    }

    /// Creates a connection from one port of a role's device to an output. The connection uses the port's
    /// audio channels.
    public init(input: String, port: InputPort, output: String) {
        self.init(input: input, output: output, channels: port.channels)
    }

    /// Whether both connections have the same input and output. The attributes may differ.
    package func isSameEdge(as other: Self) -> Bool { input == other.input && output == other.output }
}

/// How a connection of a plan rotates and mirrors frames.
public struct ConnectionOrientation: Sendable, Equatable {
    /// The method that a connection uses to rotate frames.
    public enum Method: String, Sendable, Codable {
        /// The rotation is stored in the file's metadata for the player. Pixels aren't changed.
        case matrix
        /// Pixels are rotated once, when the frame is drawn into the program.
        case pixels
    }

    /// Method used to rotate the frames.
    public let method: Method
    /// The clockwise rotation of the frames.
    public let rotation: Rotation
    /// Whether the frames are mirrored left to right.
    public let isMirrored: Bool
    /// Whether the rotation can change while the session is running. The rotation stored in a file can't
    /// change.
    package let isChangeable: Bool
}

extension SessionPlan {
    /// Returns the rotations that a connection supports; empty for an audio or metadata connection.
    public func supportedRotations(of connection: PlannedConnection) -> [Rotation] {
        orientation(of: connection) == nil ? [] : Rotation.allCases
    }

    /// Returns how a connection rotates and mirrors its frames.
    ///
    /// - Returns: The rotation and mirroring; `nil` for an audio or metadata connection, or if the plan
    ///   doesn't have this connection.
    public func orientation(of connection: PlannedConnection) -> ConnectionOrientation? {
        guard connections.contains(where: connection.isSameEdge) else { return nil }
        if connection.output == Self.programOwner {
            guard let camera = cameras.first(where: { $0.role == connection.input }) else { return nil }
            let layer = program?.layers.first { $0.role == connection.input }
            return ConnectionOrientation(
                method: .pixels, rotation: layer?.rotation ?? camera.rotation,
                isMirrored: layer?.isMirrored ?? camera.isMirrored, isChangeable: true)
        }
        guard connection.output == "cameras/\(connection.input)",
            let track = cameraTracks.first(where: { $0.role == connection.input })
        else { return nil }
        return ConnectionOrientation(
            method: .matrix, rotation: track.rotation, isMirrored: false, isChangeable: false)
    }

    /// How to display the previews of the plan's cameras, in the order of `cameras`.
    package var previews: [PreviewConnection] { cameras.map(\.preview) }
}

/// The rotation and mirroring that a client must apply when it displays a camera's preview. The session
/// doesn't rotate or mirror the pixels of previews.
package struct PreviewConnection: Sendable, Equatable, Codable {
    /// The camera's role.
    package var role: String
    /// Clockwise rotation of the preview on an upright surface. For other surfaces, use
    /// `RotationCoordinator`.
    package var rotation: Rotation
    /// Whether the preview is mirrored left to right, after the rotation.
    package var isMirrored: Bool
    /// Reason for mirroring or not mirroring the preview, formatted as the end of a sentence.
    package var reason: String

    /// Creates the connection of a camera to its preview.
    package init(role: String, rotation: Rotation, isMirrored: Bool, reason: String) {
        self.role = role
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.reason = reason
    }
}

extension SessionPlan {
    /// The connections between devices and outputs, with their attributes. The connections are derived from
    /// the program's cameras and microphones, the camera tracks, the microphone tracks, and the metadata
    /// files.
    public var connections: [PlannedConnection] {
        shownConnections + heardConnections
            + cameraTracks.filter { !openOutputs.contains($0.output) }.map { track in
                PlannedConnection(
                    input: track.role, output: track.output, rotation: track.rotation, crop: track.crop)
            }
            + microphoneTracks.filter { !openOutputs.contains($0.output) }.map { track in
                PlannedConnection(
                    input: track.role, output: track.output,
                    channels: microphones.first { $0.role == track.role }?.sourceChannels ?? [])
            }
            + cameras.filter { $0.metadataFile != nil }.map {
                PlannedConnection(input: $0.role, output: Self.metadataOutput(of: $0.role))
            }
    }

    private var shownConnections: [PlannedConnection] {
        guard let program else { return [] }
        let shown = program.layers.map { layer in
            PlannedConnection(
                input: layer.role, output: Self.programOwner, rotation: layer.rotation,
                isMirrored: layer.isMirrored, crop: layer.crop)
        }
        let arrangement = program.arrangement
        let hidden = ([arrangement.main] + arrangement.insets).filter { role in
            !program.layers.contains { $0.role == role }
        }
        return shown
            + hidden.compactMap { role in
                cameras.first { $0.role == role }.map { camera in
                    let rotation = arrangement.rotation(of: camera)
                    return PlannedConnection(
                        input: role, output: Self.programOwner, isEnabled: false, rotation: rotation,
                        isMirrored: arrangement.mirroring[role] ?? camera.isMirrored,
                        crop: arrangement.framing(of: camera).part(of: camera.format.size, rotation: rotation)
                    )
                }
            }
    }

    private var heardConnections: [PlannedConnection] {
        (program?.mix ?? []).map { role in
            PlannedConnection(
                input: role, output: Self.programOwner,
                channels: microphones.first { $0.role == role }?.sourceChannels ?? [])
        }
    }

    static func metadataOutput(of role: String) -> String { "metadata/\(role)" }

    // MARK: Changes

    /// Adds a camera without connections. The camera runs and can be used by taps and by connections that are
    /// added later.
    package mutating func addWithoutConnections(_ camera: PlannedCamera) {
        var camera = camera
        camera.metadataFile = nil
        cameras.append(camera)
    }

    /// Adds a microphone without connections. The microphone runs and can be used by taps and by connections
    /// that are added later.
    package mutating func addWithoutConnections(_ microphone: PlannedMicrophone) {
        microphones.append(microphone)
    }

    /// Adds a camera track without an input. The role in `track` is ignored.
    public mutating func addWithoutConnections(_ track: PlannedCameraTrack) {
        cameraTracks.append(track)
        openOutputs.insert(track.output)
    }

    /// Adds a microphone track without an input. The role in `track` is ignored.
    public mutating func addWithoutConnections(_ track: PlannedMicrophoneTrack) {
        microphoneTracks.append(track)
        openOutputs.insert(track.output)
    }

    /// Adds a program without cameras and microphones. The new program replaces an existing program.
    package mutating func addWithoutConnections(_ program: PlannedProgram) {
        var program = program
        program.mix = []
        self.program = program
        arrange { arrangement in
            arrangement.main = ""
            arrangement.insets = []
            arrangement.hidden = []
        }
    }

    /// Connects an input to an output. A camera can be connected to the program, to a track, or to its
    /// metadata file, and a microphone to the program or to a track.
    ///
    /// - Parameter connection: The connection with its attributes. A camera that is added to a program
    ///   becomes its last inset.
    /// - Throws: `PlanProblem` with the first reason why the connection can't be made. If this method throws,
    ///   the plan is unchanged.
    public mutating func connect(_ connection: PlannedConnection) throws(PlanProblem) {
        guard !connections.contains(where: connection.isSameEdge) else {
            throw .duplicateConnection(connection)
        }
        var plan = self
        try plan.attach(connection)
        try plan.applyAttributes(connection)
        self = plan
    }

    /// Changes the attributes of an existing connection.
    ///
    /// - Parameter connection: The input and output of the existing connection, with the new attributes.
    /// - Throws: `PlanProblem` with the first reason why the change isn't possible. If this method throws,
    ///   the plan is unchanged.
    public mutating func change(_ connection: PlannedConnection) throws(PlanProblem) {
        guard connections.contains(where: connection.isSameEdge) else { throw .notConnected(connection) }
        var plan = self
        try plan.applyAttributes(connection)
        self = plan
    }

    /// Removes a connection. Before the plan can run, a track without a connection must be reconnected or removed.
    ///
    /// - Throws: `PlanProblem.notConnected` if the connection doesn't exist.
    public mutating func disconnect(_ connection: PlannedConnection) throws(PlanProblem) {
        guard connections.contains(where: connection.isSameEdge) else { throw .notConnected(connection) }
        let role = connection.input
        if connection.output == Self.programOwner {
            program?.mix.removeAll { $0 == role }
            arrange { arrangement in
                if arrangement.main == role { arrangement.main = arrangement.insets.first ?? "" }
                let main = arrangement.main
                arrangement.insets.removeAll { $0 == role || $0 == main }
                arrangement.hidden.remove(role)
            }
        } else if let index = cameras.firstIndex(where: {
            Self.metadataOutput(of: $0.role) == connection.output
        }) {
            cameras[index].metadataFile = nil
        } else {
            openOutputs.insert(connection.output)
        }
    }

    /// Adds a connection that the plan doesn't have yet.
    private mutating func attach(_ connection: PlannedConnection) throws(PlanProblem) {
        let role = connection.input
        let isCamera = cameras.contains { $0.role == role }
        guard isCamera || microphones.contains(where: { $0.role == role }) else {
            throw .noSuchInput(connection)
        }
        if connection.output == Self.programOwner, let program {
            guard isCamera else {
                self.program?.mix.append(role)
                return
            }
            let isFirst = !cameras.contains { $0.role == program.arrangement.main }
            arrange { arrangement in
                if isFirst { arrangement.main = role } else { arrangement.insets.append(role) }
            }
        } else if let index = cameraTracks.firstIndex(where: { $0.output == connection.output }) {
            guard isCamera else { throw .wrongMedium(connection) }
            guard openOutputs.remove(connection.output) != nil else {
                throw .outputInUse(connection, by: cameraTracks[index].role)
            }
            cameraTracks[index].role = role
        } else if let index = microphoneTracks.firstIndex(where: { $0.output == connection.output }) {
            guard !isCamera else { throw .wrongMedium(connection) }
            guard openOutputs.remove(connection.output) != nil else {
                throw .outputInUse(connection, by: microphoneTracks[index].role)
            }
            microphoneTracks[index].role = role
        } else if let index = cameras.firstIndex(where: {
            Self.metadataOutput(of: $0.role) == connection.output
        }) {
            guard isCamera else { throw .wrongMedium(connection) }
            guard cameras[index].role == role else { throw .outputInUse(connection, by: cameras[index].role) }
            cameras[index].metadataFile = "cameras/\(role).ndjson"
        } else {
            throw .noSuchOutput(connection)
        }
    }

    /// Applies the attributes of `connection` to the existing connection with the same input and output.
    private mutating func applyAttributes(_ connection: PlannedConnection) throws(PlanProblem) {
        if let index = cameras.firstIndex(where: { $0.role == connection.input }) {
            guard connection.channels.isEmpty else { throw .unsupportedAttribute(connection, .channels) }
            try applyAttributes(connection, ofCamera: index)
        } else if let index = microphones.firstIndex(where: { $0.role == connection.input }) {
            guard connection.rotation == .none else { throw .unsupportedAttribute(connection, .rotation) }
            guard !connection.isMirrored else { throw .unsupportedAttribute(connection, .mirroring) }
            guard connection.crop == nil else { throw .unsupportedAttribute(connection, .crop) }
            try applyAttributes(connection, ofMicrophone: index)
        }
    }

    private mutating func applyAttributes(
        _ connection: PlannedConnection, ofCamera index: Int
    ) throws(PlanProblem) {
        let camera = cameras[index]
        if let crop = connection.crop, !crop.isValidCrop(in: camera.format.size) {
            throw .invalidCrop(connection, camera.format.size)
        }
        guard connection.output != Self.programOwner else {
            let shown = connections.first { connection.isSameEdge(as: $0) }
            if connection.crop != shown?.crop { cameras[index].framing = Framing(area: connection.crop) }
            arrange { arrangement in
                arrangement.rotations[camera.role] = connection.rotation
                arrangement.mirroring[camera.role] = connection.isMirrored
                if connection.crop != shown?.crop { arrangement.zooms[camera.role] = nil }
                if connection.isEnabled {
                    arrangement.hidden.remove(camera.role)
                } else {
                    arrangement.hidden.insert(camera.role)
                }
            }
            return
        }
        guard connection.isEnabled else { throw .unsupportedAttribute(connection, .disabled) }
        guard !connection.isMirrored else { throw .unsupportedAttribute(connection, .mirroring) }
        guard let track = cameraTracks.firstIndex(where: { $0.output == connection.output }) else {
            guard connection.rotation == .none else { throw .unsupportedAttribute(connection, .rotation) }
            guard connection.crop == nil else { throw .unsupportedAttribute(connection, .crop) }
            return
        }
        guard connection.crop == nil || cameraTracks[track].mode == .encode else {
            throw .unsupportedAttribute(connection, .crop)
        }
        cameraTracks[track].rotation = connection.rotation
        cameraTracks[track].crop = connection.crop
    }

    private mutating func applyAttributes(
        _ connection: PlannedConnection, ofMicrophone index: Int
    ) throws(PlanProblem) {
        let microphone = microphones[index]
        let channels = microphone.format.channels
        if let missing = connection.channels.first(where: { !(0..<channels).contains($0) }) {
            throw .noSuchChannel(role: microphone.role, channel: missing, of: channels)
        }
        microphones[index].sourceChannels =
            connection.channels == Array(0..<channels) ? [] : connection.channels
        guard !connection.isEnabled else { return }
        guard connection.output == Self.programOwner else {
            throw .unsupportedAttribute(connection, .disabled)
        }
        program?.mix.removeAll { $0 == microphone.role }
    }

    private mutating func arrange(_ change: (inout ProgramArrangement) -> Void) {
        guard var program else { return }
        var arrangement = program.arrangement
        change(&arrangement)
        program.arrange(arrangement, cameras: cameras)
        self.program = program
    }
}

extension PlannedCameraTrack {
    /// Name of the track as an output: `cameras/desk`.
    public var output: String { "cameras/\(name)" }
}

extension PlannedMicrophoneTrack {
    /// Name of the track as an output: `audio/host`.
    public var output: String { "audio/\(name)" }
}

extension PixelRectangle {
    /// Whether the rectangle is inside a frame and has an even position and even dimensions, as 4:2:0 chroma requires.
    func isValidCrop(in size: FrameSize) -> Bool {
        x >= 0 && y >= 0 && width >= 2 && height >= 2 && width <= size.width && height <= size.height
            && x <= size.width - width && y <= size.height - height
            && (x | y) % 2 == 0
            && (width % 2 == 0 || width == size.width) && (height % 2 == 0 || height == size.height)
    }
}
