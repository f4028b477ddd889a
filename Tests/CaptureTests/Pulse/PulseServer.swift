import Foundation
import Glibc
import Media
import Testing

@testable import Capture

/// A real sound server of a test's own, with nothing but what the test loads into it.
final class PulseServer: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL
    private let configuration: String
    /// The running server's process, if any.
    private let process = Monitor<pid_t?>(nil)

    /// - Parameter modules: Lines of a PulseAudio start-up script. `FOLDER` stands for the server's folder.
    /// - Throws: When the folder cannot be made, or the server cannot be launched or accepts nobody within 10
    ///   s.
    init(_ modules: String...) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "pulse-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let lines =
            ["load-module module-native-protocol-unix auth-anonymous=1 socket=FOLDER/socket"] + modules
        configuration = lines.joined(separator: "\n").replacing("FOLDER", with: folder.path) + "\n"
        try start()
    }

    deinit {
        kill()
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            Issue.record(error)
        }
    }

    var address: String { "unix:\(folder.path)/socket" }

    /// Starts the server and waits until it answers.
    func start() throws {
        let script = folder.appending(path: "start.pa")
        try Data(configuration.utf8).write(to: script)
        let process = try launch(
            "pulseaudio",
            [
                "-n", "-F", script.path, "--exit-idle-time=-1", "--use-pid-file=false", "--daemonize=no",
                "--realtime=no", "--high-priority=no", "--disable-shm=yes",
            ])
        self.process.withLock { $0 = process }
        let deadline = MonotonicClock().now + .seconds(10)
        let pause = Cancellation()
        while true {
            do {
                _ = try PulseConnection(server: address)
                return
            } catch {
                guard MonotonicClock().now < deadline else {
                    throw Failure(description: "the test's sound server does not start: \(error)")
                }
            }
            _ = pause.wait(until: MonotonicClock().now + .milliseconds(20))
        }
    }

    /// As the kernel's out-of-memory killer does it: no farewell, and the socket's file stays.
    func kill() {
        let running = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let running else { return }
        Glibc.kill(running, SIGKILL)
        _ = Self.exitStatus(of: running)
    }

    /// Runs `pactl` against this server.
    func control(_ arguments: String...) throws {
        guard Self.exitStatus(of: try launch("pactl", arguments)) == 0 else {
            throw Failure(description: "`pactl \(arguments.joined(separator: " "))` failed")
        }
    }

    // Not Foundation's `Process`, whose `waitUntilExit` needs the thread that launched.

    private func launch(_ program: String, _ arguments: [String]) throws -> pid_t {
        let path = "/usr/bin/\(program)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(
                description: "\(path) is missing: install the packages pulseaudio and pulseaudio-utils")
        }
        let environment = [
            "HOME=\(folder.path)", "XDG_RUNTIME_DIR=\(folder.path)", "PULSE_RUNTIME_PATH=\(folder.path)",
            "PULSE_SERVER=\(address)", "PATH=/usr/bin:/bin", "LANG=C",
        ]
        var argumentPointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var environmentPointers: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for output in [1, 2] as [Int32] {
            posix_spawn_file_actions_addopen(
                &actions, output, folder.path + "/\(program).log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        var identifier: pid_t = 0
        let error = posix_spawn(&identifier, path, &actions, nil, &argumentPointers, &environmentPointers)
        guard error == 0 else { throw Failure(description: "\(path) does not start (errno \(error))") }
        return identifier
    }

    private static func exitStatus(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        return status
    }
}
