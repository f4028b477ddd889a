import MulticamMedia
import Testing

@Suite("Addresses of network cameras")
struct SourceAddressTests {
    @Test(
        "an address is parsed with its port, and its printable form omits user, password, and query",
        arguments: [
            ("rtsp://admin:geheim@10.0.0.20/stream1?x=1", "rtsp://10.0.0.20:554/stream1", true),
            ("rtsps://[fe80::1]:7441/a", "rtsps://[fe80::1]:7441/a", false),
            ("http://camera:8080/video", "http://camera:8080/video", false),
            ("HTTPS://camera/video?password=geheim", "https://camera:443/video", true),
            ("rtsp://10.0.0.20/user=admin_password=geheim.sdp", "rtsp://10.0.0.20:554", true),
            ("srt://:9000?mode=listener&passphrase=geheimgeheim", "srt://:9000", true),
            ("srt://10.0.0.20:9000", "srt://10.0.0.20:9000", false),
            ("rtmp://host/live/stream", "rtmp://host:1935/live/stream", false),
        ])
    func printable(text: String, shown: String, hasSecret: Bool) throws {
        let address = try SourceAddress(text)
        #expect(address.printable == shown)
        #expect("\(address)" == shown)
        #expect(String(reflecting: address) == shown)
        #expect(address.hasSecret == hasSecret)
        #expect(address.name.hasPrefix(shown))
        #expect(SourceAddress.handles(text))
        #expect(SourceAddress.printable(of: text) == shown)
    }

    @Test("different streams of a camera have different names of at most 64 bytes")
    func names() throws {
        let long = String(repeating: "a", count: 200)
        let texts = [
            "rtsp://c/cam?channel=1", "rtsp://c/cam?channel=2", "rtsp://c/\(long)1", "rtsp://c/\(long)2",
        ]
        let names = try texts.map { try SourceAddress($0).name }
        #expect(Set(names).count == texts.count)
        #expect(names.allSatisfy { $0.utf8.count <= 64 })
    }

    @Test(
        "an invalid address is rejected with a message that contains no part of it",
        arguments: [
            "rtsp://", "rtsp://:554/x", "rtsp://host:0/geheim", "rtsp://host:99999", "srt://host",
            "srt://host:9000?geheim=1", "rtsp://ho st/geheim", "file:///etc/geheim", "geheim",
            "rtsp://h/\u{7}geheim",
        ])
    func refused(text: String) {
        do {
            _ = try SourceAddress(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(!error.description.contains("geheim"))
            #expect(error.description.hasSuffix("."))
        }
    }

    @Test("selectors of other devices aren't treated as addresses")
    func others() {
        for selector in [
            "any", "/dev/video0", "virtual:clap", "remote:rtsp", "file:///a", "usb:1-2", "http:", "",
        ] {
            #expect(!SourceAddress.handles(selector))
        }
    }
}
