import Foundation
import Glibc
import MulticamSessionFolder
import Testing

/// Runs the built command as a user would. The input is the arguments; the output is two streams and an exit
/// status.
enum Multicam {
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String

        /// The messages on standard error, without those about system pressure, which the tests themselves
        /// cause.
        var errorsWithoutPressure: String {
            errors.split(separator: "\n").filter { !$0.hasPrefix(Multicam.pressurePrefix) }.joined(
                separator: "\n")
        }

        /// Decodes the output, which is one line of JSON.
        func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
            try JSONText.decoder().decode(type, from: Data(output.utf8))
        }

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The start of a message about system pressure, which is likely on a machine that runs tests.
    static let pressurePrefix = "multicam: system pressure is "

    /// Path of the command. It is next to the test bundle, because the package manager builds both into one
    /// folder.
    static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let bundle = String(
            decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: "multicam").path
    }()

    /// An environment without a sound server, user profiles, and device history, regardless of this machine.
    static var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["PULSE_SERVER"] = "unix:/nonexistent/pulse"
        environment["XDG_CONFIG_HOME"] = "/nonexistent"
        environment["XDG_STATE_HOME"] = "/nonexistent"
        return environment
    }

    /// Copies the command to a folder so that another user can start it.
    ///
    /// A separate process makes the copy. Otherwise, a child process that another test starts at the same
    /// time would inherit the file open for writing, and such a file cannot be executed (ETXTBSY).
    ///
    /// - Parameter scratch: The destination folder.
    /// - Returns: The path of the copy.
    /// - Throws: An error if the disk is full.
    static func copy(in scratch: Scratch) throws -> String {
        let copy = scratch.path + "/multicam"
        let outcome = try run(["cp", path, copy])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return copy
    }

    /// Runs the command until it exits.
    static func run(
        _ arguments: String..., environment: [String: String] = environment, in folder: Scratch? = nil
    ) throws -> Outcome {
        try run([path] + arguments, environment: environment, in: folder)
    }

    /// Runs a full command line that starts the command.
    static func run(
        _ command: [String], environment: [String: String] = environment, in folder: Scratch? = nil
    ) throws -> Outcome {
        let running = try RunningCommand(command, environment: environment, in: folder)
        return try running.finish()
    }
}
