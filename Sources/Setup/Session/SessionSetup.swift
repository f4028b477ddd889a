internal import FoundationEssentials
internal import Glibc
internal import MulticamCapture
internal import MulticamControl
internal import MulticamEncoding
internal import MulticamInputs
package import MulticamMedia
package import MulticamPlan
package import MulticamProfiles
package import MulticamSession
internal import MulticamSessionFolder
internal import MulticamStills
internal import MulticamSystem
internal import MulticamVirtualDevices

/// Prepares a recording session: finds and opens the devices of a profile.
///
/// ```swift
/// let setup = try SessionSetup(SessionConfiguration(profile: "pip", usesVirtualDevices: true))
/// let session = MulticamSession(setup, RecordingOptions(parentFolder: "recordings"))
/// let result = try await session.record()
/// ```
///
/// If the request contains a machine model (`ThisMachine(output: "recordings").model`), the plan is reduced to fit the
/// machine within the profile's budget. If the plan can't be reduced enough, the request is rejected.
///
/// An app can supply its own sources (`SessionConfiguration.ownCameras`) and receive frames and audio through taps.
package struct SessionSetup: Sendable {
    /// The plan to run, reduced if necessary to fit the request's machine model.
    package let plan: SessionPlan
    /// The predicted cost of the plan, and the quality reductions that were necessary; `nil` if there is no machine
    /// model.
    package let reduction: PlanReduction?
    /// The cameras by role, opened but not started. A source supplied by the app must deliver the format in the plan.
    package var cameras: [String: any CameraSource]
    /// The microphones by role, opened but not started. A source supplied by the app must deliver the format in the
    /// plan.
    package var microphones: [String: any MicrophoneSource]
    /// The microphones with echo cancellation or noise suppression, for the roles that request it.
    package var voices: [String: any MicrophoneSource] = [:]
    /// The profile's live outputs and their addresses. The addresses contain keys: pass them to a `LivePublisher`, and
    /// don't display them.
    package private(set) var liveOutputs: [LiveOutput] = []
    /// The roles whose sources the app supplies.
    private var suppliedRoles: Set<String> = []
    /// The microphone roles that record the audio output of the computer.
    private let monitorRoles: Set<String>
    /// The factory for encoders, decoders, and resamplers. Tests use a different factory.
    package var codecs: any CodecFactory = Codecs()
    /// The devices by role, and all connected devices.
    package let devices: Calibrations.Devices
    /// The user's choices that will be stored, or `nil` if the setup was created without a request.
    private let choices: ChoiceRecord?
    /// The request that this setup was created for, or `nil` if there is none.
    package private(set) var request: SessionConfiguration?
    /// The profile as read for the request, including the request's changes, or `nil` if there is no request.
    /// Later changes to the profile file have no effect.
    package private(set) var profile: Profile?
    /// Source of the computer's orientation, or `nil` if no camera requests it.
    private(set) var tracker: (any OrientationTracker)?

    /// Finds and opens the devices of a request. Sources supplied by the app are planned in the format that
    /// they deliver. The app's sources are included in the predicted cost and recorded like any other device.
    /// This call blocks, and waits up to 15 s for each device provided by another process.
    ///
    /// - Parameter request: The profile, devices, and the app's own sources.
    /// - Throws: `SetupError` if the profile or a selector is invalid; if a device is missing or busy, or
    ///   access is denied; or if the profile lacks the role of a source supplied by the app, or requires a
    ///   format that the source doesn't deliver. Also thrown, before any device is opened, if the plan
    ///   exceeds its budget.
    package init(
        _ request: SessionConfiguration
    ) throws(SetupError) {
        do {
            try self.init(request, calibrations: Calibrations.file)
        } catch {
            throw error.describingHolder { process in
                process == getpid() ? nil : ControlClient().activity(of: process)
            }
        }
    }

    /// Finds and opens the devices of a request, and applies the calibrations from a file. If the file is `nil`, no
    /// calibrations are applied.
    package init(
        _ request: SessionConfiguration, calibrations: StateFile<Calibrations>?
    ) throws(SetupError) {
        var tracker = request.orientationTracker
        let asked = try Self.profile(of: request)
        try request.check(for: asked)
        let given = SuppliedSources(cameras: request.ownCameras, microphones: request.ownMicrophones)
        // Errors in the configuration are reported before the wait for devices of other processes.
        _ = try given.applied(to: asked, remoteMayFollow: request.remoteDevices != nil)
        let own = try given.adding(
            from: request.remoteDevices, for: asked, within: SuppliedSources.startupTimeout)
        let profile = try own.applied(to: asked)
        let (plan, reduction, resolver, choices, keys) = try Self.resolve(
            request, profile, own: own, calibrations: calibrations, tracker: &tracker)
        if let reduction, !reduction.fits { throw .overBudget(reduction) }
        try self.init(plan, of: resolver, reduction: reduction, choices: choices)
        liveOutputs = keys.liveOutputs(of: plan)
        self.profile = profile
        self.tracker = tracker
        self.request = request
    }

    /// Opens a plan's devices, which the resolver has already found.
    package init(
        _ plan: SessionPlan, of resolver: DeviceResolver, reduction: PlanReduction? = nil,
        choices: ChoiceRecord? = nil
    ) throws(SetupError) {
        self.choices = choices
        suppliedRoles = resolver.suppliedSources.roles
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
                "\(planned.role): echo cancellation removes only audio that is played through the output “\(output)”. Select this output in the program that plays the audio, or run `pactl set-default-sink \(output)`."
            )
        }
        self.plan = plan
    }

    /// Prepares a plan with the caller's own sources by role, opened but not started.
    package init(
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

    /// Returns the plan for a request. Opens devices only to query them. This function doesn't connect to network
    /// cameras, screens, or devices from other processes. Such devices are planned in the format that their roles
    /// request, and a note reports this.
    ///
    /// - Returns: The plan. If the request contains a machine, the plan is reduced, even if it still exceeds
    ///   the budget.
    /// - Throws: `SetupError` if the profile or a selector is invalid, or if a device is missing or busy, or
    ///   access is denied.
    package static func plan(_ request: SessionConfiguration) throws(SetupError) -> SessionPlan {
        try resolve(request, calibrations: Calibrations.file, assumes: true).plan
    }

    /// Returns the cost of a request on a machine, and the quality reductions that would be necessary. Opens devices
    /// only to query them, and doesn't connect to remote devices.
    ///
    /// - Parameters:
    ///   - request: The profile and devices to use. The request's own machine is ignored.
    ///   - machine: The computer to run on.
    /// - Returns: The reduced plan and its cost, even if it exceeds the budget.
    /// - Throws: `SetupError` if the profile or a selector is invalid, or if a device is missing or busy, or
    ///   access is denied.
    package static func reduction(
        _ request: SessionConfiguration, on machine: MachineModel
    ) throws(SetupError) -> PlanReduction {
        var request = request
        request.machine = machine
        guard let reduction = try resolve(request, calibrations: Calibrations.file, assumes: true).reduction
        else {
            preconditionFailure("a plan for a specific machine must include its processing cost")
        }
        return reduction
    }

    /// Compiles a request's plan. Remote devices that aren't connected are either planned in the format that their
    /// roles request, or omitted.
    static func resolve(
        _ request: SessionConfiguration, calibrations: StateFile<Calibrations>?, assumes: Bool = false
    ) throws(SetupError) -> (
        plan: SessionPlan, reduction: PlanReduction?, resolver: DeviceResolver, choices: ChoiceRecord
    ) {
        var tracker: (any OrientationTracker)?
        let asked = try profile(of: request)
        let (own, profile) =
            assumes ? SuppliedSources().addingPlaceholders(for: asked) : (SuppliedSources(), asked)
        let (plan, reduction, resolver, choices, _) = try resolve(
            request, profile, own: own, calibrations: calibrations, tracker: &tracker)
        return (plan, reduction, resolver, choices)
    }

    /// Compiles a request's plan. Creates a tracker if a camera requests the computer's orientation and `tracker` is
    /// `nil`.
    private static func resolve(
        _ request: SessionConfiguration, _ profile: Profile, own: SuppliedSources = SuppliedSources(),
        calibrations: StateFile<Calibrations>?,
        tracker: inout (any OrientationTracker)?
    ) throws(SetupError) -> (
        plan: SessionPlan, reduction: PlanReduction?, resolver: DeviceResolver, choices: ChoiceRecord,
        keys: LiveOutputKeys
    ) {
        try own.checkAllSupplied(in: profile)
        let keys: LiveOutputKeys
        do throws(ProfileError) {
            keys = try LiveOutputKeys(of: profile)
        } catch {
            throw .profile(error)
        }
        let (found, resolver, warning) = try Self.resolveDevices(keys.profile, request, own)
        let choices = ChoiceRecord(request, found, proposal: resolver.proposal)
        do throws(ProfileError) {
            let (measured, second) = calibrations?.read() ?? (Calibrations(), nil)
            let wantsPresets = found.cameras.contains { $0.preset != nil }
            let (kept, third) = (wantsPresets ? ControlPresets.file?.read() : nil) ?? (ControlPresets(), nil)
            let profile = try found.withPresets(
                from: kept, devices: resolver.devices, present: resolver.presentCameras)
            let notes = [warning, second, third].compactMap { $0 } + keys.notes + resolver.notes
            let devices = resolver.devices.withOrientation(for: profile, by: &tracker)
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
                of: profile, devices: devices, on: machine, duration: request.recording.duration)
            reduction.requestedPlan = corrected(reduction.requestedPlan)
            reduction.plan = corrected(reduction.plan)
            return (reduction.plan, reduction, resolver, choices, keys)
        } catch {
            throw .profile(error)
        }
    }

    /// Returns the profile of a request, and the devices for its roles.
    ///
    /// - Returns: The profile, the devices, and a warning for the user if stored device or choice data can't
    ///   be read.
    /// - Throws: `SetupError` if the profile or a selector is invalid, or if a device is missing or busy, or
    ///   access is denied.
    package static func resolveDevices(
        _ request: SessionConfiguration
    ) throws(SetupError) -> (profile: Profile, resolver: DeviceResolver, warning: String?) {
        try resolveDevices(try profile(of: request), request)
    }

    private static func resolveDevices(
        _ profile: Profile, _ request: SessionConfiguration, _ own: SuppliedSources = SuppliedSources()
    ) throws(SetupError) -> (profile: Profile, resolver: DeviceResolver, warning: String?) {
        let selectors = profile.cameras.map(\.device) + profile.microphones.map(\.device)
        let wantsReal = selectors.contains(where: isLocal)
        let (memory, warning) = (wantsReal ? DeviceStore.file?.read() : nil) ?? (DeviceStore(), nil)
        let (choices, second) = (wantsReal ? ChoiceStore.file?.read() : nil) ?? (ChoiceStore(), nil)
        let resolver = try DeviceResolver(
            for: profile, memory: memory, choices: choices, of: request.application, own: own)
        let warnings = [warning, second].compactMap { $0 }
        return (profile, resolver, warnings.isEmpty ? nil : warnings.joined(separator: " "))
    }

    /// Whether a selector names a camera or microphone of this computer: not a virtual device, a file, a network camera,
    /// a screen, a phone, or a device that another process provides.
    package static func isLocal(_ selector: String) -> Bool {
        !VirtualSources.handles(selector) && !SuppliedSources.handles(selector)
    }

    /// Returns the profile named in a request, with the request's changes applied.
    package static func profile(of request: SessionConfiguration) throws(SetupError) -> Profile {
        do throws(ProfileError) {
            let read: Profile
            if let known = request.loadedProfile {
                try known.checkRoles()
                read = known
            } else {
                read = try library.load(request.profile)
            }
            var profile = try read.replacingDevices(
                cameras: (request.cameras + [request.automaticCamera].compactMap { $0 }).map {
                    ($0.role, $0.selector)
                },
                microphones: request.microphones.map { ($0.role, $0.selector) },
                virtually: request.usesVirtualDevices ? request.virtualPattern : nil)
            if request.omitsMicrophones { profile = try profile.withoutMicrophones() }
            if request.recordsMetadata { profile.tracks.metadata = .ndjson }
            if !request.allowsQualityReduction { profile.budget.governs = false }
            return profile
        } catch {
            throw .profile(error)
        }
    }

    /// Returns the selectors of a request's cameras and microphones by role, including the request's overrides of the
    /// profile.
    ///
    /// - Parameter request: The profile and devices to use.
    /// - Returns: The selectors in their original spelling.
    /// - Throws: `SetupError.profile` if the profile can't be read or is invalid.
    package static func selectors(
        of request: SessionConfiguration
    ) throws(SetupError) -> (cameras: [String: String], microphones: [String: String]) {
        let profile = try profile(of: request)
        return (
            Dictionary(profile.cameras.map { ($0.role, $0.device) }) { $1 },
            Dictionary(profile.microphones.map { ($0.role, $0.device) }) { $1 }
        )
    }

    /// The profiles of this user and of this installation.
    package static var library: ProfileLibrary {
        ProfileLibrary(
            environment: ProcessInfo.processInfo.environment,
            executable: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path)
    }

    /// Reads the profile named in a request, so that all later setups of the request use the same version of the
    /// profile. Does nothing if the request already contains its profile.
    ///
    /// - Returns: The request, including the profile.
    /// - Throws: `SetupError.profile` if the profile can't be read or is invalid.
    package static func loadProfile(for request: SessionConfiguration) throws(SetupError)
        -> SessionConfiguration
    {
        var request = request
        guard request.loadedProfile == nil else { return request }
        do throws(ProfileError) {
            request.loadedProfile = try library.load(request.profile)
        } catch {
            throw .profile(error)
        }
        return request
    }

    /// The first role with the selector `any`, which gets the preferred camera, or `nil` if every role names a specific
    /// camera.
    package var leadingRole: String? { choices?.leader }

    /// The rule that selects the leading role's camera between recordings. The rule uses the profile's policy and the
    /// role's current camera, and excludes the cameras of other roles. The value is `nil` if there is no leading role,
    /// or its camera is synthetic.
    package var cameraSelection: CameraSelection? {
        guard let choices, let leader = choices.leader, let current = cameras[leader]?.device,
            let identity = Self.storableIdentity(of: current)
        else { return nil }
        let others = cameras.filter { $0.key != leader }.values.map(\.device.identity)
        return CameraSelection(policy: choices.policy, current: identity, camerasInUse: Set(others))
    }

    /// Stores the assignment of real devices to roles, the user's choices, and the USB bandwidth reserved by the
    /// streaming cameras. Call this after the recording has started. Synthetic devices and files aren't stored. Blocks
    /// on disk I/O for up to several seconds; don't call this from a Swift task.
    ///
    /// - Returns: A warning for the user if previously stored data couldn't be read.
    /// - Throws: `StateFileError` if the data can't be written. The recording isn't affected.
    package func storeDevices() throws(StateFileError) -> String? {
        let cameras = self.cameras.filter { !suppliedRoles.contains($0.key) }
            .compactMapValues { Self.storableIdentity(of: $0.device) }
        let microphones = self.microphones
            .filter { !monitorRoles.contains($0.key) && !suppliedRoles.contains($0.key) }
            .compactMapValues { Self.storableIdentity(of: $0.device) }
        guard let file = DeviceStore.file, !cameras.isEmpty || !microphones.isEmpty else { return nil }
        let warning = try file.update { memory in
            memory.cameras.merge(cameras) { $1 }
            memory.microphones.merge(microphones) { $1 }
        }
        let streaming = self.cameras.mapValues(\.device).filter { cameras[$0.key] != nil }
        if let choices, !streaming.isEmpty {
            _ = try ChoiceStore.file?.update { memory in choices.record(streaming, in: &memory) }
        }
        return try BandwidthStore.file?.recordBandwidth(
            of: self.cameras.filter { !suppliedRoles.contains($0.key) }.values.map { ($0.device, $0.format) })
            ?? warning
    }

    private static func storableIdentity(of device: CaptureDevice) -> DeviceIdentity? {
        switch device.deviceType {
        case .builtIn, .external, .microphone: device.identity
        case .virtual, .file, .network, .screen: nil
        }
    }

    /// Returns the memory limit for the write queue of each folder. All queues together get a quarter of the available
    /// memory, limited to the range from 64 MiB to 2 GiB.
    ///
    /// - Parameters:
    ///   - available: Available memory in bytes. The value is `nil` if the system doesn't report it.
    ///   - folders: Number of folders that the recording is written to.
    /// - Returns: The limit in bytes for each folder, or `nil` if the available memory is unknown.
    static func writeMemory(available: Int64?, folders: Int) -> Int? {
        available.map { Int(min(max($0 / 4, 64 << 20), 2 << 30)) / max(folders, 1) }
    }

    /// Opens all cameras in parallel, because a driver may take half a second to negotiate a format. If several cameras
    /// fail, this function throws the error of the first one in the plan.
    static func open(
        _ plan: SessionPlan, _ resolver: DeviceResolver
    ) throws(SetupError) -> [String: any CameraSource] {
        let roster = CameraRoster()
        let devices = resolver.devices.mapValues(\.device)
        let opened = Parallel.map(plan.cameras, threadName: "open") { planned in
            let isCopied = plan.cameraTracks.contains { $0.role == planned.role && $0.mode == .copy }
            return Result { () throws(SetupError) in
                if let own = resolver.suppliedSources.cameras[planned.role] {
                    try applyControls(own, planned.controls)
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
            try applyControls(source, planned.controls)
            return source
        }
        guard let device else {
            preconditionFailure("no device was found for the planned camera `\(planned.role)`")
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

    /// Sets the controls of a synthetic camera or a file. The source of a real camera sets its controls when it's
    /// opened.
    private static func applyControls(
        _ source: any CameraSource, _ controls: [ControlRequest]
    ) throws(SetupError) {
        guard !controls.isEmpty else { return }
        do throws(DeviceError) {
            for outcome in try source.setControls(ControlGovernor.ordered(controls)) {
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

extension SessionSetup {
    /// Computes which cameras can run together. Opens devices only to query them.
    ///
    /// - Parameters:
    ///   - request: The profile request, which lists the cameras to combine. `nil` uses all connected cameras.
    ///   - machine: The computer to run on: `ThisMachine(output:).model`.
    /// - Returns: The combinations, and notes for the user, one sentence each.
    /// - Throws: `SetupError` if the profile or a selector is invalid, or if a device is missing or busy.
    package static func sets(
        _ request: SessionConfiguration?, on machine: MachineModel
    ) throws(SetupError) -> (sets: CameraSets, notes: [String]) {
        guard let request else { return connectedSets(on: machine) }
        let profile = try profile(of: request)
        // Microphones are omitted because their cost is negligible and they don't have to be connected.
        let cameras = Profile(name: profile.name, cameras: profile.cameras, choice: profile.choice)
        let wantsReal = profile.cameras.contains { !VirtualSources.handles($0.device) }
        let (memory, warning) = (wantsReal ? DeviceStore.file?.read() : nil) ?? (DeviceStore(), nil)
        let choices = (wantsReal ? ChoiceStore.file?.read().content : nil) ?? ChoiceStore()
        let resolver = try DeviceResolver(
            for: cameras, memory: memory, choices: choices, of: request.application)
        let found = profile.cameras.compactMap { camera in
            resolver.devices[camera.role].map {
                SetCamera(
                    name: camera.role, device: $0, pixel: PixelFormat(rawValue: camera.format.rawValue),
                    least: profile.budget)
            }
        }
        return (
            CameraSets(of: found, on: machine, limit: profile.budget.hardwareCost),
            [warning].compactMap { $0 } + cameraLimitNotes(found.count) + resolver.notes
        )
    }

    private static func connectedSets(on machine: MachineModel) -> (sets: CameraSets, notes: [String]) {
        // In this list, each camera has only one node. The bandwidth of cameras in use counts as reserved.
        let present = CameraCatalog().locatedCameras().map(\.device)
        var notes: [String] = []
        let usable = present.filter { camera in
            switch camera.problem {
            case nil: return true
            case .inUse:
                notes.append(
                    "\(camera.name) (\(camera.node)) is in use and was excluded, but its USB bandwidth is counted."
                )
            case .noPermission, .failing:
                notes.append(
                    "\(camera.name) (\(camera.node)) cannot be used.\(onCommandLine(" Run `multicam doctor` to find the cause."))"
                )
            }
            return false
        }
        notes += cameraLimitNotes(usable.count)
        let cameras = usable.map {
            SetCamera(name: $0.node, device: PlannedDevice(selector: $0.selector, device: $0))
        }
        return (CameraSets(of: cameras, on: machine), notes)
    }

    private static func cameraLimitNotes(_ count: Int) -> [String] {
        count > CameraSets.mostCameras
            ? ["only the first \(CameraSets.mostCameras) of \(count) cameras are considered."] : []
    }
}

extension SessionSetup {
    /// Writes a scene to the user's profile. If the profile file belongs to the user, the scene is added to that file.
    /// If the file doesn't belong to the user, a copy is created in the user's profile folder. The rest of the file is
    /// unchanged. Blocks on disk I/O; don't call this from a Swift task.
    ///
    /// - Parameter scene: The scene returned by `MulticamSession.saveScene`.
    /// - Returns: The path of the file, and whether it's a new copy.
    /// - Throws: `ProfileError` with the reason why the scene can't be written. All files are unchanged in this case.
    package func save(_ scene: SceneSettings) throws(ProfileError) -> (path: String, isCopy: Bool) {
        try Self.library.save(scene, in: try profileName())
    }

    /// Deletes a scene from the user's profile. If the profile file belongs to the user, the scene is removed from that
    /// file. If the file doesn't belong to the user, a copy without the scene is created in the user's profile folder.
    /// The rest of the file is unchanged. Blocks on disk I/O; don't call this from a Swift task.
    ///
    /// - Parameter name: The scene's name.
    /// - Returns: The path of the file, and whether it's a new copy; `nil` if the profile doesn't contain the scene.
    /// - Throws: `ProfileError` with the reason why the scene can't be deleted. All files are unchanged in this case.
    package func delete(sceneNamed name: String) throws(ProfileError) -> (path: String, isCopy: Bool)? {
        try Self.library.delete(sceneNamed: name, in: try profileName())
    }

    private func profileName() throws(ProfileError) -> String {
        guard let request, profile?.source.isText ?? false else {
            throw ProfileError(
                file: plan.profile, found: "a profile without a file", expected: "a profile file")
        }
        return request.profile
    }
}
