internal import MulticamCapture
package import MulticamMedia
package import MulticamPlan

/// All connected devices, for `multicam devices` and for apps with a device picker.
package struct DeviceListing: Sendable {
    /// Connected cameras. The preferred camera comes first, followed by the others in order of their video node
    /// numbers.
    package let cameras: [CaptureDevice]
    /// Connected microphones, in the sound server's order.
    package let microphones: [CaptureDevice]
    /// The sound cards with inputs, including cards whose inputs aren't currently available as microphones.
    package let cards: [SoundCard]
    /// The best camera to use now, and the reason; `nil` if no camera is available.
    package let preferredCamera: PreferredDevice?
    /// The connected camera chosen by the user of this application, or `nil` if no chosen camera is connected.
    package let userPreferredCamera: CaptureDevice?
    /// The microphone that `default` refers to, and the reason; `nil` if no microphone is available.
    package let defaultMicrophone: PreferredDevice?
    /// The reasons why cameras or microphones can't be listed.
    package let problems: [DeviceError]
    /// Warnings for the user, one sentence each.
    package let warnings: [String]

    /// Queries the kernel for cameras and the sound server for microphones. If one query fails, the results
    /// of the other query are still listed.
    ///
    /// - Parameter application: The application that the user's stored choices belong to.
    package init(application: ApplicationIdentifier = .multicam) {
        var problems: [DeviceError] = []
        var sources: [PulseSource] = []
        var cards: [SoundCard] = []
        do throws(DeviceError) {
            sources = try PulseCatalog.microphones()
            cards = try PulseCards.all()
        } catch {
            problems.append(error)
        }
        let (memory, warning) = DeviceStore.file?.read() ?? (DeviceStore(), nil)
        let joined = Companions.joined(
            cameras: CameraCatalog().locatedCameras(), microphones: sources.map(\.located))
        let (choices, second) = ChoiceStore.file?.read() ?? (ChoiceStore(), nil)
        let annotated = memory.applied(to: joined.cameras)
        let preference = CameraPreference(
            history: choices[application].cameras, streamed: choices.streamed, present: annotated)
        let preferred = preference.systemPreferred
        preferredCamera = preferred
        userPreferredCamera = preference.userPreferred
        cameras = annotated.filter { $0 == preferred?.device } + annotated.filter { $0 != preferred?.device }
        microphones = joined.microphones
        self.cards = cards
        defaultMicrophone =
            MicrophoneRoute(history: choices[application].microphones, present: joined.microphones).current
        self.problems = problems
        warnings = [warning, second, preference.ambiguityWarning].compactMap { $0 }
    }
}

extension DeviceListing {
    /// Returns the device nodes and names of the connected cameras. Doesn't open any camera, so streaming cameras
    /// aren't disturbed.
    package static func presentCameras() -> [(selector: String, name: String)] {
        PresentCameras().devices().map { ($0.node, $0.name) }
    }

    /// Returns the selectors and names of the sound server's microphones. Returns an empty list if there is
    /// no sound server. Blocks for a few seconds at most.
    package static func presentMicrophones() -> [(selector: String, name: String)] {
        do throws(DeviceError) {
            return try PulseCatalog.microphones().map { ("pulse:\($0.name)", $0.description) }
        } catch {
            return []
        }
    }
}

/// Configures a sound card in the sound server: the active card profile and the input port of the microphone.
package enum SoundCardSetting {
    /// Switches a card to another profile or port. The sound server persists both settings.
    ///
    /// - Parameters:
    ///   - selector: A microphone's selector, or all or part of a card's name or description.
    ///   - profile: The card profile to activate. `nil` keeps the current setting.
    ///   - port: The microphone's port in the card profile. `nil` keeps the current setting.
    /// - Returns: The devices as listed after the change.
    /// - Throws: `DeviceError` if the card, profile, or port doesn't exist, or if the sound server rejects the change.
    package static func apply(
        to selector: String, profile: String?, port: String?
    ) throws(DeviceError) -> DeviceListing {
        try PulseCards.configure(selector, profile: profile, port: port)
        return DeviceListing()
    }
}
