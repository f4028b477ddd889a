import Foundation
import Media
import Testing

@testable import Publishing

@Suite("What the recorder asks for")
struct PublicationTests {
    private func publication(
        _ url: String, of source: String = "program", video: LiveVideo? = nil
    ) throws(PublishingError) -> Publication {
        try Publication(LiveRequest(name: "show", url: Secret(url), of: source, video: video))
    }

    private let video = LiveVideo(
        size: FrameSize(width: 1280, height: 720), rate: FrameRate(30000, per: 1001), bitrate: 2_500_000)

    @Test("an own encoder has the size, rate and bit rate that are asked for")
    func encoder() throws {
        let publication = try publication("srt://host:9000", of: "desk", video: video)
        #expect(
            publication.encoder
                == LiveRatePolicy.Level(
                    size: FrameSize(width: 1280, height: 720), rate: FrameRate(30000, per: 1001),
                    bitrate: 2_500_000))
        #expect(try self.publication("srt://host:9000").encoder == nil)
    }

    @Test("a camera has no packets of its own")
    func camera() {
        let error = #expect(throws: PublishingError.self) { try publication("srt://host:9000", of: "desk") }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("video") == true)
    }

    @Test(
        "sizes, rates and bit rates that no encoder takes are refused with what is expected",
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
        let error = #expect(throws: PublishingError.self) { try publication("srt://host:9000", video: video) }
        #expect(error?.description.contains("expected") == true)
    }

    @Test("no description of a request or a publication has its secrets, however it is printed")
    func secrets() throws {
        let request = LiveRequest(
            name: "show", url: Secret("srt://host:9000?passphrase=correct-horse&streamid=battery"),
            token: Secret("staple-token"))
        let publication = try Publication(request)
        var texts = [
            "\(request)", "\(publication)", String(reflecting: request), String(reflecting: publication),
        ]
        for value in [request as Any, publication] {
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
