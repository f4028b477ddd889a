internal import FoundationEssentials
internal import Glibc
package import MulticamMedia
package import MulticamProfiles

/// The complete description of a session: devices, outputs, and the connections between them.
///
/// A profile compiles to a plan once its devices are known. A client can also build a plan in code;
/// `validate` returns the reasons why such a plan can't run. A plan can be checked, printed, compared, and
/// run. A running session can replace its plan with another plan.
public struct SessionPlan: Sendable, Equatable, Encodable {
    /// The profile's name.
    package var profile: String
    /// Cameras in order of priority. If the plan exceeds its budget, the last camera is reduced first.
    public var cameras: [PlannedCamera]
    /// The microphones, in the profile's order.
    public var microphones: [PlannedMicrophone]
    /// The composed program; `nil` for a session without a program.
    public var program: PlannedProgram?
    /// ISO tracks of the cameras.
    public var cameraTracks: [PlannedCameraTrack]
    /// Separate tracks of the microphones.
    public var microphoneTracks: [PlannedMicrophoneTrack]
    /// Names of outputs that aren't connected yet (`addWithoutConnections`).
    package internal(set) var openOutputs: Set<String> = []
    /// Maximum frame and sample losses that the recording tolerates.
    package var limits: RecordingLimits
    /// The share of the machine that the plan may use, and the policy that applies if the plan needs more.
    package var budget: BudgetSettings
    /// One sentence for each decision of the plan compiler that users should know about.
    package var notes: [String]
    /// Title and people to store in the recording, and editing projects to write at its end; `nil` if the
    /// profile doesn't set any.
    package var editing: EditingSettings? = nil
    /// The live outputs, in the profile's order.
    package var liveOutputs: [PlannedLiveOutput] = []

    /// Number of movie and WAV files that a recording of this plan writes.
    package var fileCount: Int { cameraTracks.count + microphoneTracks.count + (program == nil ? 0 : 1) }

    /// Creates an empty plan.
    ///
    /// - Parameters:
    ///   - name: Name of the plan in the manifest, like the name of a profile.
    ///   - budget: Limits of the session's cost.
    package init(named name: String, budget: BudgetSettings = BudgetSettings()) {
        self.init(profile: name, budget: budget)
    }

    /// Creates a plan from its parts. The connections are derived from the roles in the tracks and the
    /// program.
    package init(
        profile: String, cameras: [PlannedCamera] = [], microphones: [PlannedMicrophone] = [],
        program: PlannedProgram? = nil, cameraTracks: [PlannedCameraTrack] = [],
        microphoneTracks: [PlannedMicrophoneTrack] = [], limits: RecordingLimits = RecordingLimits(),
        budget: BudgetSettings = BudgetSettings(), notes: [String] = []
    ) {
        self.profile = profile
        self.cameras = cameras
        self.microphones = microphones
        self.program = program
        self.cameraTracks = cameraTracks
        self.microphoneTracks = microphoneTracks
        self.limits = limits
        self.budget = budget
        self.notes = notes
    }
}

extension SessionPlan {
    /// Compiles a profile for the devices that were found, without opening any device.
    ///
    /// - Parameters:
    ///   - profile: The profile. Errors name the profile's fields.
    ///   - devices: The devices by role, for every camera and microphone of the profile.
    ///   - encoders: Hardware encoders that were tested on the computer that will run the plan.
    /// - Throws: `ProfileError` if a device doesn't meet its role's requirements: wrong kind, unsupported size or pixel
    ///   format, raw frames for a copied track, a crop outside the frame, or a missing channel. The error is also
    ///   thrown if the profile requires a hardware encoder and none accepts the stream.
    package init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder] = []
    ) throws(ProfileError) {
        var compiler = PlanCompiler(profile: profile, devices: devices, encoders: encoders)
        self = try compiler.plan()
    }

    /// Compiles a profile and replaces the formats of some cameras, by role. A crop keeps its relative
    /// position in the smaller frame.
    init(
        profile: Profile, devices: [String: PlannedDevice], encoders: [TriedEncoder],
        lowered: [String: CameraFormatChoice]
    ) throws(ProfileError) {
        var compiler = PlanCompiler(
            profile: profile, devices: devices, encoders: encoders, lowered: lowered)
        self = try compiler.plan()
    }
}

extension SessionPlan {
    /// Whether the plan writes files, which requires a program, a camera track, or a microphone track.
    package var writesAnything: Bool {
        program != nil || !cameraTracks.isEmpty || !microphoneTracks.isEmpty
    }

    /// A copy of the plan without tracks. Devices and the program with its arrangement are kept.
    package var withoutTracks: Self {
        var plan = self
        plan.cameraTracks = []
        plan.microphoneTracks = []
        for index in plan.cameras.indices { plan.cameras[index].metadataFile = nil }
        return plan
    }
}

extension SessionPlan {
    /// The mix of the program's audio.
    package var mix: ProgramMix {
        let mixed = microphones.filter { program?.mix.contains($0.role) ?? false }
        return ProgramMix(
            gains: Dictionary(
                mixed.map { ($0.role, Float(pow(10, $0.gain / 20))) }, uniquingKeysWith: { first, _ in first }
            ),
            processing: Dictionary(
                microphones.map { ($0.role, $0.processing) }, uniquingKeysWith: { first, _ in first }),
            mixProcessing: program?.mixProcessing ?? .off)
    }
}

/// How the program's audio is mixed from the microphones.
package struct ProgramMix: Sendable, Equatable {
    /// Linear gain of each microphone, by role. Microphones without an entry aren't mixed.
    package var gains: [String: Float]
    /// The processing of each microphone, by role, before its gain.
    package var processing: [String: SoundProcessing]
    /// The processing of the mix.
    package var mixProcessing: SoundProcessing

    /// Creates a mix; the default is silence.
    package init(
        gains: [String: Float] = [:], processing: [String: SoundProcessing] = [:],
        mixProcessing: SoundProcessing = .off
    ) {
        self.gains = gains
        self.processing = processing
        self.mixProcessing = mixProcessing
    }
}

extension SessionPlan {
    /// Returns a copy of the plan that uses x264 instead of a hardware encoder for each stream in `streams`.
    /// A stream is named `program` or after its role.
    package func withoutHardware(for streams: Set<String>) -> Self {
        var plan = self
        if streams.contains(Self.programOwner) { plan.program?.settings.hardware = nil }
        for index in plan.cameraTracks.indices where streams.contains(plan.cameraTracks[index].role) {
            plan.cameraTracks[index].settings.hardware = nil
        }
        return plan
    }

    /// Returns the frame rate of an encoded stream, which is named `program` or after its role; `nil` if the
    /// plan doesn't encode this stream.
    package func rate(ofStream name: String) -> FrameRate? {
        encoders.first { $0.owner == name }?.settings.rate
    }
}

extension SessionPlan {
    /// Whether a camera's frames must be decoded, because an output shows the camera or because a scene or
    /// another layout of the program may show it later.
    package func decodes(_ role: String) -> Bool {
        (program.map { ([$0.arrangement.main] + $0.arrangement.insets).contains(role) } ?? false)
            || (program?.scenes.contains { $0.shown.contains(role) } ?? false)
            || cameraTracks.contains { $0.role == role && $0.mode == .encode }
            || liveOutputs.contains { $0.source == role }
    }

    /// Whether several outputs need a camera's JPEGs in full resolution, so that each JPEG is decoded only
    /// once and the outputs share the decoded frame.
    package func sharesDecoding(_ role: String) -> Bool {
        guard let camera = cameras.first(where: { $0.role == role }), camera.format.pixel == .mjpeg else {
            return false
        }
        let layers =
            (program?.layers ?? []) + cameraTracks.filter { $0.mode == .encode }.map(\.layer)
        return layers.count { $0.role == role && $0.decodingScale(of: camera) == .whole } > 1
    }
}

extension SessionPlan {
    /// Detection types of a camera, including the faces that automatic framing needs.
    package func detection(of camera: PlannedCamera) -> [DetectionKind] {
        let isFramed = program.map { $0.arrangement.framingMode(of: camera) != .off } ?? false
        return DetectionKind.allCases.filter {
            camera.detection.contains($0) || $0 == .faces && isFramed
        }
    }

    /// Whether the frames of any camera are searched for faces or codes.
    package var analyzesFrames: Bool { cameras.contains { !detection(of: $0).isEmpty } }

    /// Analyzed frames per second and camera, and their number while the governor reduces the load.
    package static let analysisRates = (usual: FrameRate(5, per: 1), reduced: FrameRate(1, per: 1))

    /// Size of the analyzed frames of a camera: at most 640 pixels wide and high, and with the camera's aspect ratio.
    package static func analysisSize(of frame: FrameSize) -> FrameSize {
        let longest = 640.0
        let scale = min(1, longest / Double(max(frame.width, frame.height, 1)))
        func side(_ length: Int) -> Int { max(2, Int(rounding: Double(length) * scale / 2) * 2) }
        return FrameSize(width: side(frame.width), height: side(frame.height))
    }
}

extension PlannedCameraTrack {
    /// A layer that fills the whole frame of an encoded track with the camera's frame.
    package var layer: PlannedLayer {
        let size = settings.size
        let whole = PixelRectangle(x: 0, y: 0, width: size.width, height: size.height)
        return PlannedLayer(role: role, LayerShape(whole, fit: crop == nil ? .contain : .cover, crop: crop))
    }
}

extension PlannedLayer {
    /// Returns the scale at which a camera's JPEGs are decoded for this layer, as `FramePainter` chooses it;
    /// `nil` if no part of the camera's frame is visible.
    func decodingScale(of camera: PlannedCamera) -> JPEGScale? {
        guard
            let place = Placement(
                of: camera.format.size, pixel: shape.pixelAspect, crop: shape.crop, rotation: shape.rotation,
                fit: shape.fit, into: shape.rectangle)
        else { return nil }
        let shown = shape.rotation.swapsSides ? place.target.size.transposed : place.target.size
        return JPEGScale.smallest(for: place.source.size, wanted: shape.isCoarse ? shown.halved : shown)
    }
}

extension SessionPlan {
    /// Lowest rate of the leading frame grid, in hertz, at which the grid's ticks wake the timeline often
    /// enough to process audio. At this rate, a 20 ms audio block waits less than three times its duration.
    /// With a slower grid, the timeline also wakes for each audio block.
    package static let minWakeupRate = 20.0
}
