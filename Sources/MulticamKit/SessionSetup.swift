internal import Capture
internal import Encoding
internal import Foundation
public import Media
public import Session
internal import VirtualDevices

/// Makes a session ready to record: finds and opens the devices of a profile.
///
///     let setup = try SessionSetup(SetupRequest(profile: "pip", usesVirtualDevices: true))
///     let session = setup.makeSession(RecordingOptions(parentFolder: "recordings", version: MulticamVersion.current))
///     let result = try await session.record()
///
/// A program may exchange a role's source for one of its own (`cameras`, `microphones`) and add sinks.
public struct SessionSetup: Sendable {
    public let plan: SessionPlan
    /// Opened, not started, by role. A source put here must deliver the plan's format.
    public var cameras: [String: any CameraSource]
    public var microphones: [String: any MicrophoneSource]

    /// Finds and opens what a request names.
    ///
    /// - Throws: What is wrong with the profile or a selector, or which device is missing, busy or not permitted.
    public init(_ request: SetupRequest) throws(SetupError) {
        let (plan, resolver) = try Self.resolve(request)
        self.plan = plan
        cameras = [:]
        microphones = [:]
        let roster = CameraRoster()
        for planned in plan.cameras { cameras[planned.role] = try Self.open(planned, resolver, roster) }
        for planned in plan.microphones { microphones[planned.role] = try Self.open(planned, resolver) }
    }

    /// A plan with sources of the caller's own.
    public init(
        plan: SessionPlan, cameras: [String: any CameraSource], microphones: [String: any MicrophoneSource]
    ) {
        self.plan = plan
        self.cameras = cameras
        self.microphones = microphones
    }

    /// What a request would run. Nothing is opened but to ask what it is.
    public static func plan(_ request: SetupRequest) throws(SetupError) -> SessionPlan {
        try resolve(request).plan
    }

    private static func resolve(
        _ request: SetupRequest
    ) throws(SetupError) -> (plan: SessionPlan, resolver: DeviceResolver) {
        let profile: Profile
        do throws(ProfileError) {
            profile = try library.load(request.profile).replacingDevices(
                cameras: request.cameras.map { ($0.role, $0.selector) },
                microphones: request.microphones.map { ($0.role, $0.selector) },
                virtually: request.usesVirtualDevices)
        } catch {
            throw .profile(error)
        }
        let resolver = try DeviceResolver(for: profile)
        do throws(ProfileError) {
            return (try SessionPlan(profile: profile, devices: resolver.devices), resolver)
        } catch {
            throw .profile(error)
        }
    }

    /// The profiles of this user and this installation.
    public static var library: ProfileLibrary {
        ProfileLibrary(
            environment: ProcessInfo.processInfo.environment,
            executable: URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path)
    }

    /// The session, ready to record.
    ///
    /// - Parameters:
    ///   - options: What the recording is given besides its plan: folder, name, duration.
    ///   - clock: Simulated for tests of made-up devices.
    ///   - pictureTaps: Sinks for what cameras capture.
    ///   - soundTaps: Sinks for aligned sound.
    /// - Returns: A session on the devices that were opened here. Nothing is recorded yet.
    public func makeSession(
        _ options: RecordingOptions, clock: any SessionClock = MonotonicClock(),
        pictureTaps: [PictureTap] = [],
        soundTaps: [SoundTap] = []
    ) -> MulticamSession {
        MulticamSession(
            plan: plan, cameras: cameras, microphones: microphones, options: options, clock: clock,
            machinery: Codecs(), pictureTaps: pictureTaps, soundTaps: soundTaps)
    }

    private static func open(
        _ planned: PlannedCamera, _ resolver: DeviceResolver, _ roster: CameraRoster
    ) throws(SetupError) -> any CameraSource {
        if VirtualSources.handles(planned.selector) {
            do throws(VirtualDeviceError) {
                return try VirtualSources.camera(
                    selector: planned.selector, role: planned.role, wanted: planned.format)
            } catch {
                throw SetupError(error)
            }
        }
        guard let found = resolver.devices[planned.role] else {
            preconditionFailure("the plan has a camera `\(planned.role)` that was not looked for")
        }
        do throws(DeviceError) {
            return try V4L2Camera(
                device: found.device, format: planned.format,
                controls: planned.controls.map { ($0.name, $0.value) }, roster: roster)
        } catch {
            throw .device(error)
        }
    }

    private static func open(
        _ planned: PlannedMicrophone, _ resolver: DeviceResolver
    ) throws(SetupError) -> any MicrophoneSource {
        if VirtualSources.handles(planned.selector) {
            do throws(VirtualDeviceError) {
                return try VirtualSources.microphone(selector: planned.selector, role: planned.role)
            } catch {
                throw SetupError(error)
            }
        }
        guard let source = resolver.pulseSources[planned.role] else {
            preconditionFailure("the plan has a microphone `\(planned.role)` that was not looked for")
        }
        do throws(DeviceError) {
            return try PulseMicrophone(source: source, channels: planned.format.channels)
        } catch {
            throw .device(error)
        }
    }
}
