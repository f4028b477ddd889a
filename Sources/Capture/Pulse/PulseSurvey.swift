package import Media

/// How the sound server is set up, for the doctor.
package struct PulseSurvey: Sendable, Hashable {
    /// A source with what can silence it.
    package struct Source: Sendable, Hashable {
        package let name: String
        package let description: String
        package let isMonitor: Bool
        package let isMuted: Bool
        /// The loudest channel's, 100 being unchanged.
        package let volumePercent: Int
        /// Programs that record can change the level of the microphone itself.
        package let hasFlatVolume: Bool

        package init(
            name: String, description: String, isMonitor: Bool = false, isMuted: Bool = false,
            volumePercent: Int = 100, hasFlatVolume: Bool = false
        ) {
            self.name = name
            self.description = description.printable()
            self.isMonitor = isMonitor
            self.isMuted = isMuted
            self.volumePercent = volumePercent
            self.hasFlatVolume = hasFlatVolume
        }
    }

    /// `pulseaudio 16.1`, `PulseAudio (on PipeWire 1.0.5) 15.0.0`.
    package let server: String
    /// `nil` or empty where there is none.
    package let defaultSource: String?
    package let sources: [Source]
    /// By name: `module-echo-cancel`.
    package let modules: [String]

    package init(server: String, defaultSource: String?, sources: [Source], modules: [String] = []) {
        self.server = server.printable()
        self.defaultSource = defaultSource
        self.sources = sources
        self.modules = modules
    }

    /// Asks the user's server. Blocks for at most a few seconds.
    ///
    /// - Throws: `noSoundServer`.
    package init() throws(DeviceError) {
        let connection = try PulseConnection()
        let (server, defaultSource) = try connection.serverFacts()
        self.init(
            server: server, defaultSource: defaultSource, sources: try connection.sourceStates(),
            modules: try connection.moduleNames())
    }
}
