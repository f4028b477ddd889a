import FoundationEssentials

/// Where the studio keeps what it remembers.
enum StudioFolders {
    /// `$XDG_STATE_HOME/multicam`, else `~/.local/state/multicam` (XDG Base Directory Specification); `nil` where the environment names
    /// neither.
    static var state: String? {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/multicam" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/state/multicam" }
        return nil
    }
}
