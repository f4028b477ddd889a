import MulticamMedia
import Testing

@Suite("Addresses of live output")
struct LiveOutputAddressTests {
    @Test(
        "an address provides kind, host, port, and a printable form without secrets",
        arguments: [
            ("srt://host:9000", LiveOutputAddress.Kind.srt, "host", 9000, "srt://host:9000"),
            ("  SRT://host:9000?latency=200\n", .srt, "host", 9000, "srt://host:9000"),
            ("srt://[fe80::1%25eth0]:9000", .srt, "fe80::1%25eth0", 9000, "srt://[fe80::1%25eth0]:9000"),
            ("srt://:9000?mode=listener", .srt, "", 9000, "srt://:9000"),
            ("rtmp://host/live/secret-key", .rtmp, "host", 1935, "rtmp://host:1935"),
            ("rtmps://me:secret@host/live/secret-key?token=secret", .rtmp, "host", 443, "rtmps://host:443"),
            ("whip+https://host/secret/path", .whip, "host", 443, "whip+https://host:443"),
            ("whip+http://host:8889/path", .whip, "host", 8889, "whip+http://host:8889"),
            ("v4l2:/dev/video9", .v4l2, "", 0, "v4l2:/dev/video9"),
            ("pulse:Studio mix", .pulse, "", 0, "pulse:Studio mix"),
            ("pulse:", .pulse, "", 0, "pulse:multicam"),
        ])
    func parts(text: String, kind: LiveOutputAddress.Kind, host: String, port: Int, printable: String) throws
    {
        let address = try LiveOutputAddress(text)
        #expect(address.kind == kind)
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.printable == printable)
        #expect("\(address)" == printable)
        #expect(String(reflecting: address) == printable)
        #expect(address.isPublic == (kind == .v4l2 || kind == .pulse))
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test("SRT settings are parsed, including percent-encoded values")
    func srt() throws {
        let address = try LiveOutputAddress(
            "srt://host:9000?mode=listener&latency=500&timeout=4000&passphrase=correct%20horse%26&pbkeylen=32&streamid=#!::r=live,m=publish"
        )
        let settings = try #require(address.srt)
        #expect(settings.mode == .listener)
        #expect(settings.latency == .milliseconds(500))
        #expect(settings.idleTimeout == .seconds(4))
        #expect(settings.passphrase?.value == "correct horse&")
        #expect(settings.keyLength == 32)
        #expect(settings.streamID?.value == "#!::r=live,m=publish")
        #expect(!"\(settings)".contains("horse"))
    }

    @Test(
        "an invalid address is rejected in one sentence that states the expected form and contains no secret",
        arguments: [
            ("", "expected"), ("secret-key", "expected"), ("secret:key", "expected"),
            ("udp://host:1", "expected"),
            ("file:/etc/passwd", "expected"), ("http://host/secret", "whip+http://"),
            ("https://host/secret", "whip+https://"),
            ("srt:host:9000", "srt://host:9000"), ("srt://host", "port"), ("srt://host:0", "port"),
            ("srt://host:70000", "port"),
            ("srt://host:secret", "port"), ("srt://:9000", "host"),
            ("srt://me:secret@host:9000", "must not contain a user"),
            ("srt://ho st:9000", "space"), ("srt://host:9000?latency=120000", "microseconds"),
            ("srt://host:9000?latency=secret", "20 to 8000"),
            ("srt://host:9000?passphrase=secret", "10 to 79"), ("srt://host:9000?secret=1", "known"),
            ("srt://host:9000?mode=secret", "`caller` or `listener`"),
            ("srt://host:9000?pbkeylen=5", "16, 24, or 32"),
            ("srt://host:9000?passphrase=%zzsecretsecret", "hexadecimal"),
            ("rtmp://host/secret", "stream key"), ("rtmp:///live/secret", "host"),
            ("rtmp://host\u{7}/live/secret", "control characters"), ("whip+https://", "host"),
            ("v4l2:video9", "v4l2:/dev/video9"),
            ("v4l2:/dev/../etc/passwd", "v4l2:/dev/video9"), ("pulse:\"secret\"", "quotes"),
            ("pulse:" + String(repeating: "x", count: 65), "64 bytes"), ("srt://[::1:9000", "host"),
            ("srt://host:9000?streamid=" + String(repeating: "x", count: 3000), "2048"),
        ])
    func refused(text: String, expectation: String) {
        let error = #expect(throws: AddressError.self) { try LiveOutputAddress(text) }
        #expect(error?.description.contains(expectation) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("secret") == false)
        #expect(error?.description.hasSuffix(".") == true)
    }
}
