import Control
import Foundation
import Glibc
import Media
import Plan
import Profiles
import Session
import SessionFolder
import Setup
import Testing

@testable import MulticamKit

@Suite("Live output by a process of its own")
struct LivePublisherTests {
    private static func publication(
        _ name: String = "show", to address: String = "srt://host:9000?passphrase=0123456789",
        start: PublicationStart = .command
    ) throws -> Publication {
        Publication(
            name: name, address: try DestinationAddress(address), token: Secret("tokentoken"), start: start,
            frames: PlannedPublication.Frames(
                size: FrameSize(width: 640, height: 360), rate: FrameRate(30), bitrate: 900_000))
    }

    private typealias PublicationStart = PublicationSettings.Start

    @Test(
        "the process begins with the first wish and hears of keys on its standard input alone; it ends with the publisher"
    )
    func keys() async throws { try await OwnThread.run(Self.keys) }

    private static func keys() async throws {
        let standIn = try StandIn()
        defer { standIn.remove() }
        // Python may set a variable for its locale by itself.
        let variables = ProcessInfo.processInfo.environment.keys.filter { $0 != "PATH" && $0 != "LC_CTYPE" }
        let withheld = try #require(variables.min())
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program, withholding: [withheld])
        #expect(try standIn.calls().isEmpty)
        #expect(publisher.publish(try Self.publication()))
        #expect(!publisher.publish(try Self.publication()))
        #expect(try await StandIn.wait { publisher.status("show")?.state == .connected })
        let call = try #require(try standIn.calls().first)
        #expect(call.arguments == ["--socket", "/tmp/media"])
        #expect(call.variables.contains("PATH") && !call.variables.contains(withheld))
        let command = try #require(FileManager.default.contents(atPath: "/proc/\(call.process)/cmdline"))
        #expect(!String(decoding: command, as: UTF8.self).contains("0123456789"))
        let told = try JSONDecoder().decode(LiveCommand.self, from: Data(standIn.said[0].utf8)).publish
        #expect(
            told?.url.value == "srt://host:9000?passphrase=0123456789" && told?.token?.value == "tokentoken")
        #expect(told?.of == "program" && told?.standby == true && told?.video?.bitrate == 900_000)
        #expect(publisher.unpublish("show") && !publisher.unpublish("show"))
        #expect(publisher.status("show") == nil)
        #expect(try await StandIn.wait { standIn.said.last == #"{"unpublish":"show"}"# })
        await publisher.end()
        #expect(kill(call.process, 0) != 0)
        #expect(try standIn.calls().count == 1)
        #expect(!publisher.publish(try Self.publication()))
    }

    @Test(
        "killed, it begins again and is told anew what is wanted; what it counts goes on from what was counted"
    )
    func killed() async throws { try await OwnThread.run(Self.killed) }

    private static func killed() async throws {
        let standIn = try StandIn()
        defer { standIn.remove() }
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program)
        publisher.publish(try Self.publication())
        publisher.publish(try Self.publication("other"))
        publisher.unpublish("other")
        #expect(try await StandIn.wait { publisher.status("show").map { $0.sentFrames > 100 } ?? false })
        let before = try #require(publisher.status("show"))
        // Until the next process tells something, what is said of the end of this one stands.
        try standIn.hold(true)
        kill(try #require(try standIn.calls().first).process, SIGKILL)
        #expect(try await StandIn.wait { publisher.status("show")?.state == .waiting })
        #expect(
            publisher.status("show")?.text
                == "the program that publishes has ended by signal 9, and is started again.")
        try standIn.hold(false)
        #expect(
            try await StandIn.wait {
                publisher.status("show").map {
                    $0.state == .connected && $0.sentFrames > before.sentFrames + 100
                }
                    ?? false
            })
        #expect(try standIn.calls().count == 2)
        // It may have been ended before the process heard of it.
        #expect(standIn.said.count { $0.contains(#""name":"other""#) } <= 1)
        #expect(standIn.said.count { $0.contains(#""name":"show""#) } == 2)
        await publisher.end()
    }

    @Test("one that no longer listens is killed at the end, and nobody waits for it longer")
    func deaf() async throws { try await OwnThread.run(Self.deaf) }

    private static func deaf() async throws {
        let standIn = try StandIn()
        defer { standIn.remove() }
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program)
        publisher.publish(try Self.publication(to: "srt://deaf:1"))
        #expect(try await StandIn.wait { publisher.status("show")?.state == .connected })
        await publisher.end()
        #expect(kill(try #require(try standIn.calls().first).process, 0) != 0)
    }

    @Test(
        "a program that is not there is told by one sentence with what to do; it is looked for again with the next wish"
    )
    func missing() async throws { try await OwnThread.run(Self.missing) }

    private static func missing() async throws {
        let standIn = try StandIn()
        defer { standIn.remove() }
        let sentences = ConditionLock<[String]>([])
        let publisher = LivePublisher(socket: "/tmp/media", program: standIn.program + "-away") { text in
            sentences.withLock { $0.append(text) }
        }
        publisher.publish(try Self.publication())
        #expect(try await StandIn.wait { publisher.status("show")?.state == .refused })
        #expect(
            publisher.status("show")?.text
                == "nothing is published: the program for it, \(standIn.program)-away, is not there. Build it with `swift build`, or install the package multicam-studio."
        )
        try standIn.copy(to: standIn.program + "-away")
        publisher.publish(try Self.publication("second"))
        #expect(try await StandIn.wait { publisher.status("show")?.state == .connected })
        await publisher.end()
        #expect(sentences.withLock { $0.count } == 1)
    }

    @Test("`publish` and `unpublish` are answered by a sentence without keys; twice the same is no error")
    func answers() async throws { try await OwnThread.run(Self.answers) }

    private static func answers() async throws {
        let standIn = try StandIn()
        defer { standIn.remove() }
        let place = try MediaPlace()
        defer { place.remove() }
        let publisher = LivePublisher(of: place.server, program: standIn.program)
        publisher.serve(
            place.session, [try Self.publication(), try Self.publication("bad", to: "srt://refused:1")])
        let address = try DestinationAddress("srt://other:9000?passphrase=0123456789")
        #expect(
            publisher.perform(.entry("show")).text
                == "show is published to srt://host:9000: `status` tells how it goes.")
        #expect(publisher.perform(.address(address)).text.hasPrefix("srt is published to srt://other:9000:"))
        #expect(publisher.perform(.address(address)).text.hasPrefix("srt-2 is published"))
        #expect(publisher.perform(.address(try DestinationAddress("v4l2:/dev/video9"))).ok)
        // What the profile does not name has its place in the plan, as if it did.
        #expect(place.session.currentPlan.publications.map(\.name) == ["srt", "srt-2", "v4l2"])
        #expect(
            place.session.currentPlan.publications.last?.frames
                == PlannedPublication.Frames(size: FrameSize(width: 320, height: 180), rate: FrameRate(30)))
        #expect(try await StandIn.wait { publisher.status("show")?.state == .connected })
        let again = publisher.perform(.entry("show"))
        #expect(again.ok && again.text == "show is published already, and is connected.")
        #expect(publisher.perform(.entry("bad")).ok)
        #expect(try await StandIn.wait { publisher.status("bad")?.state == .refused })
        #expect(
            publisher.perform(.entry("bad")).text
                == "bad is published already, and is refused: srt://refused:1 refuses the key.")
        let unknown = publisher.perform(.entry("tube"))
        #expect(!unknown.ok && unknown.usage && unknown.text.contains("known: show, bad, srt, srt-2, v4l2"))
        #expect(!publisher.perform(.standardInput).ok)
        #expect(publisher.end("v4l2").ok && publisher.end("show").text == "show is no longer published.")
        #expect(place.session.currentPlan.publications.map(\.name) == ["srt", "srt-2"])
        #expect(publisher.end("show") == ControlReply(ok: true, text: "show is not published."))
        #expect(publisher.end("tube").usage)
        await publisher.end()
    }
}
