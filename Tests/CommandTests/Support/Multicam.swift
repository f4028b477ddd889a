import Foundation
import Glibc
import Testing

/// The built command as a stranger meets it: words in, two streams and an exit status out.
enum Multicam {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// Without what it says of this machine's load, which is the tests' own.
        var errorsOfItsOwn: String {
            errors.split(separator: "\n").filter { !$0.hasPrefix(Multicam.pressureWords) }.joined(
                separator: "\n")
        }

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// How a message about system pressure begins: a machine that runs tests may well be under some.
    static let pressureWords = "multicam: system pressure is "

    /// Beside the test bundle, where the package manager builds both.
    static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let bundle = String(
            decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: "multicam").path
    }()

    /// A machine without a sound server, whatever this one has, with no profiles but those that are shipped and no memory
    /// of devices.
    static var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["PULSE_SERVER"] = "unix:/nonexistent/pulse"
        environment["XDG_CONFIG_HOME"] = "/nonexistent"
        environment["XDG_STATE_HOME"] = "/nonexistent"
        return environment
    }

    /// Copies it to where a user who is not us can start it.
    ///
    /// By a process of its own: a child that another test starts while this one has the copy open for writing has it open, too, and
    /// nothing that is open for writing can be started (ETXTBSY).
    ///
    /// - Parameter scratch: For the copy.
    /// - Returns: The copy's path.
    /// - Throws: When there is no room for it.
    static func copy(in scratch: Scratch) throws -> String {
        let copy = scratch.path + "/multicam"
        let outcome = try run(["cp", path, copy])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return copy
    }

    /// Runs it to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = environment, in folder: Scratch? = nil
    ) throws -> Outcome {
        try run([path] + arguments, environment: environment, in: folder)
    }

    /// Runs a whole command line that leads to it.
    static func run(
        _ command: [String], environment: [String: String] = environment, in folder: Scratch? = nil
    ) throws -> Outcome {
        let running = try RunningCommand(command, environment: environment, in: folder)
        return try running.finish()
    }
}
