internal import Media

extension SessionPlan {
    /// The edges between devices and outputs, and what each carries. They follow from the plan's parts: cameras of the program, its
    /// microphones, tracks of cameras, tracks of microphones, metadata.
    public var connections: [PlannedConnection] {
        shownConnections + heardConnections
            + cameraTracks.filter { !openOutputs.contains($0.output) }.map { track in
                PlannedConnection(
                    input: track.role, output: track.output, rotation: track.rotation, crop: track.crop)
            }
            + microphoneTracks.filter { !openOutputs.contains($0.output) }.map { track in
                PlannedConnection(
                    input: track.role, output: track.output,
                    channels: microphones.first { $0.role == track.role }?.pick ?? [])
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
                channels: microphones.first { $0.role == role }?.pick ?? [])
        }
    }

    static func metadataOutput(of role: String) -> String { "metadata/\(role)" }

    // MARK: Building

    /// Adds a camera that nothing is connected to: it runs, for taps and for connections to come.
    public mutating func addWithoutConnections(_ camera: PlannedCamera) {
        var camera = camera
        camera.metadataFile = nil
        cameras.append(camera)
    }

    /// Adds a microphone that nothing is connected to: it runs, for taps and for connections to come.
    public mutating func addWithoutConnections(_ microphone: PlannedMicrophone) {
        microphones.append(microphone)
    }

    /// Adds a camera's track that no camera is connected to. The role that it names does not count.
    public mutating func addWithoutConnections(_ track: PlannedCameraTrack) {
        cameraTracks.append(track)
        openOutputs.insert(track.output)
    }

    /// Adds a microphone's track that no microphone is connected to. The role that it names does not count.
    public mutating func addWithoutConnections(_ track: PlannedMicrophoneTrack) {
        microphoneTracks.append(track)
        openOutputs.insert(track.output)
    }

    /// Adds a program, in place of one that is there, that shows no camera and hears no microphone yet.
    public mutating func addWithoutConnections(_ program: PlannedProgram) {
        var program = program
        program.mix = []
        self.program = program
        arrange { arrangement in
            arrangement.main = ""
            arrangement.insets = []
            arrangement.hidden = []
        }
    }

    /// Connects an input to an output: a camera to the program, to a track or to its metadata, a microphone to the program or to a
    /// track.
    ///
    /// - Parameter connection: The connection with what it carries. A camera that is added to a program is the last of its insets.
    /// - Throws: `PlanProblem` with the first reason why the plan cannot have it; the plan is unchanged then.
    public mutating func connect(_ connection: PlannedConnection) throws(PlanProblem) {
        guard !connections.contains(where: connection.isSameEdge) else { throw .connectedTwice(connection) }
        var plan = self
        try plan.attach(connection)
        try plan.carry(connection)
        self = plan
    }

    /// Changes what a connection carries.
    ///
    /// - Parameter connection: The connection's input and output, and what it is to carry.
    /// - Throws: `PlanProblem` with the first reason why it cannot; the plan is unchanged then.
    public mutating func change(_ connection: PlannedConnection) throws(PlanProblem) {
        guard connections.contains(where: connection.isSameEdge) else { throw .notConnected(connection) }
        var plan = self
        try plan.carry(connection)
        self = plan
    }

    /// Removes a connection. A track without one has to be connected anew, or to be removed, before the plan can run.
    ///
    /// - Throws: `PlanProblem.notConnected` when there is no such connection.
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

    /// Makes the edge of a connection that the plan does not have.
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
                throw .taken(connection, by: cameraTracks[index].role)
            }
            cameraTracks[index].role = role
        } else if let index = microphoneTracks.firstIndex(where: { $0.output == connection.output }) {
            guard !isCamera else { throw .wrongMedium(connection) }
            guard openOutputs.remove(connection.output) != nil else {
                throw .taken(connection, by: microphoneTracks[index].role)
            }
            microphoneTracks[index].role = role
        } else if let index = cameras.firstIndex(where: {
            Self.metadataOutput(of: $0.role) == connection.output
        }) {
            guard isCamera else { throw .wrongMedium(connection) }
            guard cameras[index].role == role else { throw .taken(connection, by: cameras[index].role) }
            cameras[index].metadataFile = "cameras/\(role).ndjson"
        } else {
            throw .noSuchOutput(connection)
        }
    }

    /// Has an edge of the plan carry what a connection says.
    private mutating func carry(_ connection: PlannedConnection) throws(PlanProblem) {
        if let index = cameras.firstIndex(where: { $0.role == connection.input }) {
            guard connection.channels.isEmpty else { throw .cannotCarry(connection, .channels) }
            try carry(connection, ofCamera: index)
        } else if let index = microphones.firstIndex(where: { $0.role == connection.input }) {
            guard connection.rotation == .none else { throw .cannotCarry(connection, .rotation) }
            guard !connection.isMirrored else { throw .cannotCarry(connection, .mirroring) }
            guard connection.crop == nil else { throw .cannotCarry(connection, .crop) }
            try carry(connection, ofMicrophone: index)
        }
    }

    private mutating func carry(
        _ connection: PlannedConnection, ofCamera index: Int
    ) throws(PlanProblem) {
        let camera = cameras[index]
        if let crop = connection.crop, !crop.lies(in: camera.format.size) {
            throw .cropOutside(connection, camera.format.size)
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
        guard connection.isEnabled else { throw .cannotCarry(connection, .nothing) }
        guard !connection.isMirrored else { throw .cannotCarry(connection, .mirroring) }
        guard let track = cameraTracks.firstIndex(where: { $0.output == connection.output }) else {
            guard connection.rotation == .none else { throw .cannotCarry(connection, .rotation) }
            guard connection.crop == nil else { throw .cannotCarry(connection, .crop) }
            return
        }
        guard connection.crop == nil || cameraTracks[track].mode == .encode else {
            throw .cannotCarry(connection, .crop)
        }
        cameraTracks[track].rotation = connection.rotation
        cameraTracks[track].crop = connection.crop
    }

    private mutating func carry(
        _ connection: PlannedConnection, ofMicrophone index: Int
    ) throws(PlanProblem) {
        let microphone = microphones[index]
        let channels = microphone.format.channels
        if let missing = connection.channels.first(where: { !(0..<channels).contains($0) }) {
            throw .noSuchChannel(role: microphone.role, channel: missing, of: channels)
        }
        microphones[index].pick = connection.channels == Array(0..<channels) ? [] : connection.channels
        guard !connection.isEnabled else { return }
        guard connection.output == Self.programOwner else { throw .cannotCarry(connection, .nothing) }
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
    /// The name of the track as an output: `cameras/desk`.
    public var output: String { "cameras/\(name)" }
}

extension PlannedMicrophoneTrack {
    /// The name of the track as an output: `audio/host`.
    public var output: String { "audio/\(name)" }
}

extension PixelRectangle {
    /// Whether the rectangle lies within a frame, at an even position and with even sides, as 4:2:0 chroma needs it.
    func lies(in size: FrameSize) -> Bool {
        x >= 0 && y >= 0 && width >= 2 && height >= 2 && width <= size.width && height <= size.height
            && x <= size.width - width && y <= size.height - height
            && (x | y) % 2 == 0
            && (width % 2 == 0 || width == size.width) && (height % 2 == 0 || height == size.height)
    }
}
