import Testing

@testable import MulticamCapture

@Suite("Responses of a camera node")
struct NodeAnswersTests {
    @Test(
        "a camera without a supported format is reported with its formats and a remedy",
        arguments: [
            (["Z16 "], "this is a depth camera (Z16), and depth data cannot be recorded"),
            (["Z16 ", "Y8I "], "this is a depth camera (Z16, Y8I)"),
            (["Q\u{1}13"], "this camera offers only unsupported formats (Q"),
            ([], "this camera offers no video formats. Plug it in again"),
        ])
    func unreadable(codes: [String], sentence: String) {
        let text = NodeProperties.unreadable(codes.map { FourCC($0) })
        #expect(text.hasPrefix(sentence), "\(text)")
        #expect(!text.contains("\u{1}"))
        #expect(text.hasSuffix("hoose another camera."))
    }
}
