internal import FoundationEssentials

/// Where the programs of multicam are.
public enum ProgramPath {
    /// The program that runs now; `nil` where the system does not tell.
    public static var own: String? {
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        } catch {
            return nil
        }
    }

    /// A program of the system by its name.
    ///
    /// - Parameter name: The program's name.
    /// - Returns: Its path, where `PATH` leads to it.
    public static func named(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
    }

    /// Another program of multicam: installed (`PREFIX/libexec/multicam/NAME` for `PREFIX/bin/multicam`), or built in the same folder.
    ///
    /// - Parameter name: The program's name.
    /// - Returns: Its path, or `nil` when it is in neither place.
    public static func beside(_ name: String) -> String? {
        guard let own else { return nil }
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        let installed = folder.deletingLastPathComponent().appending(path: "libexec/multicam/\(name)")
        return [installed.path, folder.appending(path: name).path].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }
}
