import Testing

@testable import Capture

@Suite("What a camera's node answers")
struct NodeAnswersTests {
    @Test(
        "a camera without a format that can be read says what it offers, and what to do",
        arguments: [
            (["Z16 "], "it is a depth camera (Z16): it measures distances"),
            (["Z16 ", "Y8I "], "it is a depth camera (Z16, Y8I)"), (["Q\u{1}13"], "it offers only Q"),
            ([], "it offers no format. Plug it in again"),
        ])
    func unreadable(codes: [String], sentence: String) {
        let text = NodeAnswers.unreadable(codes.map { FourCC($0) })
        #expect(text.hasPrefix(sentence), "\(text)")
        #expect(!text.contains("\u{1}"))
        #expect(text.hasSuffix("hoose another camera."))
    }
}
