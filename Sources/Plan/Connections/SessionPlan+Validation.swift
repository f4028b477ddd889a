internal import Media
internal import Profiles

extension SessionPlan {
    /// Checks a plan that was built or changed by hand. The plan of a profile has no problem.
    ///
    /// - Returns: Every reason why the plan cannot be run; empty when it can.
    public func validate() -> [PlanProblem] {
        deviceProblems + programProblems + cameraTracks.flatMap(problems) + microphoneTracks.flatMap(problems)
            + outputProblems + fileProblems
    }

    private var deviceProblems: [PlanProblem] {
        let roles = cameras.map(\.role) + microphones.map(\.role)
        var problems: [PlanProblem] = roles.isEmpty ? [.noDevice] : []
        var taken: Set<String> = []
        for role in roles {
            if !Profile.isRole(role) || role == Self.programOwner { problems.append(.role(role)) }
            if !taken.insert(role).inserted, !problems.contains(.roleTwice(role)) {
                problems.append(.roleTwice(role))
            }
        }
        for microphone in microphones {
            let channels = microphone.format.channels
            for channel in microphone.pick where !(0..<channels).contains(channel) {
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
            problems.append(isCamera(role) ? .connectedTwice(edge) : .noSuchInput(edge))
        }
        if program.layers.isEmpty { problems.append(.emptyProgram) }
        if !program.settings.size.isEven {
            problems.append(.oddSize(output: Self.programOwner, program.settings.size))
        }
        for layer in program.layers {
            guard let crop = layer.crop, let camera = cameras.first(where: { $0.role == layer.role }),
                !crop.lies(in: camera.format.size)
            else { continue }
            problems.append(
                .cropOutside(
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
        if let crop = track.crop, !crop.lies(in: size) { problems.append(.cropOutside(edge, size)) }
        switch track.mode {
        case .copy:
            if !pixel.isCompressed { problems.append(.rawCopy(output: track.output, pixel)) }
            if track.crop != nil { problems.append(.cannotCarry(edge, .crop)) }
            if track.settings.size != size {
                problems.append(.sizeOfCopy(output: track.output, track.settings.size, delivered: size))
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
        let channels = microphone.pick.isEmpty ? microphone.format.channels : microphone.pick.count
        return track.isWave || channels <= 2 ? [] : [.wideAudio(output: track.output, channels: channels)]
    }

    private var outputProblems: [PlanProblem] {
        let outputs = cameraTracks.map(\.output) + microphoneTracks.map(\.output)
        let twice = outputs.filter { output in outputs.count { $0 == output } > 1 }
        return Set(twice).sorted().map { .outputTwice($0) }
            + outputs.filter(openOutputs.contains).map { .unconnected(output: $0) }
    }

    private var fileProblems: [PlanProblem] {
        var problems: [PlanProblem] = []
        var taken: Set<String> = []
        func check(_ path: String, of output: String, endings: [String], isShared: Bool = false) {
            if !path.isPathWithin || !endings.contains(where: path.hasSuffix) {
                problems.append(
                    .file(output: output, path: path, expected: endings.joined(separator: " or ")))
            }
            let isNew = taken.insert(path).inserted
            if !isNew, !isShared, !problems.contains(.fileTwice(path: path)) {
                problems.append(.fileTwice(path: path))
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
    /// Whether an encoder takes frames of this size: even sides, as 4:2:0 chroma needs them.
    fileprivate var isEven: Bool { width >= 2 && height >= 2 && width % 2 == 0 && height % 2 == 0 }
}
