import Foundation
import MulticamSessionFolder
import Testing

@Suite("Output on a terminal", .serialized)
struct TerminalTests {
    @Test("One status line is overwritten within the terminal's width, and Ctrl-C finishes the recording")
    func controlC() throws {
        let scratch = try Scratch()
        let terminal = try Terminal(columns: 50)
        let command = try RunningCommand(
            [
                "setsid", "--ctty", "--wait", Multicam.path, "record", "--profile", scratch.smallProfile(),
                "--output", scratch.path + "/out",
            ], terminal: terminal)
        let folder = try #require(command.nextLine())
        // A busy machine may skip some seconds.
        let shown = terminal.read { $0.contains(#/0:0\d:([1-5]\d|0[1-9])/#) }
        terminal.pressControlC()
        let outcome = try command.finish()
        #expect(outcome.status == 0)
        #expect(outcome.output == folder + "\n")
        let lines = shown.split(separator: "\r\u{1B}[K").filter { !$0.hasPrefix(Multicam.pressurePrefix) }
        #expect(!lines.contains { $0.contains("\n") || $0.contains("\r\n") })
        #expect(lines.count > 2)
        #expect(lines.allSatisfy { $0.count < 50 })
        // System pressure and its remedy are displayed first.
        #expect(lines.contains { $0.contains(#/desk 30|(fair|serious|critical): /#) })
        let session = try scratch.session(in: "out")
        #expect(session.path == folder)
        #expect(session.outcome == .finished)
        #expect(try session.play("program.mp4").frames == (try session.frames("program").written))
    }
}
