import CMulticamSoup
import Testing

@testable import MulticamRemoteSources

@Suite("D-Bus values from the desktop")
struct DesktopValueTests {
    private static func value(_ text: String) throws -> DesktopValue {
        DesktopValue(owning: try #require(g_variant_parse(nil, text, nil, nil, nil)))
    }

    @Test("a portal response is read according to its types")
    func answer() throws {
        let answer = try Self.value(
            "(uint32 0, {'streams': <[(uint32 35, {'size': <(1280, 720)>})]>, 'restore_token': <'a b'>})")
        #expect(answer[0]?.number == 0)
        #expect(answer[1]?["streams"]?[0]?[0]?.number == 35)
        #expect(answer[1]?["restore_token"]?.text == "a b")
        #expect(answer[1]?["missing"] == nil)
    }

    @Test(
        "a response of unexpected types contains none of the expected values",
        arguments: [
            "'text'", "(uint32 0,)", "(uint32 0, 'x')", "(0, {'streams': <7>})",
            "(uint32 0, {'streams': <@au []>})", "[1, 2]",
        ])
    func other(text: String) throws {
        let answer = try Self.value(text)
        #expect(answer[1]?["streams"]?[0]?[0]?.number == nil)
        #expect(answer[-1] == nil && answer[99] == nil && answer["x"] == nil)
    }

    @Test(
        "quoting preserves any text",
        arguments: ["", "'", "\\", "a'b\"c", "\u{1F}\u{7F}", "é😀", "{'x': <1>}"])
    func quoted(text: String) throws {
        #expect(try Self.value(DesktopValue.quoted(text)).text == text)
    }
}
