/// The variables of the environment that the web process gets. Others may hold keys, such as those that a profile's `url_from` names, and a
/// process that talks to a network needs none of them.
enum WebEnvironment {
    private static let names: Set<String> = [
        "HOME", "LANG", "LANGUAGE", "PATH", "TMPDIR", "TZ", "USER", "XDG_RUNTIME_DIR",
    ]
    /// Languages, the loader's folders, and the options of sanitizers.
    private static let beginnings = ["ASAN_", "LC_", "LD_", "LSAN_", "TSAN_", "UBSAN_"]

    /// Whether the web process gets the variable of a name.
    static func has(_ name: String) -> Bool {
        names.contains(name) || beginnings.contains { name.hasPrefix($0) }
    }
}
