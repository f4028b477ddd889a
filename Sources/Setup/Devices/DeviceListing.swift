internal import Capture
public import Media
public import Plan

/// Everything that is connected: for `multicam devices` and programs that let people choose.
public struct DeviceListing: Sendable {
    /// The preferred one first, then by their nodes' numbers.
    public let cameras: [CaptureDevice]
    public let microphones: [CaptureDevice]
    /// Cards of the sound server that could be microphones, whether they are now or not.
    public let cards: [SoundCard]
    /// The best camera to use now, and why; `nil` where there is none.
    public let preferredCamera: PreferredDevice?
    /// What the user of this application chose that is there; `nil` where nothing is.
    public let userPreferredCamera: CaptureDevice?
    /// What `default` means, and why.
    public let defaultMicrophone: PreferredDevice?
    /// Why a kind of device could not be listed.
    public let problems: [DeviceError]
    /// What else the user should know: sentences.
    public let warnings: [String]

    /// Asks the kernel and the sound server. Either may fail without hiding what the other has.
    ///
    /// - Parameter application: Whose user's choices count.
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
