package import Media

/// The configuration of the sound server, for the doctor.
package struct PulseSurvey: Sendable, Hashable {
    /// A source with the settings that can silence it.
    package struct Source: Sendable, Hashable {
        /// The server's name for the source.
        package let name: String
        /// The source's name for people, printable.
        package let description: String
        /// Whether the source is the monitor of an output.
        package let isMonitor: Bool
        /// Whether the source is muted.
        package let isMuted: Bool
        /// Volume of the loudest channel in percent; 100 leaves the level unchanged.
        package let volumePercent: Int
        /// Whether programs that record can change the level of the microphone itself.
        package let hasFlatVolume: Bool

        /// Makes a source.
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

    /// Name and version of the server: `pulseaudio 16.1`, `PulseAudio (on PipeWire 1.0.5) 15.0.0`.
    package let server: String
    /// Name of the default source; `nil` or empty where there is none.
    package let defaultSource: String?
    /// All sources of the server, monitors included.
    package let sources: [Source]
    /// Names of the loaded modules, such as `module-echo-cancel`.
    package let modules: [String]

    /// Makes a survey from known facts.
    package init(server: String, defaultSource: String?, sources: [Source], modules: [String] = []) {
        self.server = server.printable()
        self.defaultSource = defaultSource
        self.sources = sources
        self.modules = modules
    }

    /// Asks the user's server. Blocks for at most a few seconds.
    ///
    /// - Throws: `DeviceError` with `noSoundServer`.
    package init() throws(DeviceError) {
        let connection = try PulseConnection()
        let (server, defaultSource) = try connection.serverFacts()
        self.init(
            server: server, defaultSource: defaultSource, sources: try connection.sourceStates(),
            modules: try connection.moduleNames())
    }
}
