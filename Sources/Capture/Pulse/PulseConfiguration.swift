package import MulticamMedia

/// Configuration of the sound server, for `multicam doctor`.
package struct PulseConfiguration: Sendable, Hashable {
    /// A source with the settings that can mute it.
    package struct Source: Sendable, Hashable {
        /// Server name of the source.
        package let name: String
        /// Display name of the source, printable.
        package let description: String
        /// Whether the source is the monitor of an output.
        package let isMonitor: Bool
        /// Whether the source is muted.
        package let isMuted: Bool
        /// Volume of the loudest channel in percent; 100 leaves the level unchanged.
        package let volumePercent: Int
        /// Whether changing the volume of a recording program also changes the microphone's level (flat
        /// volumes).
        package let hasFlatVolume: Bool

        /// Creates a source.
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

    /// Name and version of the server, such as `pulseaudio 16.1` or `PulseAudio (on PipeWire 1.0.5) 15.0.0`.
    package let server: String
    /// Name of the default source; `nil` or empty if none.
    package let defaultSource: String?
    /// All sources of the server, including monitors.
    package let sources: [Source]
    /// Names of the loaded modules, such as `module-echo-cancel`.
    package let modules: [String]

    /// Creates a configuration from known values.
    package init(server: String, defaultSource: String?, sources: [Source], modules: [String] = []) {
        self.server = server.printable()
        self.defaultSource = defaultSource
        self.sources = sources
        self.modules = modules
    }

    /// Queries the user's server. Blocks for a few seconds at most.
    ///
    /// - Throws: `DeviceError` with `noSoundServer`.
    package init() throws(DeviceError) {
        let connection = try PulseConnection()
        let (server, defaultSource) = try connection.serverInfo()
        self.init(
            server: server, defaultSource: defaultSource, sources: try connection.sourceStates(),
            modules: try connection.moduleNames())
    }
}
