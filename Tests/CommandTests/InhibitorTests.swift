import Foundation
import Glibc
import Testing

/// A program in place of systemd-inhibit, which holds a lock of the file system as that holds one of logind.
@Suite("The lock against suspending and switching off")
struct InhibitorTests {
    private func environment(_ scratch: Scratch, _ program: String) throws -> [String: String] {
        let file = try scratch.file("systemd-inhibit", program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        var environment = Multicam.environment
        environment["PATH"] = "\(scratch.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
        environment["HELD"] = scratch.path
        return environment
    }

    @Test("is held while something is recorded, with its reason, and no longer")
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
        _ = try command.event("started")
        var isHeld = false
        for _ in 0..<2000 where !isHeld {
            isHeld = FileManager.default.fileExists(atPath: scratch.path + "/held")
            _ = try Multicam.run(["true"])
        }
        #expect(isHeld)
        // Nobody else gets the lock while it records.
        #expect(try Multicam.run(["flock", "-n", scratch.path + "/lock", "true"]).status == 1)
        command.send(SIGTERM)
        #expect(try command.finish().status == 0)
        // Waits until it is free.
        #expect(try Multicam.run(["flock", scratch.path + "/lock", "true"]).status == 0)
        let words = try String(contentsOfFile: scratch.path + "/words", encoding: .utf8).split(
            separator: "\n")
        #expect(words.contains("--what=shutdown:sleep:idle:handle-lid-switch"))
        #expect(words.contains("--why=records the profile “small”."))
    }

    @Test("a computer that refuses it records all the same, and says nothing of it")
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
