/// Where multicam keeps what it remembers from one run to the next.
package enum StateFolder {
    /// Finds the folder, which need not be there (XDG Base Directory Specification).
    ///
    /// - Parameter environment: The process's variables. A relative path counts as not set, as the specification says.
    /// - Returns: `$XDG_STATE_HOME/multicam`, else `~/.local/state/multicam`; `nil` where the environment names neither.
    package static func path(_ environment: [String: String]) -> String? {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/multicam" }
        if let home = environment["HOME"], home.hasPrefix("/") { return home + "/.local/state/multicam" }
        return nil
    }
}
