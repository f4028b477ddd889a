import Foundation
import Glibc
import MulticamSessionFolder
import Testing

/// Replaces systemd-inhibit with a program that holds a file lock instead of logind's.
@Suite("The inhibitor lock against suspend and shutdown")
struct InhibitorTests {
    private func environment(_ scratch: Scratch, _ program: String) throws -> [String: String] {
        let file = try scratch.file("systemd-inhibit", program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        var environment = Multicam.environment
        environment["PATH"] = "\(scratch.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
        environment["HELD"] = scratch.path
        return environment
    }

    @Test("The lock is held only while a recording runs, with its reason")
    func held() throws {
        let scratch = try Scratch()
        let environment = try environment(
            scratch,
            """
            #!/bin/sh
            printf '%s\\n' "$@" > "$HELD/words"
            exec flock "$HELD/lock" sh -c 'echo held > "$HELD/held"; cat'
            """)
        let profile = try scratch.smallProfile()
        let command = try RunningCommand(
            [
                Multicam.path, "record", "--profile", profile, "--output", scratch.path + "/out", "--json",
            ], environment: environment, in: scratch)
        _ = try command.event(SessionEvent.Started.self)
        var isHeld = false
        for _ in 0..<2000 where !isHeld {
            isHeld = FileManager.default.fileExists(atPath: scratch.path + "/held")
            _ = try Multicam.run(["true"])
        }
        #expect(isHeld)
        // The lock is unavailable to other processes while the recording is running.
        #expect(try Multicam.run(["flock", "-n", scratch.path + "/lock", "true"]).status == 1)
        command.send(SIGTERM)
        #expect(try command.finish().status == 0)
        // This command waits until the lock is released.
        #expect(try Multicam.run(["flock", scratch.path + "/lock", "true"]).status == 0)
        let words = try String(contentsOfFile: scratch.path + "/words", encoding: .utf8).split(
            separator: "\n")
        #expect(words.contains("--what=shutdown:sleep:idle:handle-lid-switch"))
        #expect(words.contains("--why=Recording with the profile “small”."))
    }

    @Test("If the lock is denied, the recording runs without a message about it")
    func refused() throws {
        let scratch = try Scratch()
        let environment = try environment(
            scratch, "#!/bin/sh\necho 'Failed to inhibit: Access denied' >&2\nexit 1\n")
        let outcome = try Multicam.run(
            [
                Multicam.path, "record", "--profile", try scratch.smallProfile(), "--duration", "500ms",
                "--output", scratch.path + "/out",
            ], environment: environment, in: scratch)
        #expect(outcome.status == 0)
        #expect(!outcome.errors.contains("nhibit"))
    }
}
