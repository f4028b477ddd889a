package import MulticamInputs
public import MulticamMedia
public import MulticamPlan
public import MulticamSession
internal import MulticamStills
internal import MulticamSystem

/// The computer whose capacity limits a session.
public struct SessionMachine: Sendable {
    private enum Kind {
        case current
        case model(MachineModel)
        case unlimited
    }

    private let kind: Kind

    /// This computer. A plan that exceeds its budget is reduced, and refused if that isn't enough.
    public static let current = SessionMachine(kind: .current)
    /// Without limits: the cost of the plan isn't predicted, and the plan isn't reduced.
    public static let unlimited = SessionMachine(kind: .unlimited)
    /// A model of a computer, for example of the one that will record.
    package static func model(_ model: MachineModel) -> Self { SessionMachine(kind: .model(model)) }

    /// The model for recordings to a folder; `nil` if there are no limits. Reads several small files, and blocks if a disk
    /// doesn't respond.
    func model(output: String) -> MachineModel? {
        switch kind {
        case .current: ThisMachine(output: output).model
        case .model(let model): model
        case .unlimited: nil
        }
    }
}

extension MulticamSession {
    /// Finds and opens the devices of a configuration. The session doesn't record until it's started.
    ///
    /// ```swift
    /// let session = try await MulticamSession(SessionConfiguration(profile: "pip"))
    /// let recording = try await session.startRecording(in: "recordings")
    /// ```
    ///
    /// The program follows the active speaker, and cameras with `rotation: sensor` follow the computer's orientation, if
    /// the profile says so.
    ///
    /// - Parameters:
    ///   - configuration: The profile, the devices for its roles, and the options of the recordings.
    ///   - machine: The computer whose capacity limits the session. By default, this computer.
    /// - Throws: `SetupError` if the profile or a selector is invalid; if a device is missing or busy, or access is
    ///   denied; or, before any device is opened, if the plan exceeds its budget and can't be reduced enough.
    public convenience init(
        _ configuration: SessionConfiguration, on machine: SessionMachine = .current
    ) async throws(SetupError) {
        let clipLength = configuration.clipLength.map { Nanoseconds($0) }
        if let clipLength, !(Nanoseconds.milliseconds(100)...StillCamera.longestClip).contains(clipLength) {
            throw .usage("the length of the clip around a still must be from 0.1 s to 10 s.")
        }
        let setup = try await MediaThread.perform(named: "setup") { () throws(SetupError) in
            var configuration = configuration
            configuration.machine = machine.model(output: configuration.recording.parentFolder)
            return try SessionSetup(configuration)
        }
        self.init(
            setup, configuration.recording, synchronizedOutputs: configuration.synchronizedOutputs,
            clipLength: clipLength ?? .zero)
        setup.makeVoiceSwitcher(for: self)
        if let rotation = setup.trackRotation(of: self) { keep(rotation) }
    }

    /// Creates a session for a plan that the application has built, with sources for all its devices.
    ///
    /// - Parameters:
    ///   - plan: The tracks and program to record, and their devices.
    ///   - cameras: A source for each camera of the plan, by role, opened but not started.
    ///   - microphones: A source for each microphone of the plan, by role, opened but not started.
    ///   - recording: The options of the recordings.
    public convenience init(
        plan: SessionPlan, cameras: [String: any CameraSource], microphones: [String: any MicrophoneSource],
        recording: RecordingOptions = RecordingOptions()
    ) {
        self.init(SessionSetup(plan: plan, cameras: cameras, microphones: microphones), recording)
    }

    /// Returns the plan for a configuration, not reduced to a computer's capacity; see `cost(of:on:)` for the reduced plan.
    /// Devices are opened only to query them; devices that are reached over a
    /// network are planned in the format that their roles request, and a note says so.
    ///
    /// - Throws: `SetupError` if the profile or a selector is invalid, or if a device is missing or busy, or
    ///   access is denied.
    public static func plan(for configuration: SessionConfiguration) async throws(SetupError) -> SessionPlan {
        try await MediaThread.perform(named: "plan") { () throws(SetupError) in
            try SessionSetup.plan(configuration)
        }
    }

    /// Returns the cost of a configuration on a computer, and the reductions of quality that would be necessary. Devices
    /// are opened only to query them.
    ///
    /// - Returns: The reduced plan and its cost, even if it exceeds the budget; `nil` if the computer has no limits.
    /// - Throws: `SetupError` if the profile or a selector is invalid, or if a device is missing or busy, or
    ///   access is denied.
    public static func cost(
        of configuration: SessionConfiguration, on machine: SessionMachine = .current
    ) async throws(SetupError) -> PlanReduction? {
        try await MediaThread.perform(named: "plan") { () throws(SetupError) in
            guard let model = machine.model(output: configuration.recording.parentFolder) else { return nil }
            return try SessionSetup.reduction(configuration, on: model)
        }
    }

    /// Computes which cameras can run together. Devices are opened only to query them.
    ///
    /// - Parameters:
    ///   - configuration: Lists the cameras to combine. `nil` uses all connected cameras.
    ///   - machine: The computer to run on, which must have limits.
    /// - Returns: The combinations, and notes for the user, one sentence each.
    /// - Throws: `SetupError` if the profile or a selector is invalid, or if a device is missing or busy.
    public static func cameraSets(
        of configuration: SessionConfiguration? = nil, on machine: SessionMachine = .current
    ) async throws(SetupError) -> (sets: CameraSets, notes: [String]) {
        try await MediaThread.perform(named: "plan") { () throws(SetupError) in
            let output = configuration?.recording.parentFolder ?? RecordingOptions().parentFolder
            guard let model = machine.model(output: output) else {
                throw .usage("a computer without limits can run all cameras together.")
            }
            return try SessionSetup.sets(configuration, on: model)
        }
    }

    /// Creates a session for the opened devices. The session doesn't record until it's started.
    ///
    /// - Parameters:
    ///   - setup: The opened devices and their plan.
    ///   - options: The recording's folder, name, duration, and other settings that aren't part of the plan.
    ///   - clock: The session clock. Tests with synthetic devices use a simulated clock.
    ///   - frameTaps: Taps that receive captured frames.
    ///   - audioTaps: Taps that receive aligned audio.
    ///   - metadataTaps: Taps that receive the metadata of each frame.
    ///   - synchronizedOutputs: Outputs that deliver the data of several devices together, tick by tick.
    ///   - clipLength: Length of the clip around each still. Zero disables clips.
    ///   - keepsStreams: Whether H.264 frames are stored permanently, so that a still doesn't wait for a key frame.
    ///   - host: The computer whose system pressure is monitored. `nil` reads this computer; in simulated
    ///     time, `nil` disables the monitoring of system pressure.
    package convenience init(
        _ setup: SessionSetup, _ options: RecordingOptions = RecordingOptions(),
        clock: any SessionClock = MonotonicClock(), frameTaps: [FrameTap] = [], audioTaps: [AudioTap] = [],
        metadataTaps: [MetadataTap] = [], synchronizedOutputs: [SynchronizedOutput] = [],
        clipLength: Nanoseconds = .zero, keepsStreams: Bool = false, host: (any HostReading)? = nil
    ) {
        let stills = SessionStills(
            setup.plan, cameras: setup.cameras, clock: clock, live: clipLength, codecs: setup.codecs,
            keepsStreams: keepsStreams)
        var options = options
        if options.reduction == nil { options.reduction = setup.reduction }
        if options.machine == nil { options.machine = setup.request?.machine }
        if options.writeMemory == nil {
            options.writeMemory = SessionSetup.writeMemory(
                available: FreeMemory.bytes(), folders: options.backup == nil ? 1 : 2)
        }
        if clock.isRealTime { ThreadPriorities.process.setService(RealtimeKit()) }
        self.init(
            plan: setup.plan, cameras: setup.cameras, microphones: stills.tapped(setup.microphones),
            voices: setup.voices, options: options, clock: clock, codecs: setup.codecs,
            frameTaps: frameTaps, audioTaps: audioTaps, metadataTaps: metadataTaps,
            synchronizedOutputs: synchronizedOutputs,
            host: host ?? (clock.isRealTime ? ThisHost() : nil), provider: setup, stills: stills)
    }
}
