internal import Capture
public import Media
public import Plan

/// Everything that is connected, for `multicam devices` and for programs that let people choose.
public struct DeviceListing: Sendable {
    /// Connected cameras: the preferred one first, the others by the number of their video nodes.
    public let cameras: [CaptureDevice]
    /// Connected microphones, in the sound server's order.
    public let microphones: [CaptureDevice]
    /// The sound server's cards that have inputs, whether they act as microphones now or not.
    public let cards: [SoundCard]
    /// The best camera to use now, and why; `nil` when there is none.
    public let preferredCamera: PreferredDevice?
    /// The connected camera that this application's user chose; `nil` when none is connected.
    public let userPreferredCamera: CaptureDevice?
    /// The microphone that `default` names, and why; `nil` when there is none.
    public let defaultMicrophone: PreferredDevice?
    /// Why cameras or microphones could not be listed.
    public let problems: [DeviceError]
    /// Warnings for the user, one sentence each.
    public let warnings: [String]

    /// Asks the kernel and the sound server. When one fails, the devices of the other are still listed.
    ///
    /// - Parameter application: The application whose user's choices count.
    public init(application: ApplicationIdentifier = .multicam) {
        var problems: [DeviceError] = []
        var sources: [PulseSource] = []
        var cards: [SoundCard] = []
        do throws(DeviceError) {
            sources = try PulseCatalog.microphones()
            cards = try PulseCards.all()
        } catch {
            problems.append(error)
        }
        let (memory, warning) = DeviceMemory.file?.read() ?? (DeviceMemory(), nil)
        let joined = Companions.joined(
            cameras: CameraCatalog().locatedCameras(), microphones: sources.map(\.located))
        let (choices, second) = ChoiceMemory.file?.read() ?? (ChoiceMemory(), nil)
        let told = memory.applied(to: joined.cameras)
        let preference = CameraPreference(
            history: choices[application].cameras, streamed: choices.streamed, present: told)
        let preferred = preference.systemPreferred
        preferredCamera = preferred
        userPreferredCamera = preference.userPreferred
        cameras = told.filter { $0 == preferred?.device } + told.filter { $0 != preferred?.device }
        microphones = joined.microphones
        self.cards = cards
        defaultMicrophone =
            MicrophoneRoute(history: choices[application].microphones, present: joined.microphones).current
        self.problems = problems
        warnings = [warning, second, preference.doubt].compactMap { $0 }
    }
}
