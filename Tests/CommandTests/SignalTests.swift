import Foundation
import Glibc
import MulticamMedia
import MulticamSessionFolder
import Testing

@Suite("Signals", .serialized)
struct SignalTests {
    private func start(_ scratch: Scratch) throws -> RunningCommand {
        let command = try RunningCommand([
            Multicam.path, "record", "--profile", scratch.smallProfile(), "--output", scratch.path + "/out",
            "--json",
        ])
        _ = try command.event(SessionEvent.Started.self)
        return command
    }

    @Test("Each of the three stop signals finishes the recording", arguments: [SIGINT, SIGTERM, SIGHUP])
    func stop(_ signal: Int32) throws {
        let scratch = try Scratch()
        let command = try start(scratch)
        command.send(signal)
        // Wrappers may forward a signal, so repeated signals within a second count only once.
        command.send(signal)
        command.send(signal)
        #expect(try command.event(SessionEvent.Finished.self).fields.exit == 0)
        #expect(command.waitForEnd() == 0)
        let session = try scratch.session(in: "out")
        #expect(session.outcome == .finished)
        for (track, file) in [("program", "program.mp4"), ("desk", "cameras/desk.mov")] {
            let media = try session.play(file)
            #expect(media.frames == (try session.frames(track).written))
            #expect(abs(media.seconds - session.seconds) < 0.001)
        }
    }

    /// libdispatch's monitor aborts a process that can't open files in `/proc`.
    @Test("A recorder doesn't start threads of libdispatch, so it survives without free file descriptors")
    func threads() throws {
        let scratch = try Scratch()
        let command = try start(scratch)
        let tasks = "/proc/\(command.identifier)/task"
        let names = try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap { thread in
            // A thread may end between the two calls.
            FileManager.default.contents(atPath: "\(tasks)/\(thread)/comm").map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        #expect(names.contains("timeline\n"))
        #expect(!names.contains { $0.contains("qos") || $0.contains("ispatch") }, "\(names)")
        command.send(SIGINT)
        #expect(command.waitForEnd() == 0)
    }

    @Test("A recording that reaches the limit for open files still closes its files and its manifest")
    func descriptors() throws {
        let scratch = try Scratch()
        let command = try start(scratch)
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(command.identifier)/fd")
        let used = Set(open.compactMap { Int($0) })
        let lowestFree = try #require((0...used.count).first { !used.contains($0) })
        let limited = try Multicam.run([
            "prlimit", "--pid", String(command.identifier), "--nofile=\(lowestFree)",
        ])
        #expect(limited.status == 0, "\(limited.errors)")
        command.send(SIGINT)
        #expect(try command.event(SessionEvent.Finished.self).fields.exit == 0)
        #expect(command.waitForEnd() == 0)
        #expect(try scratch.session(in: "out").outcome == .finished)
    }

    @Test("SIGUSR1 sets a marker, and SIGUSR2 continues in new files on every signal")
    func marksAndSplits() throws {
        let scratch = try Scratch()
        let command = try start(scratch)
        command.send(SIGUSR1)
        let marker = try command.event(SessionEvent.Mark.self)
        command.send(SIGUSR2)
        #expect(try command.event(SessionEvent.Split.self).fields.part == 2)
        // Send the signal again immediately, before the second part has started.
        command.send(SIGUSR2)
        let split = try command.event(SessionEvent.Split.self)
        #expect(split.fields.part == 3)
        command.send(SIGUSR1)
        _ = try command.event(SessionEvent.Mark.self)
        while try seconds(in: command, since: split.at) < 0.2 {}
        command.send(SIGINT)
        _ = try command.event(SessionEvent.Finished.self)
        #expect(command.waitForEnd() == 0)

        let session = try scratch.session(in: "out")
        #expect(session.manifest.markers.count >= 2)
        #expect(session.manifest.markers.first?.at_ns == marker.at.nanoseconds)
        for (track, files) in [
            ("program", ["program.mp4", "program-2.mp4", "program-3.mp4"]),
            ("desk", ["cameras/desk.mov", "cameras/desk-2.mov", "cameras/desk-3.mov"]),
        ] {
            #expect(try session.track(track).parts == Array(files.dropFirst()))
            let parts = try files.map { try session.play($0) }
            #expect(parts.allSatisfy { $0.frames > 0 })
            #expect(parts.map(\.frames).reduce(0, +) == (try session.frames(track).written))
            #expect(abs(parts.map(\.seconds).reduce(0, +) - session.seconds) < 0.001)
        }
    }

    /// Sets a marker and returns the recording time since an event, by the recording's clock.
    private func seconds(in command: RunningCommand, since start: MediaTime) throws -> Double {
        command.send(SIGUSR1)
        return Double(try command.event(SessionEvent.Mark.self).at.nanoseconds - start.nanoseconds) / 1e9
    }

    @Test("A part that starts after the end of the recording leaves no file behind")
    func splitAtTheEnd() throws {
        let scratch = try Scratch()
        let command = try start(scratch)
        command.send(SIGUSR2)
        _ = try command.event(SessionEvent.Split.self)
        command.send(SIGINT)
        _ = try command.event(SessionEvent.Finished.self)
        #expect(command.waitForEnd() == 0)
        let session = try scratch.session(in: "out")
        #expect(session.outcome == .finished)
        for (track, file) in [("program", "program.mp4"), ("desk", "cameras/desk.mov")] {
            let parts = try session.track(track).parts ?? []
            let media = try ([file] + parts).map { try session.play($0) }
            #expect(media.allSatisfy { $0.frames > 0 })
            #expect(abs(media.map(\.seconds).reduce(0, +) - session.seconds) < 0.001)
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: session.path)
        #expect(
            files.filter { $0.hasSuffix(".mov") }.count == 1
                + (try session.track("desk").parts?.count ?? 0))
    }

    @Test("Files of a killed recording are playable")
    func killed() throws {
        let scratch = try Scratch()
        let command = try start(scratch)
        var length = 0.0
        while length < 5 {
            command.send(SIGUSR1)
            length = Double(try command.event(SessionEvent.Mark.self).at.nanoseconds) / 1e9
        }
        command.send(SIGKILL)
        #expect(command.waitForEnd() == -SIGKILL)
        let session = try scratch.session(in: "out")
        #expect(session.outcome == .recording)
        for file in ["program.mp4", "cameras/desk.mov", "audio/host.wav"] {
            // Other tests measure the loss caused by a kill. Here, encoders and disks may be busy.
            #expect(try session.play(file).seconds >= 1.5)
        }
    }
}
