import Foundation
import Glibc
import MulticamControl
import MulticamMedia
import MulticamPlan
import MulticamProfiles
import MulticamSession
import MulticamSessionFolder
import MulticamSetup
import Testing

@testable import MulticamKit

@Suite("Live output by a separate process")
struct LivePublisherTests {
    private static func liveOutput(
        _ name: String = "show", to address: String = "srt://host:9000?passphrase=0123456789",
        start: LiveOutputStart = .command
    ) throws -> LiveOutput {
        LiveOutput(
            name: name, address: try LiveOutputAddress(address), token: Secret("tokentoken"), start: start,
            frames: PlannedLiveOutput.Frames(
                size: FrameSize(width: 640, height: 360), rate: FrameRate(30), bitrate: 900_000))
    }

    private typealias LiveOutputStart = LiveOutputSettings.Start

    @Test(
        "the process starts with the first output, receives keys only on standard input, and ends with the publisher"
    )
    func keys() async throws { try await SingleThreadExecutor.run(Self.keys) }

    private static func keys() async throws {
        let standIn = try FakeLiveProgram()
        defer { standIn.remove() }
        // Python may set a locale variable itself.
        let variables = ProcessInfo.processInfo.environment.keys.filter { $0 != "PATH" && $0 != "LC_CTYPE" }
        let withheld = try #require(variables.min())
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program, withholding: [withheld])
        #expect(try standIn.calls().isEmpty)
        #expect(publisher.publish(try Self.liveOutput()))
        #expect(!publisher.publish(try Self.liveOutput()))
        #expect(try await FakeLiveProgram.wait { publisher.status("show")?.state == .connected })
        let call = try #require(try standIn.calls().first)
        #expect(call.arguments == ["--socket", "/tmp/media"])
        #expect(call.variables.contains("PATH") && !call.variables.contains(withheld))
        let command = try #require(FileManager.default.contents(atPath: "/proc/\(call.process)/cmdline"))
        #expect(!String(decoding: command, as: UTF8.self).contains("0123456789"))
        let told = try JSONDecoder().decode(LiveCommand.self, from: Data(standIn.receivedLines[0].utf8))
            .publish
        #expect(
            told?.url.value == "srt://host:9000?passphrase=0123456789" && told?.token?.value == "tokentoken")
        #expect(told?.of == "program" && told?.standby == true && told?.video?.bitrate == 900_000)
        #expect(publisher.unpublish("show") && !publisher.unpublish("show"))
        #expect(publisher.status("show") == nil)
        #expect(try await FakeLiveProgram.wait { standIn.receivedLines.last == #"{"unpublish":"show"}"# })
        await publisher.end()
        #expect(kill(call.process, 0) != 0)
        #expect(try standIn.calls().count == 1)
        #expect(!publisher.publish(try Self.liveOutput()))
    }

    @Test(
        "a killed process is restarted with the current outputs, and its counts continue"
    )
    func killed() async throws { try await SingleThreadExecutor.run(Self.killed) }

    private static func killed() async throws {
        let standIn = try FakeLiveProgram()
        defer { standIn.remove() }
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program)
        publisher.publish(try Self.liveOutput())
        publisher.publish(try Self.liveOutput("other"))
        publisher.unpublish("other")
        #expect(
            try await FakeLiveProgram.wait { publisher.status("show").map { $0.sentFrames > 100 } ?? false })
        let before = try #require(publisher.status("show"))
        // The message about the exit remains until the next process reports a status.
        try standIn.setBlocked(true)
        kill(try #require(try standIn.calls().first).process, SIGKILL)
        #expect(try await FakeLiveProgram.wait { publisher.status("show")?.state == .waiting })
        #expect(
            publisher.status("show")?.text
                == "The live output program was terminated by signal 9 and is being restarted.")
        try standIn.setBlocked(false)
        #expect(
            try await FakeLiveProgram.wait {
                publisher.status("show").map {
                    $0.state == .connected && $0.sentFrames > before.sentFrames + 100
                }
                    ?? false
            })
        #expect(try standIn.calls().count == 2)
        // The output may have been stopped before the process received it.
        #expect(standIn.receivedLines.count { $0.contains(#""name":"other""#) } <= 1)
        #expect(standIn.receivedLines.count { $0.contains(#""name":"show""#) } == 2)
        await publisher.end()
    }

    @Test("a process that stops reading is killed at the end without a longer wait")
    func deaf() async throws { try await SingleThreadExecutor.run(Self.deaf) }

    private static func deaf() async throws {
        let standIn = try FakeLiveProgram()
        defer { standIn.remove() }
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program)
        publisher.publish(try Self.liveOutput(to: "srt://deaf:1"))
        #expect(try await FakeLiveProgram.wait { publisher.status("show")?.state == .connected })
        await publisher.end()
        #expect(kill(try #require(try standIn.calls().first).process, 0) != 0)
    }

    @Test(
        "a missing program is reported in one sentence with a remedy, and looked up again for the next output"
    )
    func missing() async throws { try await SingleThreadExecutor.run(Self.missing) }

    private static func missing() async throws {
        let standIn = try FakeLiveProgram()
        defer { standIn.remove() }
        let sentences = ConditionLock<[String]>([])
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program + "-away") { text in
            sentences.withLock { $0.append(text) }
        }
        publisher.publish(try Self.liveOutput())
        #expect(try await FakeLiveProgram.wait { publisher.status("show")?.state == .refused })
        #expect(
            publisher.status("show")?.text
                == "Live outputs are disabled: the live output program isn't installed at \(standIn.program)-away. Install the package multicam-studio, or set the services' `helperFolder` to the folder that contains `multicam-live`."
        )
        try standIn.copy(to: standIn.program + "-away")
        publisher.publish(try Self.liveOutput("second"))
        #expect(try await FakeLiveProgram.wait { publisher.status("show")?.state == .connected })
        await publisher.end()
        // On a busy machine, the started program may be reported, too, because it answers late.
        #expect(sentences.withLock { $0.count { $0.contains("isn't installed") } } == 1)
    }

    @Test("`publish` and `unpublish` reply in one sentence without keys; repeating one is not an error")
    func answers() async throws { try await SingleThreadExecutor.run(Self.answers) }

    private static func answers() async throws {
        let standIn = try FakeLiveProgram()
        defer { standIn.remove() }
        let place = try MediaServerFixture()
        defer { place.remove() }
        let publisher = LivePublisher(of: place.server, program: standIn.program)
        publisher.serve(
            place.session, [try Self.liveOutput(), try Self.liveOutput("bad", to: "srt://refused:1")])
        let address = try LiveOutputAddress("srt://other:9000?passphrase=0123456789")
        #expect(
            publisher.performPublish(.entry("show")).text
                == "Live output show was started: srt://host:9000. To check the state, run `status`.")
        #expect(
            publisher.performPublish(.address(address)).text.hasPrefix(
                "Live output srt was started: srt://other:9000."))
        #expect(publisher.performPublish(.address(address)).text.hasPrefix("Live output srt-2 was started"))
        #expect(publisher.performPublish(.address(try LiveOutputAddress("v4l2:/dev/video9"))).ok)
        // An output that isn't in the profile is part of the plan like any other.
        #expect(place.session.currentPlan.liveOutputs.map(\.name) == ["srt", "srt-2", "v4l2"])
        #expect(
            place.session.currentPlan.liveOutputs.last?.frames
                == PlannedLiveOutput.Frames(size: FrameSize(width: 320, height: 180), rate: FrameRate(30)))
        #expect(try await FakeLiveProgram.wait { publisher.status("show")?.state == .connected })
        let again = publisher.performPublish(.entry("show"))
        #expect(again.ok && again.text == "Live output show was already started. State: connected.")
        #expect(publisher.performPublish(.entry("bad")).ok)
        #expect(try await FakeLiveProgram.wait { publisher.status("bad")?.state == .refused })
        #expect(
            publisher.performPublish(.entry("bad")).text
                == "Live output bad was already started. State: refused: srt://refused:1 refuses the key.")
        let unknown = publisher.performPublish(.entry("tube"))
        #expect(
            !unknown.ok && unknown.usage && unknown.text.contains("Available: show, bad, srt, srt-2, v4l2"))
        #expect(!publisher.performPublish(.standardInput).ok)
        #expect(
            publisher.performUnpublish("v4l2").ok
                && publisher.performUnpublish("show").text == "Live output show was stopped.")
        #expect(place.session.currentPlan.liveOutputs.map(\.name) == ["srt", "srt-2"])
        #expect(
            publisher.performUnpublish("show")
                == ControlReply(ok: true, text: "Live output show is not running."))
        #expect(publisher.performUnpublish("tube").usage)
        await publisher.end()
    }
}
