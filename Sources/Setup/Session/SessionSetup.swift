internal import Capture
internal import Control
internal import Encoding
internal import FoundationEssentials
internal import Glibc
internal import Host
public import Inputs
public import Media
public import Plan
public import Profiles
public import Session
public import SessionFolder
public import Stills
internal import VirtualDevices

/// Prepares a recording session: finds and opens the devices of a profile.
///
///     let setup = try SessionSetup(SetupRequest(profile: "pip", usesVirtualDevices: true))
///     let session = setup.makeSession(RecordingOptions(parentFolder: "recordings", version: MulticamVersion.current))
///     let result = try await session.record()
///
/// A request with a machine (`ThisMachine(output: "recordings").model`) is reduced to what the computer can do within the
/// profile's budget, or refused.
///
/// A program may bring sources of its own (`init(_:cameras:microphones:)`), and add sinks.
public struct SessionSetup: Sendable {
    /// The plan that runs: reduced when the request's machine makes that necessary.
    public let plan: SessionPlan
    /// The predicted cost of the plan, and what was given up for it; `nil` without a machine.
    public let reduction: PlanReduction?
    /// The cameras by role, opened, not started. A program's own source must deliver the plan's format.
    public var cameras: [String: any CameraSource]
    /// The microphones by role, opened, not started. A program's own source must deliver the plan's format.
    public var microphones: [String: any MicrophoneSource]
    /// The microphones with echo or noise removed, for the roles that want that.
    public var voices: [String: any MicrophoneSource] = [:]
    /// The profile's live outputs with their addresses, which hold keys: to be handed to a `LivePublisher`, and shown to nobody.
    public private(set) var publications: [Publication] = []
    /// The roles that sources of the program play.
    private var ownRoles: Set<String> = []
    /// The microphone roles that record what the computer plays.
    private let monitorRoles: Set<String>
    /// Makes encoders, decoders and resamplers; replaced in tests.
    package var codecs: any CodecFactory = Codecs()
    /// The devices by role, and all connected ones.
    package let devices: Calibrations.Devices
    /// The user's choices to remember; `nil` without a request.
    private let choices: ChoiceRecord?
    /// The request that this was made for; `nil` without one.
    public private(set) var request: SetupRequest?
    /// The profile as it was read for the request, with the request's changes; `nil` without a request. Later changes of its file
    /// do not count.
    private(set) var profile: Profile?
    /// The source of the computer's orientation; `nil` when no camera asks for it.
    private(set) var tracker: (any OrientationTracker)?
    /// Finds the devices of other processes, also those that are added later; `nil` when the program takes none.
    private(set) var remote: (any RemoteSources)?

    /// Finds and opens the devices of a request. The program's own sources are planned in the format that they deliver, costed and
    /// recorded like any other device. Blocks; for devices that other processes send, up to 15 s each.
    ///
    /// - Parameters:
    ///   - request: What to run. What it says of the devices of roles with a source of the program does not count.
    ///   - cameras: The program's own cameras by role, opened, not started.
    ///   - microphones: The program's own microphones by role, opened, not started.
    ///   - tracker: Replaces the computer's accelerometer as the source of its orientation; `nil` for the accelerometer.
    ///   - remote: Finds the devices `remote:NAME` that other processes send: the `devices` of a `MediaServer`. Later it finds those
    ///     that are added or exchanged.
    /// - Throws: `SetupError` when the profile or a selector is invalid, a device is missing, busy or not permitted, the profile
    ///   does not have the role of an own source or wants another format of it, or, before any device is opened, the plan exceeds
    ///   its budget.
    public init(
        _ request: SetupRequest, cameras: [String: any CameraSource] = [:],
        microphones: [String: any MicrophoneSource] = [:], tracker: (any OrientationTracker)? = nil,
        remote: (any RemoteSources)? = nil
    ) throws(SetupError) {
        do {
            try self.init(
                request, calibrations: Calibrations.file, tracker: tracker,
                own: OwnSources(cameras: cameras, microphones: microphones), remote: remote)
        } catch {
            throw error.naming { process in
                process == getpid() ? nil : ControlClient().activity(of: process)
            }
        }
    }

    /// Finds and opens the devices of a request, with the calibrations of a file; with none when it is `nil`.
    package init(
        _ request: SetupRequest, calibrations: StateFile<Calibrations>?,
        tracker: (any OrientationTracker)? = nil, own: OwnSources = OwnSources(),
        remote: (any RemoteSources)? = nil
    ) throws(SetupError) {
        var tracker = tracker
        let asked = try Self.profile(of: request)
        let own = try own.adding(from: remote, for: asked, within: OwnSources.patience)
        let profile = try own.play(in: asked)
        let (plan, reduction, resolver, choices, keys) = try Self.resolve(
            request, profile, own: own, calibrations: calibrations, tracker: &tracker)
        if let reduction, !reduction.fits { throw .overBudget(reduction) }
        try self.init(plan, of: resolver, reduction: reduction, choices: choices)
        publications = keys.publications(of: plan)
        self.profile = profile
        self.tracker = tracker
        self.remote = remote
        self.request = request
    }

    /// Opens the devices of a plan that a resolver has found.
    package init(
        _ plan: SessionPlan, of resolver: DeviceResolver, reduction: PlanReduction? = nil,
        choices: ChoiceRecord? = nil
    ) throws(SetupError) {
        self.choices = choices
        ownRoles = resolver.own.roles
        devices = Calibrations.Devices(resolver)
        self.reduction = reduction
        monitorRoles = Set(resolver.pulseSources.filter { $0.value.isMonitor }.keys)
        cameras = try Self.open(plan, resolver)
        microphones = try Self.openMicrophones(plan, resolver)
        var plan = plan
        for planned in plan.microphones {
            guard let (voice, output) = try Self.openVoice(of: planned, resolver) else { continue }
            voices[planned.role] = voice
            guard let output else { continue }
            plan.notes.append(
                "\(planned.role): what plays through the output “\(output)” is taken out of its echo: choose that output in the "
                    + "program that plays, or with `pactl set-default-sink \(output)`.")
        }
        self.plan = plan
    }

    /// Prepares a plan with the caller's own sources, opened, not started, by role.
    public init(
        plan: SessionPlan, cameras: [String: any CameraSource], microphones: [String: any MicrophoneSource]
    ) {
        self.plan = plan
        choices = nil
        reduction = nil
        monitorRoles = []
        devices = Calibrations.Devices(
            byRole: cameras.mapValues(\.device).merging(microphones.mapValues(\.device)) { $1 },
            cameras: cameras.values.map(\.device), microphones: microphones.values.map(\.device))
        self.cameras = cameras
        self.microphones = microphones
    }

    /// The plan that a request would run. Opens a device only to query it. Network cameras, screens and the devices of other processes
    /// are not connected to: they are planned in the format that their roles want, with a note on it.
    ///
    /// - Returns: The plan, reduced when the request has a machine, whether it fits then or not.
    /// - Throws: `SetupError` when the profile or a selector is invalid, or a device is missing, busy or not permitted.
    public static func plan(_ request: SetupRequest) throws(SetupError) -> SessionPlan {
        try resolve(request, calibrations: Calibrations.file, assumes: true).plan
    }

    /// The cost of a request on a machine, and what would be given up for it. Opens a device only to query it, and connects to none, as
    /// for the plan.
    ///
    /// - Parameters:
    ///   - request: What to run; its own machine is ignored.
    ///   - machine: The computer to run on.
    /// - Returns: The reduced plan and its cost, whether it fits or not.
    /// - Throws: `SetupError` when the profile or a selector is invalid, or a device is missing, busy or not permitted.
    public static func reduction(
        _ request: SetupRequest, on machine: MachineModel
    ) throws(SetupError) -> PlanReduction {
        var request = request
        request.machine = machine
        guard let reduction = try resolve(request, calibrations: Calibrations.file, assumes: true).reduction
        else {
            preconditionFailure("a plan on a machine has no cost")
        }
        return reduction
    }

    /// Compiles a request's plan; devices that nobody connects to now are planned in the format that their roles want, or not at all.
    static func resolve(
        _ request: SetupRequest, calibrations: StateFile<Calibrations>?, assumes: Bool = false
    ) throws(SetupError) -> (
        plan: SessionPlan, reduction: PlanReduction?, resolver: DeviceResolver, choices: ChoiceRecord
    ) {
        var tracker: (any OrientationTracker)?
        let asked = try profile(of: request)
        let (own, profile) = assumes ? OwnSources().assuming(for: asked) : (OwnSources(), asked)
        let (plan, reduction, resolver, choices, _) = try resolve(
            request, profile, own: own, calibrations: calibrations, tracker: &tracker)
        return (plan, reduction, resolver, choices)
    }

    /// Compiles a request's plan. Makes a tracker when a camera asks for the computer's orientation and there is none.
    private static func resolve(
        _ request: SetupRequest, _ profile: Profile, own: OwnSources = OwnSources(),
        calibrations: StateFile<Calibrations>?,
        tracker: inout (any OrientationTracker)?
    ) throws(SetupError) -> (
        plan: SessionPlan, reduction: PlanReduction?, resolver: DeviceResolver, choices: ChoiceRecord,
        keys: PublicationKeys
    ) {
        try own.checkBrings(profile)
        let keys: PublicationKeys
        do throws(ProfileError) {
            keys = try PublicationKeys(of: profile)
        } catch {
            throw .profile(error)
        }
        let (found, resolver, warning) = try Self.found(keys.profile, request, own)
        let choices = ChoiceRecord(request, found, proposal: resolver.proposal)
        do throws(ProfileError) {
            let (measured, second) = calibrations?.read() ?? (Calibrations(), nil)
            let wantsPresets = found.cameras.contains { $0.preset != nil }
            let (kept, third) = (wantsPresets ? ControlPresets.file?.read() : nil) ?? (ControlPresets(), nil)
            let profile = try found.withPresets(
                from: kept, devices: resolver.devices, present: resolver.presentCameras)
            let notes = [warning, second, third].compactMap { $0 } + keys.notes + resolver.notes
            let devices = resolver.devices.turned(for: profile, by: &tracker)
            func corrected(_ plan: SessionPlan) -> SessionPlan {
                var plan = plan
                plan.notes = notes + plan.notes
                return measured.applied(to: plan, with: Calibrations.Devices(resolver))
            }
            guard let machine = request.machine else {
                let plan = try SessionPlan(profile: profile, devices: devices)
                return (corrected(plan), nil, resolver, choices, keys)
            }
            var reduction = try PlanReduction(
                of: profile, devices: devices, on: machine, duration: request.duration)
            reduction.asked = corrected(reduction.asked)
            reduction.plan = corrected(reduction.plan)
            return (reduction.plan, reduction, resolver, choices, keys)
        } catch {
            throw .profile(error)
        }
    }

    /// The profile of a request and its devices.
    ///
    /// - Returns: Both, and a sentence for the user when what is remembered of devices or choices could not be read.
    /// - Throws: `SetupError` when the profile or a selector is invalid, or a device is missing, busy or not permitted.
    package static func found(
        _ request: SetupRequest
    ) throws(SetupError) -> (profile: Profile, resolver: DeviceResolver, warning: String?) {
        try found(try profile(of: request), request)
    }

    private static func found(
        _ profile: Profile, _ request: SetupRequest, _ own: OwnSources = OwnSources()
    ) throws(SetupError) -> (profile: Profile, resolver: DeviceResolver, warning: String?) {
        let selectors = profile.cameras.map(\.device) + profile.microphones.map(\.device)
        let wantsReal = selectors.contains { !VirtualSources.handles($0) && !OwnSources.handles($0) }
        let (memory, warning) = (wantsReal ? DeviceMemory.file?.read() : nil) ?? (DeviceMemory(), nil)
        let (choices, second) = (wantsReal ? ChoiceMemory.file?.read() : nil) ?? (ChoiceMemory(), nil)
        let resolver = try DeviceResolver(
            for: profile, memory: memory, choices: choices, of: request.application, own: own)
        let warnings = [warning, second].compactMap { $0 }
        return (profile, resolver, warnings.isEmpty ? nil : warnings.joined(separator: " "))
    }

    /// The profile that a request names, with the request's changes.
    static func profile(of request: SetupRequest) throws(SetupError) -> Profile {
        do throws(ProfileError) {
            let read: Profile
            if let known = request.readProfile {
                try known.checkRoles()
                read = known
            } else {
                read = try library.load(request.profile)
            }
            var profile = try read.replacingDevices(
                cameras: (request.cameras + [request.followed].compactMap { $0 }).map {
                    ($0.role, $0.selector)
                },
                microphones: request.microphones.map { ($0.role, $0.selector) },
                virtually: request.usesVirtualDevices)
            if request.leavesOutMicrophones { profile = try profile.withoutMicrophones() }
            if request.recordsMetadata { profile.tracks.metadata = .ndjson }
            if !request.isGoverned { profile.budget.governs = false }
            return profile
        } catch {
            throw .profile(error)
        }
    }

    /// The selectors of a request's cameras and microphones, by role, with what it says in place of the profile.
    ///
    /// - Parameter request: What to run.
    /// - Returns: The selectors as they are written.
    /// - Throws: `SetupError.profile` when the profile cannot be read or is invalid.
    public static func selectors(
        of request: SetupRequest
    ) throws(SetupError) -> (cameras: [String: String], microphones: [String: String]) {
        let profile = try profile(of: request)
        return (
            Dictionary(profile.cameras.map { ($0.role, $0.device) }) { $1 },
            Dictionary(profile.microphones.map { ($0.role, $0.device) }) { $1 }
        )
    }

    /// The profiles of this user and of this installation.
    public static var library: ProfileLibrary {
        ProfileLibrary(
            environment: ProcessInfo.processInfo.environment,
            executable: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path)
    }

    /// Reads the profile that a request names, so that later setups of the request use this version of it. Does nothing when the
    /// request has its profile already.
    ///
    /// - Returns: The request with the profile.
    /// - Throws: `SetupError.profile` when the profile cannot be read or is invalid.
    public static func read(_ request: SetupRequest) throws(SetupError) -> SetupRequest {
        var request = request
        guard request.readProfile == nil else { return request }
        do throws(ProfileError) {
            request.readProfile = try library.load(request.profile)
        } catch {
            throw .profile(error)
        }
        return request
    }

    /// The first role with `any`, which gets the preferred camera; `nil` when every role names its own.
    public var leadingRole: String? { choices?.leader }

    /// The rule that decides between recordings which camera the leading role gets: by the profile's policy, with its present
    /// camera, and without those of the other roles. `nil` when there is no such role, or its camera is synthetic.
    public var cameraSelection: CameraSelection? {
        guard let choices, let leader = choices.leader, let current = cameras[leader]?.device,
            let identity = Self.memorable(current)
        else { return nil }
        let others = cameras.filter { $0.key != leader }.values.map(\.device.identity)
        return CameraSelection(policy: choices.policy, current: identity, taken: Set(others))
    }

    /// Remembers which real device plays which role, what a person chose, and the USB bandwidth that the streaming cameras
    /// reserve. Call it once the recording has begun. Synthetic devices and files are not remembered. Waits for the disk, for at
    /// most some seconds; do not call it in a Swift task.
    ///
    /// - Returns: A sentence for the user when what was remembered before could not be read.
    /// - Throws: `StateFileError` when it cannot be written. The recording does not depend on it.
    public func rememberDevices() throws(StateFileError) -> String? {
        let cameras = self.cameras.filter { !ownRoles.contains($0.key) }
            .compactMapValues { Self.memorable($0.device) }
        let microphones = self.microphones
            .filter { !monitorRoles.contains($0.key) && !ownRoles.contains($0.key) }
            .compactMapValues { Self.memorable($0.device) }
        guard let file = DeviceMemory.file, !cameras.isEmpty || !microphones.isEmpty else { return nil }
        let warning = try file.update { memory in
            memory.cameras.merge(cameras) { $1 }
            memory.microphones.merge(microphones) { $1 }
        }
        let streaming = self.cameras.mapValues(\.device).filter { cameras[$0.key] != nil }
        if let choices, !streaming.isEmpty {
            _ = try ChoiceMemory.file?.update { memory in choices.enter(streaming, into: &memory) }
        }
        return try KeptBandwidth.file?.learn(
            from: self.cameras.filter { !ownRoles.contains($0.key) }.values.map { ($0.device, $0.format) })
            ?? warning
    }

    private static func memorable(_ device: CaptureDevice) -> DeviceIdentity? {
        switch device.deviceType {
        case .builtIn, .external, .microphone: device.identity
        case .virtual, .file, .network, .screen: nil
        }
    }

    /// Creates a session on the opened devices, ready to record. Nothing is recorded yet.
    ///
    /// - Parameters:
    ///   - options: The recording's folder, name, duration and further settings beside the plan; by default a folder in
    ///     `recordings`, until stopped.
    ///   - clock: The session clock; simulated for tests with synthetic devices.
    ///   - frameTaps: Sinks for captured frames.
    ///   - audioTaps: Sinks for aligned audio.
    ///   - metadataTaps: Sinks for each frame's metadata.
    ///   - synchronizedOutputs: Sinks for what several devices captured, tick by tick.
    ///   - stills: Takes stills of the session's cameras, with clips that have audio; `nil` for none.
    ///   - host: The computer that system pressure is read from; `nil` reads this one, or none in simulated time.
    /// - Returns: The session.
    public func makeSession(
        _ options: RecordingOptions = RecordingOptions(
            parentFolder: "recordings", version: MulticamVersion.current),
        clock: any SessionClock = MonotonicClock(),
        frameTaps: [FrameTap] = [], audioTaps: [AudioTap] = [], metadataTaps: [MetadataTap] = [],
        synchronizedOutputs: [SynchronizedOutput] = [], stills: SessionStills? = nil,
        host: (any HostReading)? = nil
    ) -> MulticamSession {
        let microphones = stills?.listening(to: self.microphones) ?? self.microphones
        let frameTaps = frameTaps + (stills?.taps ?? [])
        var options = options
        if options.reduction == nil { options.reduction = reduction }
        if options.machine == nil { options.machine = request?.machine }
        if options.writeMemory == nil {
            options.writeMemory = Self.writeMemory(
                available: FreeMemory.bytes(), folders: options.copy == nil ? 1 : 2)
        }
        return MulticamSession(
            plan: plan, cameras: cameras, microphones: microphones, voices: voices, options: options,
            clock: clock,
            codecs: codecs, frameTaps: frameTaps, audioTaps: audioTaps, metadataTaps: metadataTaps,
            synchronizedOutputs: synchronizedOutputs,
            host: host ?? (clock.isRealTime ? ThisHost() : nil))
    }

    /// The memory limit of the queue to each folder's disk: together a quarter of the available memory, from 64 MiB to 2 GiB.
    ///
    /// - Parameters:
    ///   - available: Available memory in bytes; `nil` when the system does not say.
    ///   - folders: The number of folders that the recording is written into.
    /// - Returns: The limit in bytes for each folder; `nil` when the available memory is unknown.
    static func writeMemory(available: Int64?, folders: Int) -> Int? {
        available.map { Int(min(max($0 / 4, 64 << 20), 2 << 30)) / max(folders, 1) }
    }

    /// Opens all cameras in parallel, because a driver may take half a second to agree on a format. When several fail, the error
    /// of the first in the plan is thrown.
    static func open(
        _ plan: SessionPlan, _ resolver: DeviceResolver
    ) throws(SetupError) -> [String: any CameraSource] {
        let roster = CameraRoster()
        let devices = resolver.devices.mapValues(\.device)
        let opened = Parallel.map(plan.cameras, threads: "open") { planned in
            let isCopied = plan.cameraTracks.contains { $0.role == planned.role && $0.mode == .copy }
            return Result { () throws(SetupError) in
                if let own = resolver.own.cameras[planned.role] {
                    try adjust(own, planned.controls)
                    return own
                }
                return try open(
                    planned, devices[planned.role], roster,
                    adoptsOtherSizes: !isCopied && planned.crop == nil)
            }
        }
        var cameras: [String: any CameraSource] = [:]
        for (planned, result) in zip(plan.cameras, opened) { cameras[planned.role] = try result.get() }
        return cameras
    }

    private static func open(
        _ planned: PlannedCamera, _ device: CaptureDevice?, _ roster: CameraRoster, adoptsOtherSizes: Bool
    ) throws(SetupError) -> any CameraSource {
        if VirtualSources.handles(planned.selector) {
            let source: any CameraSource
            do throws(VirtualDeviceError) {
                source = try VirtualSources.camera(
                    selector: planned.selector, role: planned.role, wanted: planned.format)
            } catch {
                throw SetupError(error)
            }
            try adjust(source, planned.controls)
            return source
        }
        guard let device else {
            preconditionFailure("the plan has a camera `\(planned.role)` that was not looked for")
        }
        do throws(DeviceError) {
            return try V4L2Camera(
                device: device, format: planned.format,
                controls: planned.controls, adoptsOtherSizes: adoptsOtherSizes,
                roster: roster)
        } catch {
            throw .device(error)
        }
    }

    /// Sets the controls of a synthetic camera or a file. A real camera's source sets its own when it is opened.
    private static func adjust(
        _ source: any CameraSource, _ controls: [ControlRequest]
    ) throws(SetupError) {
        guard !controls.isEmpty else { return }
        do throws(DeviceError) {
            for outcome in try source.set(ControlGovernor.ordered(controls)) {
                guard let fault = outcome.fault, !outcome.request.isOptional else { continue }
                throw DeviceError(
                    device: source.device.node, operation: "setting \(outcome.request.name.printable())",
                    reason: .control(fault))
            }
        } catch {
            throw .device(error)
        }
    }
}
