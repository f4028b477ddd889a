import Foundation
import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Live output requests")
struct LiveOutputTests {
    private func liveOutput(
        _ url: String, of source: String = "program", video: LiveVideo? = nil
    ) throws(PublishingError) -> RequestedOutput {
        try RequestedOutput(LiveRequest(name: "show", url: Secret(url), of: source, video: video))
    }

    private let video = LiveVideo(
        size: FrameSize(width: 1280, height: 720), rate: FrameRate(30000, per: 1001), bitrate: 2_500_000)

    @Test("a separate encoder has the requested size, rate, and bit rate")
    func encoder() throws {
        let liveOutput = try liveOutput("srt://host:9000", of: "desk", video: video)
        #expect(
            liveOutput.encoder
                == LiveRatePolicy.Level(
                    size: FrameSize(width: 1280, height: 720), rate: FrameRate(30000, per: 1001),
                    bitrate: 2_500_000))
        #expect(try self.liveOutput("srt://host:9000").encoder == nil)
    }

    @Test("a camera without a separate encoder is rejected, because it does not provide encoded packets")
    func camera() {
        let error = #expect(throws: PublishingError.self) { try liveOutput("srt://host:9000", of: "desk") }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("video") == true)
    }

    @Test(
        "unsupported sizes, rates, and bit rates are rejected with the expected values",
        arguments: [
            #"{"width":1281,"height":720,"rate":"30","bitrate":1000000}"#,
            #"{"width":0,"height":720,"rate":"30","bitrate":1000000}"#,
            #"{"width":-2,"height":9223372036854775807,"rate":"30","bitrate":1000000}"#,
            #"{"width":1280,"height":720,"rate":"0","bitrate":1000000}"#,
            #"{"width":1280,"height":720,"rate":"1e9","bitrate":1000000}"#,
            #"{"width":1280,"height":720,"rate":"30","bitrate":0}"#,
            #"{"width":1280,"height":720,"rate":"30"}"#,
        ])
    func limits(text: String) throws {
        let video = try JSONDecoder().decode(LiveVideo.self, from: Data(text.utf8))
        let error = #expect(throws: PublishingError.self) { try liveOutput("srt://host:9000", video: video) }
        #expect(error?.description.contains("expected") == true)
    }

    @Test("printing or dumping a request or a live output does not reveal its secrets")
    func secrets() throws {
        let request = LiveRequest(
            name: "show", url: Secret("srt://host:9000?passphrase=correct-horse&streamid=battery"),
            token: Secret("staple-token"))
        let liveOutput = try RequestedOutput(request)
        var texts = [
            "\(request)", "\(liveOutput)", String(reflecting: request), String(reflecting: liveOutput),
        ]
        for value in [request as Any, liveOutput] {
            var text = ""
            dump(value, to: &text)
            texts.append(text)
        }
        let command = LiveCommand(publish: request)
        texts.append("\(command)")
        for text in texts {
            for secret in ["correct-horse", "battery", "staple-token"] { #expect(!text.contains(secret)) }
        }
    }
}
