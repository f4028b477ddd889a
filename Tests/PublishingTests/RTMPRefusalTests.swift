import Testing

@testable import MulticamPublishing

@Suite("Refusals of RTMP servers")
struct RTMPRefusalTests {
    @Test(
        "libavformat's messages are translated to an error sentence that determines the retry",
        arguments: [
            ("Server error: Already publishing\n", PublishingError.Kind.lost),
            ("Server error: NetStream.Publish.Denied\n", .refused),
            ("Server error: authentication failed for secret-key\n", .refused),
            ("Server error: something\n", .ambiguous),
            ("Creating stream...\nSending publish command for 'secret-key'\n", .ambiguous),
            ("The certificate's owner does not match hostname secret-key\n", .refused),
            ("Unable to verify peer certificate: secret-key\n", .refused),
            ("", .lost),
        ])
    func kinds(messages: String, kind: PublishingError.Kind) {
        let error = RTMPRefusal.error(of: messages, "rtmp://host:1935")
        #expect(error.kind == kind)
        #expect(error.description.contains("rtmp://host:1935"))
        #expect(!error.description.contains("secret-key"))
        #expect(error.description.hasSuffix("."))
    }
}
