import Glibc

/// The folders that the program keeps between recordings, by the XDG Base Directory Specification.
enum OwnFolders {
    /// The folder of profiles and preferences, then that of remembered devices; empty when there is no home folder.
    static var all: [String] {
        [("XDG_CONFIG_HOME", ".config"), ("XDG_STATE_HOME", ".local/state")].compactMap { name, inHome in
            // Relative paths count as not set, as the specification says.
            if let folder = variable(name), folder.hasPrefix("/") { return "\(folder)/multicam" }
            return variable("HOME").map { "\($0)/\(inHome)/multicam" }
        }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
