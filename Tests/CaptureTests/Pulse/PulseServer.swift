import Foundation
import Glibc
import MulticamMedia
import Testing

@testable import MulticamCapture

/// A real sound server for one test, with only the modules that the test loads.
final class PulseServer: Sendable {
    /// Implementations of PulseAudio's protocol.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case pulseAudio = "PulseAudio"
        case pipeWire = "PipeWire"

        var testDescription: String { rawValue }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL
    private let kind: Kind
    private let modules: [String]
    /// The processes of the running server.
    private let processes = ConditionLock<[pid_t]>([])

    /// - Parameters:
    ///   - modules: Lines of a PulseAudio start-up script; for PipeWire, only `load-module` lines. `FOLDER`
    ///     is replaced with the server's folder.
    ///   - kind: The implementation.
    /// - Throws: If the folder cannot be created, or the server cannot be launched or accepts no connection
    ///   within 10 s.
    init(_ modules: String..., by kind: Kind = .pulseAudio) throws {
        self.kind = kind
        // The name is short, because a socket's path has at most 107 bytes.
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "pulse-\(UUID().uuidString.prefix(8))")
        self.folder = folder
        self.modules = modules.map { $0.replacing("FOLDER", with: folder.path) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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

    var address: String {
        switch kind {
        case .pulseAudio: "unix:\(folder.path)/socket"
        case .pipeWire: "unix:\(folder.path)/native"
        }
    }

    /// Starts the server and waits until it answers.
    func start() throws {
        switch kind {
        case .pulseAudio: try startPulseAudio()
        case .pipeWire: try startPipeWire()
        }
    }

    private func startPulseAudio() throws {
        let script = folder.appending(path: "start.pa")
        let lines =
            ["load-module module-native-protocol-unix auth-anonymous=1 socket=\(folder.path)/socket"]
            + modules
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: script)
        try run(
            "pulseaudio",
            [
                "-n", "-F", script.path, "--exit-idle-time=-1", "--use-pid-file=false", "--daemonize=no",
                "--realtime=no", "--high-priority=no", "--disable-shm=yes",
            ])
        try waitUntilReady()
    }

    /// Starts PipeWire without devices, a session manager that only links streams, and the PulseAudio
    /// protocol server.
    private func startPipeWire() throws {
        try writeManagerConfiguration()
        let socket = folder.path + "/pipewire-0"
        // A killed server leaves its socket file, with no listener.
        if FileManager.default.fileExists(atPath: socket) {
            try FileManager.default.removeItem(atPath: socket)
        }
        try run("pipewire", [])
        try wait("PipeWire's socket is there") {
            FileManager.default.fileExists(atPath: socket)
        }
        try run("wireplumber", hasManagerProfiles ? ["--profile", "policy"] : [])
        try run("pipewire-pulse", [])
        try waitUntilReady()
        for module in modules { try control(module.split(separator: " ").map(String.init)) }
    }

    private static let sharedManager = "/usr/share/wireplumber"

    /// Whether WirePlumber 0.5 is installed, which has a profile that only links streams.
    private let hasManagerProfiles = FileManager.default.fileExists(
        atPath: sharedManager + "/wireplumber.conf.d")

    /// Uses WirePlumber's linking scripts without its device scripts, because tests must not see this
    /// machine's devices.
    private func writeManagerConfiguration() throws {
        let (own, shared) = (folder.appending(path: "manager"), Self.sharedManager)
        guard !FileManager.default.fileExists(atPath: own.path) else { return }
        if hasManagerProfiles {
            try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
            try FileManager.default.copyItem(
                atPath: shared + "/wireplumber.conf", toPath: own.path + "/wireplumber.conf")
            return
        }
        for scripts in ["main.lua.d", "policy.lua.d"] {
            try FileManager.default.createDirectory(
                at: own.appending(path: scripts), withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(
            atPath: "\(shared)/main.lua.d/00-functions.lua", toPath: "\(own.path)/main.lua.d/00-functions.lua"
        )
        for script in try FileManager.default.contentsOfDirectory(atPath: "\(shared)/policy.lua.d") {
            try FileManager.default.copyItem(
                atPath: "\(shared)/policy.lua.d/\(script)", toPath: "\(own.path)/policy.lua.d/\(script)")
        }
        try Data(
            """
            load_module("metadata")
            load_script("access/access-default.lua", {})

            """.utf8
        ).write(to: own.appending(path: "main.lua.d/90-own.lua"))
        let modules = [
            "protocol-native", "client-node", "client-device", "adapter", "metadata", "session-manager",
        ]
        try Data(
            """
            context.properties = { log.level = 2 wireplumber.script-engine = lua-scripting }
            context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
            context.modules = [ \(modules.map { "{ name = libpipewire-module-\($0) }" }.joined(separator: " ")) ]
            wireplumber.components = [
              { name = libwireplumber-module-lua-scripting, type = module }
              { name = main.lua, type = config/lua }
              { name = policy.lua, type = config/lua }
            ]

            """.utf8
        ).write(to: own.appending(path: "wireplumber.conf"))
    }

    private func waitUntilReady() throws {
        var reason: DeviceError?
        try wait("the test's sound server answers") {
            do throws(DeviceError) {
                _ = try PulseConnection(server: address)
                return true
            } catch {
                reason = error
                return false
            }
        } because: {
            reason?.description ?? ""
        }
    }

    private func wait(
        _ what: String, until condition: () -> Bool, because reason: () -> String = { "" }
    ) throws {
        let deadline = MonotonicClock().now + .seconds(120)
        let pause = Cancellation()
        while !condition() {
            guard MonotonicClock().now < deadline else {
                throw Failure(description: "not within 120 s: \(what) \(reason())")
            }
            _ = pause.wait(until: MonotonicClock().now + .milliseconds(20))
        }
    }

    /// Kills the server like the kernel's out-of-memory killer: there is no shutdown, and the socket file
    /// remains.
    func kill() {
        let running = processes.withLock { processes in
            defer { processes = [] }
            return processes
        }
        for process in running.reversed() {
            Glibc.kill(process, SIGKILL)
            _ = Self.exitStatus(of: process)
        }
    }

    /// Runs `pactl` against this server.
    func control(_ arguments: String...) throws { try control(arguments) }

    private func control(_ arguments: [String]) throws {
        guard Self.exitStatus(of: try launch("pactl", arguments)) == 0 else {
            throw Failure(description: "`pactl \(arguments.joined(separator: " "))` failed")
        }
    }

    /// Plays a file on an output until the file or the server ends.
    func play(_ file: URL, on sink: String) throws {
        try run("paplay", ["--latency-msec=50", "-d", sink, file.path])
    }

    private func run(_ program: String, _ arguments: [String]) throws {
        let process = try launch(program, arguments)
        processes.withLock { $0.append(process) }
    }

    // Foundation's `Process` isn't used, because its `waitUntilExit` must run on the launching thread.

    private func launch(_ program: String, _ arguments: [String]) throws -> pid_t {
        let path = "/usr/bin/\(program)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure(
                description: "\(path) is missing: run `tools/setup test`")
        }
        let environment = [
            "HOME=\(folder.path)", "XDG_RUNTIME_DIR=\(folder.path)", "PULSE_RUNTIME_PATH=\(folder.path)",
            "PULSE_SERVER=\(address)", "WIREPLUMBER_CONFIG_DIR=\(folder.path)/manager", "PATH=/usr/bin:/bin",
            "LANG=C",
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
